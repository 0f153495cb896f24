import { Button, Center, Group, NativeSelect, TextInput } from '@mantine/core';
import { type ReactNode, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { EmptyState } from './EmptyState.tsx';
import { applyView, type ListChoice, type ListView, MAX_ROWS, rowWindow, statusesOf } from './list-view.ts';
import { toLabel } from './Status.tsx';
import { useUrlState, useUrlText } from './use-url-state.ts';

/** The choice of a list's filters, kept in the URL. */
export interface ListFilter extends ListChoice {
  /** True if only the whole list can be shown right: then all of its pages are read. */
  isActive: boolean;
  search: (query: string) => void;
  sortBy: (sort: string) => void;
  chooseStatus: (status: string) => void;
}

/**
 * Reads the choice of a list's filters from the URL: `?q=shop&sort=name&status=LIVE`.
 * @param name parameter of the search, where the screen has another one
 * @param prefix of the order and the status, for the second list of a screen
 */
export function useListFilter(name = 'q', prefix = ''): ListFilter {
  const [query, search] = useUrlText(name);
  const [sort, sortBy] = useUrlState(`${prefix}sort`);
  const [status, chooseStatus] = useUrlState(`${prefix}status`);
  return { query, search, sort, sortBy, status, chooseStatus, isActive: query !== '' || sort !== '' || status !== '' };
}

interface FilteredItemsProps<T> {
  /** Plural name of the items, for labels: `applications`. */
  name: string;
  /** Not empty: an empty list has nothing to search. */
  items: readonly T[];
  filter: ListFilter;
  view: ListView<T>;
  /** Labels of statuses that are not in sentence case by themselves. */
  statusLabel?: ((status: string) => string) | undefined;
  /** Shown where nothing matches; differs while further pages are read. */
  noMatch?: string;
  /** Reads further pages; shown below the last item that is read. */
  more?: ReactNode;
  children: (items: readonly T[]) => ReactNode;
}

/** Items with a search, an order and a filter by status. */
export function FilteredItems<T>({ children, noMatch, ...props }: FilteredItemsProps<T>) {
  return (
    <>
      <FilterBar {...props} />
      <Matches {...props} noMatch={noMatch ?? `No matching ${props.name}`}>
        {children}
      </Matches>
    </>
  );
}

function FilterBar<T>({
  name,
  filter,
  view,
  items,
  statusLabel = toLabel,
}: Pick<FilteredItemsProps<T>, 'name' | 'filter' | 'view' | 'items' | 'statusLabel'>) {
  const statuses = useMemo(() => statusesOf(view, items, filter.status), [view, items, filter.status]);
  return (
    <search>
      <Group gap="xs" className="no-print">
        <TextInput
          type="search"
          size="xs"
          placeholder={`Search ${name}`}
          aria-label={`Search ${name}`}
          value={filter.query}
          onChange={(event) => filter.search(event.currentTarget.value)}
          style={{ flex: '1 1 12rem' }}
        />
        {view.status && (
          <NativeSelect
            size="xs"
            aria-label={`Filter ${name} by ${view.statusName?.one ?? 'status'}`}
            value={filter.status}
            onChange={(event) => filter.chooseStatus(event.currentTarget.value)}
            data={[
              { value: '', label: view.statusName?.all ?? 'All statuses' },
              ...statuses.map((value) => ({ value, label: statusLabel(value) })),
            ]}
          />
        )}
        <NativeSelect
          size="xs"
          aria-label={`Sort ${name}`}
          value={filter.sort}
          onChange={(event) => filter.sortBy(event.currentTarget.value)}
          data={[
            { value: '', label: view.order ?? 'Newest first' },
            ...Object.entries(view.sorts).map(([value, { label }]) => ({ value, label })),
          ]}
        />
      </Group>
    </search>
  );
}

/** Rows that are shown at first: to add or remove a thousand at once would hold up the next key. */
const FIRST_ROWS = 100;

/**
 * Returns the number of rows up to the last one that is shown, which starts again with another choice, and a function that sets it. Items that
 * arrive while nothing is chosen were asked for with the list's own button, so they are shown.
 */
function useRowLimit(
  choice: string,
  isActive: boolean,
  length: number,
): [limit: number, setLimit: (limit: number) => void] {
  const initial = isActive ? FIRST_ROWS : Math.max(FIRST_ROWS, Math.min(length, MAX_ROWS));
  const [shown, setShown] = useState({ choice, limit: initial, length });
  let { limit } = shown;
  if (shown.choice !== choice) limit = FIRST_ROWS;
  else if (!isActive && length > shown.length) limit += length - shown.length;
  if (shown.choice !== choice || shown.length !== length) setShown({ choice, limit, length });
  return [limit, (chosen) => setShown({ choice, limit: chosen, length })];
}

/**
 * Renders the rows, but not those that another choice is about to replace: the key that made the choice would wait for
 * each of them. What was rendered last is remembered only once it is on the screen, since a render may be given up.
 */
function useSettledRows<T>(
  render: (items: readonly T[]) => ReactNode,
  items: readonly T[],
  isReplaced: boolean,
): ReactNode {
  const committed = useRef(render);
  useEffect(() => {
    if (!isReplaced) committed.current = render;
  });
  const latest = isReplaced ? committed.current : render;
  return useMemo(() => latest(items), [latest, items]);
}

function Matches<T>({
  name,
  filter,
  view,
  items,
  noMatch,
  more,
  children,
}: Pick<FilteredItemsProps<T>, 'name' | 'filter' | 'view' | 'items' | 'more' | 'children'> & { noMatch: string }) {
  const { sort, status, isActive } = filter;
  // Typing stays fluid while a long list is filtered.
  const query = useDeferredValue(filter.query);
  const found = useMemo(() => applyView(view, items, { query, sort, status }), [view, items, query, sort, status]);
  const choice = JSON.stringify([query, sort, status]);
  const [limit, setLimit] = useRowLimit(choice, isActive, items.length);
  const { start, end } = rowWindow(limit, found.length);
  const chosen = useMemo(() => found.slice(start, end), [found, start, end]);
  // A choice is painted with the rows as they are; the new ones follow without blocking the next one. The items are deferred and not
  // their rows, which have inputs of their own: rows are memoized, so that those whose item stays cost nothing.
  const shown = useDeferredValue(chosen);
  const rows = useSettledRows(
    children,
    shown.length === 0 ? chosen : shown,
    query !== filter.query || shown !== chosen,
  );
  const clear = () => {
    filter.search('');
    filter.chooseStatus('');
  };
  if (found.length === 0) {
    return (
      <>
        <EmptyState
          title={noMatch}
          action={
            <Button size="xs" variant="default" onClick={clear}>
              Clear filters
            </Button>
          }
        >
          Choose another filter or search for something else.
        </EmptyState>
        {more}
      </>
    );
  }
  return (
    <>
      {start > 0 && (
        <Center className="no-print">
          <Button variant="default" onClick={() => setLimit(start)}>
            {`Show ${name} ${start - MAX_ROWS + 1} to ${start}`}
          </Button>
        </Center>
      )}
      {rows}
      {end < found.length ? (
        <Center className="no-print">
          <Button variant="default" onClick={() => setLimit(end + FIRST_ROWS)}>
            {`Show more of ${found.length} ${name}`}
          </Button>
        </Center>
      ) : (
        more
      )}
    </>
  );
}
