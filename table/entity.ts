import * as z from 'zod/mini';
import { bringForward, type Migration } from './migrations/migration.ts';
import type { DueRule } from './schedule.ts';

type Stored = Record<string, unknown>;

/**
 * The definition of an entity: what an item is made of, its key, and its places in the indexes of the table. The entities are in
 * `table/entities/`, by area.
 *
 * | index | keys              | projection | for                                                       |
 * | ----- | ----------------- | ---------- | --------------------------------------------------------- |
 * | table | pk, sk            |            | one item by id; account first, so others' items are a 404 |
 * | list  | listPk, listSk    | ALL        | a page of a list, newest first (ids sort by time)         |
 * | order | listPk, listSk    | KEYS_ONLY  | skipping to an offset without reading whole items         |
 * | due   | duePk, dueAt      | KEYS_ONLY  | whatever must happen by a time, found by the reconciler   |
 */
interface Definition<T, K, Q extends string> {
  type: string;
  /** Built when first needed: a function pays for the entities that it uses. */
  schema: () => z.ZodMiniType<T>;
  key(of: K): { pk: string; sk: string };
  /** Returns the item's place in a list index. */
  list?(item: T): { listPk: string; listSk: string } | undefined;
  /** The due queues that it stands in while something must happen to it by a time. */
  due?: DueRule<T, Q>;
  /** Steps that brought its items to their present form, oldest first; each is in `table/migrations/migrations.ts` too. */
  migrations?: readonly Migration[];
  /** Returns the time at which the table may delete the item, in epoch seconds. */
  expiresAtEpoch?(item: T): number;
}

export interface Entity<T, K, Q extends string = string> extends Definition<T, K, Q> {
  /** The version of the items that it writes: 1, and one more with each migration. */
  version: number;
  /** Returns the names of the fields that items may have. */
  fields(): readonly string[];
  /** Every item is parsed on read; what the table adds (keys, index attributes) is left out. */
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
 * Schema of an object inside an item. Fields that it does not name are kept: a newer version of the platform may have written
 * them, and this version writes such an object as a whole (docs/decisions/0050-mixed-versions.md). Types see the named fields
 * only. Of an item itself, unknown fields are left out on read and left alone by writes.
 */
export const object = <S extends z.core.$ZodLooseShape>(shape: S) =>
  z.looseObject(shape) as unknown as z.ZodMiniObject<{ -readonly [K in keyof S]: S[K] }, z.core.$strip>;

/**
 * Schema of a value out of a set. A text that is not in the set passes: a newer version may have written it. Code compares with
 * the values that it knows, and has a way for the others.
 */
export const oneOf = <const V extends readonly string[]>(values: V) =>
  Object.assign(z.string(), { values }) as unknown as z.ZodMiniType<V[number]> & { values: V };

/** Schema of a record whose keys are out of a set. Other keys pass, with values of the same shape. */
export const partialRecord = <const V extends readonly string[], T>(values: V, value: z.ZodMiniType<T>) =>
  Object.assign(z.record(z.string(), value), { values }) as unknown as z.ZodMiniType<{ [K in V[number]]?: T }>;

export const DAY = 86_400;
export const epoch = (iso: string) => Math.floor(Date.parse(iso) / 1000);

export interface AccountScopedId {
  accountId: string;
  id: string;
}

/** Schema of an encrypted text (providers/encryption): AES-256-GCM under a data key that KMS wraps. */
export const sealed = () => object({ wrappedKey: z.string(), iv: z.string(), ciphertext: z.string() });
