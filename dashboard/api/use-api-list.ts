import { type InfiniteData, type QueryKey, type UseInfiniteQueryResult, useInfiniteQuery } from '@tanstack/react-query';
import type { CallerInput, Output, Route } from '../../contract/route.ts';
import { useApi } from './context.ts';
import { recoveryInterval } from './query-client.ts';
import { type MorePages, useMorePages } from './use-more-pages.ts';

interface Page<T> {
  data: T[];
  has_more: boolean;
  cursor?: string | undefined;
}

type Item<R> = Output<R> extends Page<infer T> ? T : never;

export type ListResult<T> = MorePages &
  Pick<
    UseInfiniteQueryResult<Page<T>>,
    'data' | 'isPending' | 'isSuccess' | 'isFetching' | 'failureCount' | 'errorUpdateCount' | 'refetch'
  >;

interface ListOptions<T> {
  /** Items per request. */
  pageSize?: number;
  /** Poll interval in milliseconds, or false. A poll reads all loaded pages again, one after the other. */
  pollInterval?: (items: readonly T[]) => number | false;
  /** Additional query parameters; undefined values are omitted. */
  filter?: Readonly<Record<string, string | undefined>>;
  /** Loads all pages, for lists that the client filters. */
  allPages?: boolean;
}

/** Maximum number of pages that are loaded automatically while none of them has a match. */
const MAX_EMPTY_PAGES = 10;

interface Pages<T> extends Page<T> {
  /** Number of pages that were read. */
  pageCount: number;
}

/** Joins the pages. An item may be on two pages if the list changed between their reads. */
function mergePages<T extends { id: string }>({ pages }: InfiniteData<Page<T>>): Pages<T> {
  const items = new Map(pages.flatMap(({ data }) => data.map((item) => [item.id, item])));
  return { data: [...items.values()], has_more: pages.at(-1)?.has_more ?? false, pageCount: pages.length };
}

/**
 * Reads a list of the contract page by page: `fetchNextPage` loads the next page, and a refresh reloads all loaded pages.
 *
 * @param input the path parameters
 */
export function useApiList<R extends Route>(
  route: R,
  input: Omit<CallerInput<R>, 'query' | 'body'> = {} as CallerInput<R>,
  { pageSize = 100, pollInterval, allPages = false, filter = {} }: ListOptions<Item<R>> = {},
): ListResult<Item<R>> {
  type List = Page<Item<R> & { id: string }>;
  const api = useApi();
  const queryKey = [route.id, 'list', input, filter];
  const list = useInfiniteQuery<List, Error, Pages<Item<R> & { id: string }>, QueryKey, string>({
    queryKey,
    queryFn: async ({ pageParam }) => {
      const defined = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
      const query = { ...defined, limit: String(pageSize), ...(pageParam === '' ? {} : { cursor: pageParam }) };
      return (await api.call(route, { ...input, query } as unknown as CallerInput<R>)) as List;
    },
    initialPageParam: '',
    getNextPageParam: ({ data, has_more, cursor }) => (has_more ? (cursor ?? data.at(-1)?.id) : undefined),
    select: mergePages,
    refetchInterval: (query) => {
      const { data } = query.state;
      const interval = recoveryInterval(query) || (data && pollInterval ? pollInterval(mergePages(data).data) : false);
      // A poll makes one request per page: the more pages, the fewer polls.
      return interval && interval * Math.max(1, data?.pages.length ?? 1);
    },
  });
  const { data, isPending, isSuccess, isFetching, failureCount, errorUpdateCount, refetch } = list;
  const isSearching = data?.data.length === 0 && data.pageCount < MAX_EMPTY_PAGES;
  const more = useMorePages(list, JSON.stringify(queryKey), allPages || isSearching);
  return { data, isPending, isSuccess, isFetching, failureCount, errorUpdateCount, refetch, ...more };
}
