import type { Entity } from '../../../table/entity.ts';
import type { ItemKey, Table } from '../../../table/table.ts';
import type { Positioned, Reader } from './readers.ts';

/** Reasons for which a field or an entity is not in an export. */
export const NOT_EXPORTED = {
  secret: 'a secret, or what opens one: an archive may be lost',
  internal: 'bookkeeping of the platform that says nothing about the customer',
  elsewhere: 'stands in another file of the archive',
  platform: 'belongs to the platform or to all accounts',
  brief: 'expires within days and says nothing about the customer',
} as const;
export type NotExported = keyof typeof NOT_EXPORTED;

/**
 * The fate of an entity's items at the deletion of their account:
 * - `removed`: deletes them, also those in the account's own partition that no list has
 * - `part`: deletes them with the item that they belong to
 * - `teardown`: has the processes take them down that do so for customers who delete the resource
 * - `tax`: keeps them for the years that the law asks for, and no longer
 * - `expires`: leaves them to the table, which deletes them by their own time
 * - `stays`: are no data of the account
 */
export type AtDeletion = 'removed' | 'part' | 'teardown' | 'tax' | 'expires' | 'stays';

/** The items that an account has of one entity: how they are exported, and their fate at its deletion. */
export interface Contents {
  /** The entity's type. */
  type: string;
  /** The fields of the entity that are exported; none where the entity is not. */
  shows: readonly string[];
  /** The other fields, by the reason. Empty where the entity is not exported, which has one reason. */
  omits: Readonly<Record<string, NotExported>>;
  /** Name of its files in the archive; undefined where the entity is not exported. */
  file: string | undefined;
  because: NotExported | undefined;
  atDeletion: AtDeletion;
  /** Reads what an export shows of each item. */
  rows(table: Table, accountId: string, after?: string): AsyncIterable<Positioned<object>>;
  /** Reads the keys of the items in the table, each after those of its parts. */
  keys(table: Table, accountId: string, after?: string): AsyncIterable<Positioned<ItemKey[]>>;
}

interface Exported<T> {
  file: string;
  shows: readonly (keyof T & string)[];
  omits?: Partial<Record<keyof T & string, NotExported>>;
  /** Returns what is shown of an item; its fields unless given. */
  view?: (item: T) => object;
}

const pick = (item: object, names: readonly string[]): object =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value: unknown = Reflect.get(item, name);
      return value === undefined ? [] : [[name, value]];
    }),
  );

/**
 * Defines what is done with the items of an entity that an account has.
 * @param partsOf returns the keys of the items that belong to one
 */
export function contents<T extends K & object, K>(
  { type, key }: Pick<Entity<T, K>, 'type' | 'key' | 'parse'>,
  atDeletion: AtDeletion,
  exported: Exported<T> | NotExported,
  read: Reader<T>,
  partsOf: (item: T) => ItemKey[] = () => [],
): Contents {
  const isExported = typeof exported === 'object';
  const shows = isExported ? exported.shows : [];
  const view = (isExported ? exported.view : undefined) ?? ((item: T) => pick(item, shows));
  return {
    type,
    shows,
    atDeletion,
    omits: isExported ? { ...exported.omits } : {},
    file: isExported ? exported.file : undefined,
    because: isExported ? undefined : exported,
    async *rows(table, accountId, after) {
      for await (const [position, item] of read(table, accountId, after)) yield [position, view(item)];
    },
    async *keys(table, accountId, after) {
      for await (const [position, item] of read(table, accountId, after))
        yield [position, [...partsOf(item), key(item)]];
    },
  };
}

async function* nothing(): AsyncGenerator<never> {}

/** Names an entity of which nothing is read for an account: no list has its items, or they are not the account's. */
export const unread = (
  { type }: { type: string },
  atDeletion: Exclude<AtDeletion, 'tax'>,
  because: NotExported,
): Contents => ({
  type,
  shows: [],
  omits: {},
  file: undefined,
  because,
  atDeletion,
  rows: nothing,
  keys: nothing,
});
