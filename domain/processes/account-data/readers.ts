import type { Entity } from '../../../table/entity.ts';
import type { Table } from '../../../table/table.ts';

/** An item, and its position among all that a reader returns: reading can go on after it. */
export type Positioned<T> = [position: string, item: T];

/** Reads the items of an account one after another, from the first or after a position. */
export type Reader<T> = (table: Table, accountId: string, after?: string) => AsyncIterable<Positioned<T>>;

/** The one item that an account has, if it has it. */
export const one = <T, K>(entity: Entity<T, K>, keyOf: (accountId: string) => K): Reader<T> =>
  async function* (table, accountId, after) {
    const item = after === undefined ? await table.get(entity, keyOf(accountId)) : undefined;
    if (item !== undefined) yield ['1', item];
  };

/** A list of the account's, oldest first. */
export const listed = <T extends K, K>(entity: Entity<T, K>, listOf: (accountId: string) => string): Reader<T> =>
  async function* (table, accountId, after) {
    for await (const item of table.each(entity, listOf(accountId), after))
      yield [entity.list?.(item)?.listSk ?? entity.key(item).sk, item];
  };

/** Items of one round trip. */
const PAGE_SIZE = 100;

/** A partition of the account's, newest first. */
export const inPartition = <T extends K, K>(
  entity: Entity<T, K>,
  partitionOf: (accountId: string) => string,
): Reader<T> =>
  async function* (table, accountId, after) {
    const part = { before: after, pageSize: PAGE_SIZE };
    for await (const item of table.newest(entity, partitionOf(accountId), part)) yield [entity.key(item).sk, item];
  };

/** Items below each item of another reader, such as the records of each domain. */
export const under = <P, T>(
  parents: Reader<P>,
  childrenOf: (table: Table, parent: P, after?: string) => AsyncIterable<Positioned<T>>,
): Reader<T> =>
  async function* (table, accountId, after) {
    // The parent before the one that reading stopped in, and the position in that one.
    let [before, inside]: [string | undefined, string | undefined] =
      after === undefined ? [undefined, undefined] : parsePosition(after);
    for await (const [position, parent] of parents(table, accountId, before)) {
      for await (const [child, item] of childrenOf(table, parent, inside)) {
        yield [JSON.stringify([before ?? null, child]), item];
      }
      before = position;
      inside = undefined;
    }
  };

function parsePosition(text: string): [string | undefined, string | undefined] {
  const [before, inside] = JSON.parse(text) as [string | null, string];
  return [before ?? undefined, inside];
}

/** Items by their keys, below each item of another reader. Keys without an item are left out. */
export const foundUnder = <P, T, K>(
  parents: Reader<P>,
  entity: Entity<T, K>,
  keysOf: (parent: P) => readonly K[],
): Reader<T> =>
  under(parents, async function* (table, parent, after = '-1') {
    for (const [index, key] of keysOf(parent).entries()) {
      const item = index > Number(after) ? await table.get(entity, key) : undefined;
      if (item !== undefined) yield [String(index), item];
    }
  });
