import { type UseQueryOptions, type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import type { CallerInput, Output, Route } from '../../contract/route.ts';
import { useApi } from './context.ts';

type Options<T> = Pick<UseQueryOptions<T>, 'enabled' | 'refetchInterval' | 'staleTime' | 'placeholderData'>;

/** What is known under which name: the operation's, and what it was asked with. */
export const keyOf = <R extends Route>(route: R, input?: CallerInput<R>) =>
  input === undefined ? [route.id] : [route.id, input];

/** Reads by an operation of the contract; the same read on several places of a screen is one request. */
export function useRead<R extends Route>(
  route: R,
  input?: CallerInput<R>,
  options: Options<Output<R>> = {},
): UseQueryResult<Output<R>> {
  const api = useApi();
  return useQuery<Output<R>>({ queryKey: keyOf(route, input), queryFn: () => api.call(route, input), ...options });
}

/** Makes reads anew, by their operations. */
export function useRefresh(): (routes: readonly { id: string }[]) => void {
  const client = useQueryClient();
  return (routes) => {
    for (const { id } of routes) void client.invalidateQueries({ queryKey: [id] });
  };
}
