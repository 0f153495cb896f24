import { invalidField } from '../contract/errors.ts';
import type { Page, PageRequest } from '../table/table.ts';

/** Returns one page of a complete list, newest first. The cursor is the id of the last item of the previous page. */
export function pageOf<T extends { id: string }>(all: readonly T[], { limit, offset, cursor }: PageRequest): Page<T> {
  const following = cursor === undefined ? all : all.filter(({ id }) => id < cursor);
  return { items: following.slice(offset, offset + limit), hasMore: following.length > offset + limit };
}

interface Filter<T> {
  isWanted: (item: T) => boolean;
  /** Maximum number of items that one request reads, including the ones that the filter excludes. */
  maxRead: number;
}

/** A page with the cursor of the next page, if it ended before it was full. */
export interface FilteredPage<T> extends Page<T> {
  cursor?: string;
}

/** Returns the body of a list's response. */
export const pageBody = <T, V>({ items, hasMore, cursor }: FilteredPage<T>, view: (item: T) => V) => ({
  data: items.map(view),
  has_more: hasMore,
  ...(cursor !== undefined && { cursor }),
});

/**
 * Reads items, newest first, until the page is full or the request has read `filter.maxRead` items.
 *
 * @param filter selects the items of the page; all unless given
 * @throws {ApiError} 400 if `offset` skips more items than one request may read
 */
export async function readPage<T extends { id: string }>(
  items: AsyncIterable<T>,
  { limit, offset }: PageRequest,
  filter?: Filter<T>,
): Promise<FilteredPage<T>> {
  const found: T[] = [];
  let read = 0;
  for await (const item of items) {
    if (!filter || filter.isWanted(item)) found.push(item);
    if (found.length > offset + limit) break;
    read += 1;
    if (read !== filter?.maxRead) continue;
    if (found.length < offset) throw invalidField('offset', 'skips more items than one request reads; use `cursor`');
    return { items: found.slice(offset), hasMore: true, cursor: item.id };
  }
  return { items: found.slice(offset, offset + limit), hasMore: found.length > offset + limit };
}

/** Creates the error of a cursor that is not the id of an item, for lists that are not in the order of their ids: 400. */
export const noSuchCursor = () => invalidField('cursor', 'must be the id of an item of this list');
