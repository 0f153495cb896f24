/** The searchable text, sort orders and statuses of a list. */
export interface ListView<T> {
  /** Returns the text that a search is matched against. */
  text: (item: T) => string;
  /** Label of the API's order; `Newest first` by default. */
  order?: string;
  /** Sort orders in addition to the API's, by name. */
  sorts: Readonly<Record<string, { label: string; compare: (a: T, b: T) => number }>>;
  /** Returns the status of an item, or another value to filter by. */
  status?: (item: T) => string;
  /** Names for the value of `status` if it is not a status: `type` and `All types`. */
  statusName?: { one: string; all: string };
}

/** The current choice. Empty strings mean all items, in the API's order. */
export interface ListChoice {
  query: string;
  sort: string;
  status: string;
}

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** Compares names as people sort them: `app 2` before `app 10`. */
export const byName =
  <T>(name: (item: T) => string) =>
  (a: T, b: T): number =>
    collator.compare(name(a), name(b));

/** Compares times, the earliest first; items without one come last. */
export const byTime =
  <T>(time: (item: T) => string | null | undefined) =>
  (a: T, b: T): number =>
    Date.parse(time(a) ?? '9999-12-31') - Date.parse(time(b) ?? '9999-12-31');

/** Returns the items that a choice shows, in its order. Every word of the search must be found. */
export function applyView<T>(view: ListView<T>, items: readonly T[], { query, sort, status }: ListChoice): T[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = items.filter((item) => {
    if (status !== '' && view.status?.(item) !== status) return false;
    const text = words.length === 0 ? '' : view.text(item).toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const compare = Object.hasOwn(view.sorts, sort) ? view.sorts[sort]?.compare : undefined;
  return compare ? found.toSorted(compare) : found;
}

/** Returns the statuses of a list, for its filter. The chosen one is always among them. */
export const statusesOf = <T>(view: ListView<T>, items: readonly T[], chosen: string): string[] =>
  [...new Set([...(view.status ? items.map(view.status) : []), ...(chosen === '' ? [] : [chosen])])].sort();

/** Maximum number of rows shown at a time; further rows replace them. A thousand rows would slow down every update of the screen. */
export const MAX_ROWS = 300;

/** Returns the range of rows to show for a limit: the first row, and the end (exclusive). */
export function rowWindow(limit: number, length: number): { start: number; end: number } {
  const end = Math.min(limit, length);
  return { start: Math.floor(Math.max(0, end - 1) / MAX_ROWS) * MAX_ROWS, end };
}
