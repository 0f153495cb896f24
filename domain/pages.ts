import { ApiError } from '../contract/errors.ts';
import type { Page, PageRequest } from '../table/table.ts';

/** A page of items that were all read, newest first. The cursor is the id of the item behind which the page begins. */
export function pageOf<T extends { id: string }>(all: readonly T[], { limit, offset, cursor }: PageRequest): Page<T> {
  const rest = cursor === undefined ? all : all.filter(({ id }) => id < cursor);
  return { items: rest.slice(offset, offset + limit), hasMore: rest.length > offset + limit };
}

/** The cursor of a list that is not in the order of its ids names no item that is there. */
export const noSuchCursor = () => new ApiError('invalid_request', 'cursor: must be the id of an item of this list');
