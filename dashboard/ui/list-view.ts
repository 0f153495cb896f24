/** Search, orders and statuses of a list. */
export interface ListView<T> {
  /** Text in which a search is looked for. */
  text: (item: T) => string;
  /** Label of the API's own order; `Newest first` unless given. */
  order?: string;
  /** Orders beside the API's own, by name. */
  sorts: Readonly<Record<string, { label: string; compare: (a: T, b: T) => number }>>;
  /** The status of an item, or what else it is filtered by. */
  status?: (item: T) => string;
  /** Names of what `status` returns, where it is not a status: `type` and `All types`. */
  statusName?: { one: string; all: string };
}

/** The current choice; empty texts mean everything, in the API's order. */
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

/** Rows that are shown at once. Further ones take their place: a thousand rows would hold up each change of the screen. */
export const MAX_ROWS = 300;

/** Returns the first row that is shown and the one behind the last, for rows up to a limit. */
export function rowWindow(limit: number, length: number): { start: number; end: number } {
  const end = Math.min(limit, length);
  return { start: Math.floor(Math.max(0, end - 1) / MAX_ROWS) * MAX_ROWS, end };
}
