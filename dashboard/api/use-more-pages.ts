import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { useEffect, useState } from 'react';

type PagedList = Pick<
  UseInfiniteQueryResult<{ pageCount: number }>,
  | 'data'
  | 'error'
  | 'isError'
  | 'isFetching'
  | 'hasNextPage'
  | 'isFetchingNextPage'
  | 'isFetchNextPageError'
  | 'fetchNextPage'
>;

/** The state of a paged list's next page, and a function that requests it. */
export interface MorePages extends Pick<PagedList, 'error' | 'hasNextPage' | 'isFetchNextPageError'> {
  /** True from the request for the next page until that page has arrived or failed. */
  isFetchingNextPage: boolean;
  fetchNextPage: () => void;
}

/**
 * Loads the pages of a list that are requested. In TanStack Query, a refresh and a next page cancel each other: a write would lose the
 * page that the user has requested, and a request for a page would lose the refresh that shows the write. Here a request waits for a
 * refresh in progress, and is repeated after a refresh that cancelled it.
 *
 * @param key identifies the list; another list begins with its first page
 * @param loadsAll loads all pages without a request
 */
export function useMorePages(list: PagedList, key: string, loadsAll = false): MorePages {
  const { data, error, isError, isFetching, hasNextPage, isFetchNextPageError, fetchNextPage } = list;
  const [requested, setRequested] = useState({ key, pageCount: 0 });
  const pageCount = data?.pageCount ?? 0;
  const isRequested = requested.key === key && pageCount > 0 && pageCount < requested.pageCount;
  useEffect(() => {
    if ((isRequested || loadsAll) && hasNextPage && !isFetching && !isError)
      void fetchNextPage({ cancelRefetch: false });
  }, [isRequested, loadsAll, hasNextPage, isFetching, isError, fetchNextPage]);
  return {
    error,
    hasNextPage,
    isFetchNextPageError,
    isFetchingNextPage: list.isFetchingNextPage || (isRequested && hasNextPage && !isError),
    fetchNextPage: () => {
      setRequested({ key, pageCount: pageCount + 1 });
      // Also after a failure, which the effect does not repeat.
      void fetchNextPage({ cancelRefetch: false });
    },
  };
}
