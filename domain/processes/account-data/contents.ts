import type { Entity } from '../../../table/entity.ts';
import type { ItemKey, Table } from '../../../table/table.ts';
import type { Positioned, Reader } from './item-readers.ts';

/** Reasons why an export omits a field or an entity. */
export const NOT_EXPORTED = {
  secret: 'a secret, or a key to one: an archive may fall into other hands',
  internal: 'internal state of the platform that says nothing about the customer',
  elsewhere: 'included in another file of the archive',
  platform: 'belongs to the platform or to all accounts',
  brief: 'expires within days and says nothing about the customer',
} as const;
export type NotExported = keyof typeof NOT_EXPORTED;

/**
 * The effect of an account's deletion on the items of an entity:
 * - `removed`: the deletion removes them, including items in the account's own partition that no reader returns
 * - `part`: the deletion removes them together with the item that they belong to
 * - `teardown`: the processes remove them that also run when a customer deletes the resource
 * - `tax`: the table deletes them after the number of years for which the law requires records
 * - `expires`: the table deletes them at their regular expiry
 * - `stays`: they are not data of the account
 */
export type AtDeletion = 'removed' | 'part' | 'teardown' | 'tax' | 'expires' | 'stays';

/** The items of one entity in an account: their export, and the effect of the account's deletion on them. */
export interface Contents {
  /** The entity's type. */
  type: string;
  /** The exported fields of the entity; empty if the entity is not exported. */
  shows: readonly string[];
  /** The other fields, with the reason why each is omitted. Empty if the entity is not exported. */
  omits: Readonly<Record<string, NotExported>>;
  /** Name of the entity's folder in the archive; undefined if the entity is not exported. */
  file: string | undefined;
  /** The reason why the entity is not exported; undefined if it is exported. */
  omittedBecause: NotExported | undefined;
  atDeletion: AtDeletion;
  /** Reads the items as the export shows them. */
  readRows(table: Table, accountId: string, after?: string): AsyncIterable<Positioned<object>>;
  /** Reads the table keys of the items. The keys of an item's parts come before its own key. */
  readKeys(table: Table, accountId: string, after?: string): AsyncIterable<Positioned<ItemKey[]>>;
}

interface Exported<T> {
  file: string;
  shows: readonly (keyof T & string)[];
  omits?: Partial<Record<keyof T & string, NotExported>>;
  /** Returns an item as the export shows it. By default, the fields in `shows`. */
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
 * Defines the export and deletion of an entity's items in an account.
 * @param exported the exported fields, or the reason why the entity is not exported
 * @param partsOf returns the keys of the items that belong to an item and are removed with it
 */
export function defineContents<T extends K & object, K>(
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
    omittedBecause: isExported ? undefined : exported,
    async *readRows(table, accountId, after) {
      for await (const [position, item] of read(table, accountId, after)) yield [position, view(item)];
    },
    async *readKeys(table, accountId, after) {
      for await (const [position, item] of read(table, accountId, after))
        yield [position, [...partsOf(item), key(item)]];
    },
  };
}

async function* readNothing(): AsyncGenerator<never> {}

/** Defines an entity whose items are not read for an account, because no list contains them or because they are not the account's. */
export const defineUnread = (
  { type }: { type: string },
  atDeletion: Exclude<AtDeletion, 'tax'>,
  omittedBecause: NotExported,
): Contents => ({
  type,
  shows: [],
  omits: {},
  file: undefined,
  omittedBecause,
  atDeletion,
  readRows: readNothing,
  readKeys: readNothing,
});
