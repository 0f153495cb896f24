import * as z from 'zod/mini';
import type { DueRule } from './schedule.ts';

/**
 * Every entity with every key and index; those of the AI gateway, of billing, of events and of webhooks have pages of their own
 * beside this one.
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
  /** Returns the time at which the table may delete the item, in epoch seconds. */
  expiresAtEpoch?(item: T): number;
}

export interface Entity<T, K, Q extends string = string> extends Definition<T, K, Q> {
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
  return {
    ...definition,
    parse: (item) => {
      schema ??= definition.schema();
      return schema.parse(item);
    },
  };
}

export const DAY = 86_400;
export const epoch = (iso: string) => Math.floor(Date.parse(iso) / 1000);

export interface AccountScopedId {
  accountId: string;
  id: string;
}

/** Schema of an encrypted text (providers/encryption): AES-256-GCM under a data key that KMS wraps. */
export const sealed = () => z.object({ wrappedKey: z.string(), iv: z.string(), ciphertext: z.string() });
