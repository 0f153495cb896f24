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
  /** The items, in the plural, as the error names them. */
  nouns: string;
  /** Another remedy, as the end of the error's sentence. */
  hint?: string;
}

/**
 * Reads a page of items, newest first, until it is full.
 *
 * @param filter the items that are wanted; all unless given
 * @throws {ApiError} 400 where the filter finds too little among the items that one request reads
 */
export async function readPage<T extends { id: string }>(
  items: AsyncIterable<T>,
  { limit, offset }: PageRequest,
  filter?: Filter<T>,
): Promise<Page<T>> {
  const found: T[] = [];
  let read = 0;
  for await (const item of items) {
    if (!filter || filter.isWanted(item)) found.push(item);
    if (found.length > offset + limit) break;
    read += 1;
    if (read !== filter?.maxRead) continue;
    const { nouns, hint = '' } = filter;
    const message = `cursor: there are more ${nouns} than one request reads; continue from ${item.id}${hint}`;
    throw new ApiError('invalid_request', message);
  }
  return { items: found.slice(offset, offset + limit), hasMore: found.length > offset + limit };
}

/** The cursor of a list that is not in the order of its ids names no item that is there. */
export const noSuchCursor = () => new ApiError('invalid_request', 'cursor: must be the id of an item of this list');
