import { type InfiniteData, type QueryKey, type UseInfiniteQueryResult, useInfiniteQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { CallerInput, Output, Route } from '../../contract/route.ts';
import { useApi } from './context.ts';
import { recovery } from './queries.ts';

interface Page<T> {
  data: T[];
  has_more: boolean;
}

type Item<R> = Output<R> extends Page<infer T> ? T : never;

export type ListResult<T> = UseInfiniteQueryResult<Page<T>>;

interface ListOptions<T> {
  /** How many are read at once. */
  size?: number;
  /** How often the list is read anew as it stands, in milliseconds; pages are read one after the other. */
  every?: (items: readonly T[]) => number | false;
  /** Reads all pages without being asked: what is shown is a choice of them. */
  whole?: boolean;
}

/** What comes newest first moves on while it is read: an item may be on two pages. */
function joined<T extends { id: string }>({ pages }: InfiniteData<Page<T>>): Page<T> {
  const items = new Map(pages.flatMap(({ data }) => data.map((item) => [item.id, item])));
  return { data: [...items.values()], has_more: pages.at(-1)?.has_more ?? false };
}

/**
 * A list of the contract, a page at a time: `fetchNextPage` reads on, and what was read so far is refreshed as one.
 *
 * @param input what besides the page is asked for
 */
export function useList<R extends Route>(
  route: R,
  input: Omit<CallerInput<R>, 'query' | 'body'> = {} as CallerInput<R>,
  { size = 100, every, whole = false }: ListOptions<Item<R>> = {},
): ListResult<Item<R>> {
  type List = Page<Item<R> & { id: string }>;
  const api = useApi();
  const list = useInfiniteQuery<List, Error, List, QueryKey, number>({
    queryKey: [route.id, 'list', input],
    queryFn: async ({ pageParam }) => {
      const query = { limit: String(size), offset: String(pageParam) };
      return (await api.call(route, { ...input, query } as unknown as CallerInput<R>)) as List;
    },
    initialPageParam: 0,
    getNextPageParam: ({ has_more }, pages) => (has_more ? pages.length * size : undefined),
    select: joined,
    refetchInterval: (query) => {
      const { data } = query.state;
      const wanted = recovery(query) || (data && every ? every(joined(data).data) : false);
      // So many more requests at a time, so much more rarely.
      return wanted && wanted * Math.max(1, data?.pages.length ?? 1);
    },
  });
  const { hasNextPage, isFetching, isError, fetchNextPage } = list;
  useEffect(() => {
    if (whole && hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [whole, hasNextPage, isFetching, isError, fetchNextPage]);
  return list;
}
