import { ApiError } from '../contract/errors.ts';
import type { Page, PageRequest } from '../table/table.ts';

/** A page of items that were all read, newest first. The cursor is the id of the item behind which the page begins. */
export function pageOf<T extends { id: string }>(all: readonly T[], { limit, offset, cursor }: PageRequest): Page<T> {
  const rest = cursor === undefined ? all : all.filter(({ id }) => id < cursor);
  return { items: rest.slice(offset, offset + limit), hasMore: rest.length > offset + limit };
}

interface Filter<T> {
  isWanted: (item: T) => boolean;
  /** Items that one request reads at most, those that are left out included. */
  maxRead: number;
}

/** A page that ended before it was full has the cursor of the next one. */
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
 * Reads a page of items, newest first, until it is full or has read as many as one request may.
 *
 * @param filter the items that are wanted; all unless given
 * @throws {ApiError} 400 where a request may not read as many items as it is to skip
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
    if (found.length < offset)
      throw new ApiError('invalid_request', 'offset: skips more items than one request reads; use `cursor`');
    return { items: found.slice(offset), hasMore: true, cursor: item.id };
  }
  return { items: found.slice(offset, offset + limit), hasMore: found.length > offset + limit };
}

/** The cursor of a list that is not in the order of its ids names no item that is there. */
export const noSuchCursor = () => new ApiError('invalid_request', 'cursor: must be the id of an item of this list');
