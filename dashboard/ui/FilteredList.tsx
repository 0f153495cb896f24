import { Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ListResult } from '../api/use-api-list.ts';
import { FilteredItems, type ListFilter } from './FilteredItems.tsx';
import type { ListView } from './list-view.ts';
import { QueryBoundary } from './QueryBoundary.tsx';
import { ShowMore } from './ShowMore.tsx';

interface FilteredListProps<T> {
  /** Plural name of the items, for labels: `applications`. */
  name: string;
  list: ListResult<T>;
  filter: ListFilter;
  view: ListView<T>;
  /** Returns the label of a status; in sentence case by default. */
  statusLabel?: (status: string) => string;
  /** Shown in place of an empty list. */
  empty: ReactNode;
  children: (items: readonly T[]) => ReactNode;
}

/** A paged list with a search, a sort order and a status filter. */
export function FilteredList<T>({ name, list, filter, view, statusLabel, empty, children }: FilteredListProps<T>) {
  return (
    <Stack gap="sm">
      <QueryBoundary query={list}>
        {({ data }) =>
          data.length === 0 ? (
            empty
          ) : (
            <FilteredItems
              {...{ name, filter, view, statusLabel }}
              items={data}
              noMatch={list.hasNextPage ? 'Searching…' : `No matching ${name}`}
              more={!(filter.isActive && list.isFetching && !list.isFetchNextPageError) && <ShowMore list={list} />}
            >
              {children}
            </FilteredItems>
          )
        }
      </QueryBoundary>
    </Stack>
  );
}
