import type { Entity } from '../../../table/entity.ts';
import type { Table } from '../../../table/table.ts';

/** An item and its position in the reader's order. Reading can continue after this position. */
export type Positioned<T> = [position: string, item: T];

/** Reads items of an account, from the first one or after a position. */
export type Reader<T> = (table: Table, accountId: string, after?: string) => AsyncIterable<Positioned<T>>;

/** Returns a reader of an entity of which an account has at most one item. */
export const itemReader = <T, K>(entity: Entity<T, K>, keyOf: (accountId: string) => K): Reader<T> =>
  async function* (table, accountId, after) {
    const item = after === undefined ? await table.get(entity, keyOf(accountId)) : undefined;
    if (item !== undefined) yield ['1', item];
  };

/** Returns a reader of a list of the account, oldest items first. */
export const listReader = <T extends K, K>(entity: Entity<T, K>, listOf: (accountId: string) => string): Reader<T> =>
  async function* (table, accountId, after) {
    for await (const item of table.each(entity, listOf(accountId), after))
      yield [entity.list?.(item)?.listSk ?? entity.key(item).sk, item];
  };

/** Items per page. */
const PAGE_SIZE = 100;

/** Returns a reader of a partition of the account, newest items first. */
export const partitionReader = <T extends K, K>(
  entity: Entity<T, K>,
  partitionOf: (accountId: string) => string,
): Reader<T> =>
  async function* (table, accountId, after) {
    const range = { before: after, pageSize: PAGE_SIZE };
    for await (const item of table.newest(entity, partitionOf(accountId), range)) yield [entity.key(item).sk, item];
  };

/** Returns a reader of the children of another reader's items, such as the records of each domain. */
export const nestedReader = <P, T>(
  parents: Reader<P>,
  readChildren: (table: Table, parent: P, after?: string) => AsyncIterable<Positioned<T>>,
): Reader<T> =>
  async function* (table, accountId, after) {
    // The position of the parent before the current one, and the position of the last child in the current parent.
    let [parentBefore, lastChild]: [string | undefined, string | undefined] =
      after === undefined ? [undefined, undefined] : parsePosition(after);
    for await (const [position, parent] of parents(table, accountId, parentBefore)) {
      for await (const [child, item] of readChildren(table, parent, lastChild)) {
        yield [JSON.stringify([parentBefore ?? null, child]), item];
      }
      parentBefore = position;
      lastChild = undefined;
    }
  };

function parsePosition(text: string): [string | undefined, string | undefined] {
  const [parentBefore, lastChild] = JSON.parse(text) as [string | null, string];
  return [parentBefore ?? undefined, lastChild];
}

/** Returns a reader of items whose keys follow from another reader's items. Skips keys without an item. */
export const keyedReader = <P, T, K>(
  parents: Reader<P>,
  entity: Entity<T, K>,
  keysOf: (parent: P) => readonly K[],
): Reader<T> =>
  nestedReader(parents, async function* (table, parent, after = '-1') {
    for (const [index, key] of keysOf(parent).entries()) {
      const item = index > Number(after) ? await table.get(entity, key) : undefined;
      if (item !== undefined) yield [String(index), item];
    }
  });
