import { type UseQueryOptions, type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import type { CallerInput, Output, Route } from '../../contract/route.ts';
import { useApi } from './context.ts';
import { recoveryInterval } from './query-client.ts';

type Options<T> = Pick<UseQueryOptions<T>, 'enabled' | 'refetchInterval' | 'staleTime' | 'placeholderData'>;

/** Returns the cache key of a read: the operation and its input. */
export const queryKey = <R extends Route>(route: R, input?: CallerInput<R>) =>
  input === undefined ? [route.id] : [route.id, input];

/** Reads with an operation of the contract. Components that read the same share one request. */
export function useApiQuery<R extends Route>(
  route: R,
  input?: CallerInput<R>,
  { refetchInterval, ...options }: Options<Output<R>> = {},
): UseQueryResult<Output<R>> {
  const api = useApi();
  return useQuery<Output<R>>({
    queryKey: queryKey(route, input),
    queryFn: () => api.call(route, input),
    ...options,
    // A caller's poll interval must not keep a failed read from recovering.
    refetchInterval: (query) =>
      recoveryInterval(query) || (typeof refetchInterval === 'function' ? refetchInterval(query) : refetchInterval),
  });
}

/** Returns a function that refreshes the cached reads of operations. */
export function useInvalidate(): (routes: readonly { id: string }[]) => void {
  const client = useQueryClient();
  return (routes) => {
    for (const { id } of routes) void client.invalidateQueries({ queryKey: [id] });
  };
}
