import { Button, Center, Group, NativeSelect, TextInput } from '@mantine/core';
import { type ReactNode, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { EmptyState } from './EmptyState.tsx';
import { applyView, type ListChoice, type ListView, MAX_ROWS, rowWindow, statusesOf } from './list-view.ts';
import { toLabel } from './Status.tsx';
import { useUrlState, useUrlText } from './use-url-state.ts';

/** The search, sort order and status of a list, stored in the URL. */
export interface ListFilter extends ListChoice {
  /** True if any of them is set. All pages of the list are then loaded, because one page could not show the right items. */
  isActive: boolean;
  search: (query: string) => void;
  sortBy: (sort: string) => void;
  chooseStatus: (status: string) => void;
}

/**
 * Reads a list's filter from the URL: `?q=shop&sort=name&status=LIVE`.
 * @param name URL parameter of the search, for the second list of a screen
 * @param prefix prefix of the other URL parameters, for the second list of a screen
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
  /** Returns the label of a status; in sentence case by default. */
  statusLabel?: ((status: string) => string) | undefined;
  /** Title if nothing matches. It differs while more pages are loading. */
  noMatch?: string;
  /** Loads more pages; shown below the last loaded item. */
  more?: ReactNode;
  children: (items: readonly T[]) => ReactNode;
}

/** Items with a search, a sort order and a status filter. */
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
      <Group gap="xs" className="filters no-print">
        <TextInput
          type="search"
          size="xs"
          placeholder={`Search ${name}`}
          aria-label={`Search ${name}`}
          value={filter.query}
          onChange={(event) => filter.search(event.currentTarget.value)}
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

/** Rows that are shown initially, and added per click. Adding or removing a thousand rows would delay the next keystroke. */
const ROWS_PER_STEP = 100;

/**
 * Returns the number of rows to show, which is reset when the choice changes, and its setter. Items that arrive without a filter
 * were requested with the list's own button, so they raise the limit.
 */
function useRowLimit(
  choice: string,
  isActive: boolean,
  length: number,
): [limit: number, setLimit: (limit: number) => void] {
  const initial = isActive ? ROWS_PER_STEP : Math.max(ROWS_PER_STEP, Math.min(length, MAX_ROWS));
  const [shown, setShown] = useState({ choice, limit: initial, length });
  let { limit } = shown;
  if (shown.choice !== choice) limit = ROWS_PER_STEP;
  else if (!isActive && length > shown.length) limit += length - shown.length;
  if (shown.choice !== choice || shown.length !== length) setShown({ choice, limit, length });
  return [limit, (chosen) => setShown({ choice, limit: chosen, length })];
}

/**
 * Renders the rows, except while another choice is about to replace them: rendering each row would delay the keystroke that made
 * the choice. The rows on screen stay until then. The renderer is stored in an effect, because React may abandon a render.
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
  // A choice is painted with the current rows first. The new rows follow without blocking the next choice. The items are deferred, not
  // the rendered rows, which may contain inputs. Rows are memoized, so a row whose item stays costs nothing.
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
          Try a different search or filter.
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
          <Button variant="default" onClick={() => setLimit(end + ROWS_PER_STEP)}>
            {`Show more of ${found.length} ${name}`}
          </Button>
        </Center>
      ) : (
        more
      )}
    </>
  );
}
