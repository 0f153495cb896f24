import * as z from 'zod/mini';
import { bringForward, type Migration } from './migrations/migration.ts';
import type { DueRule } from './schedule.ts';

type Stored = Record<string, unknown>;

/**
 * The definition of an entity: the schema of its items, their key, and their attributes in the indexes of the table. The entities are
 * in `table/entities/`, by area.
 *
 * | index | keys              | projection | for                                                       |
 * | ----- | ----------------- | ---------- | --------------------------------------------------------- |
 * | table | pk, sk            |            | one item by id; the account first, so that others get 404 |
 * | list  | listPk, listSk    | ALL        | a page of a list, newest first (ids sort by time)         |
 * | order | listPk, listSk    | KEYS_ONLY  | skipping to an offset without reading whole items         |
 * | due   | duePk, dueAt      | KEYS_ONLY  | items with scheduled work, found by sweeps                |
 */
interface Definition<T, K, Q extends string> {
  type: string;
  /** Built when first needed, so that a function pays only for the entities that it uses. */
  schema: () => z.ZodMiniType<T>;
  key(id: K): { pk: string; sk: string };
  /** Returns the item's attributes in the list index. */
  list?(item: T): { listPk: string; listSk: string } | undefined;
  /** The due queues of items with scheduled work. */
  due?: DueRule<T, Q>;
  /** The migrations of its items, oldest first. Each is in `table/migrations/migrations.ts` too. */
  migrations?: readonly Migration[];
  /** Returns the time at which the table may delete the item, in epoch seconds. */
  expiresAtEpoch?(item: T): number;
}

export interface Entity<T, K, Q extends string = string> extends Definition<T, K, Q> {
  /** The version of the items that it writes: 1 plus the number of migrations. */
  version: number;
  /** Returns the names of the fields that items may have. */
  fields(): readonly string[];
  /** Parses an item on read, without the attributes that the table adds (keys and index attributes). */
  parse(item: unknown): T;
}

/** The type of an entity's items. */
export type ItemOf<E> = E extends { parse(item: unknown): infer T } ? T : never;

/**
 * Defines an entity. Calls are marked `@__PURE__`, so that a bundle leaves out the entities that it does not use.
 */
export function entity<T, K, Q extends string = never>(definition: Definition<T, K, Q>): Entity<T, K, Q> {
  let schema: z.ZodMiniType<T> | undefined;
  const { migrations = [] } = definition;
  const version = migrations.length + 1;
  const schemaOf = () => {
    schema ??= definition.schema();
    return schema;
  };
  return {
    ...definition,
    fields: () => Object.keys((schemaOf() as unknown as z.ZodMiniObject)._zod.def.shape),
    version,
    parse: (item) => schemaOf().parse(migrations.length > 0 ? bringForward(migrations, item as Stored) : item),
  };
}

/**
 * The schema of an object nested in an item. It keeps unknown fields, because a newer version of the platform may have written them and
 * this version writes such an object as a whole (docs/decisions/0050-mixed-versions.md). Its type has only the named fields. Unknown
 * fields of the item itself are dropped on read and not touched by writes.
 */
export const object = <S extends z.core.$ZodLooseShape>(shape: S) =>
  z.looseObject(shape) as unknown as z.ZodMiniObject<{ -readonly [K in keyof S]: S[K] }, z.core.$strip>;

/**
 * The schema of a value from a set. It accepts values outside the set, because a newer version may have written them. Code compares a
 * value with those that it knows, and must handle others.
 */
export const oneOf = <const V extends readonly string[]>(values: V) =>
  Object.assign(z.string(), { values }) as unknown as z.ZodMiniType<V[number]> & { values: V };

/** The schema of a record whose keys are from a set. It accepts other keys, with values of the same shape. */
export const partialRecord = <const V extends readonly string[], T>(values: V, value: z.ZodMiniType<T>) =>
  Object.assign(z.record(z.string(), value), { values }) as unknown as z.ZodMiniType<{ [K in V[number]]?: T }>;

export const DAY = 86_400;
/** Returns a time as whole epoch seconds. @param time ISO 8601 or a date */
export const epoch = (time: string | Date): number => Math.floor(new Date(time).getTime() / 1000);

export interface AccountScopedId {
  accountId: string;
  id: string;
}

/** The schema of an encrypted text (providers/encryption): AES-256-GCM with a data key that KMS wraps. */
export const sealed = () => object({ wrappedKey: z.string(), iv: z.string(), ciphertext: z.string() });
