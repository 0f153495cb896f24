import * as z from 'zod/mini';
import { entity, type ItemOf, object } from '../entity.ts';

/** The switches that are off, by `<switch>` or `<switch>:<target>`, and the feature flags. They are one item, which every function caches. */
export type SwitchState = ItemOf<typeof SwitchState>;
export const SwitchState = /* @__PURE__ */ entity({
  type: 'SWITCH_STATE',
  schema: () =>
    z.object({
      off: z.record(z.string(), object({ message: z.string(), since: z.string() })),
      /** Operators' settings of feature flags by name: the percentage of accounts, individual accounts, and another owner or end. */
      flags: z.optional(
        z.record(
          z.string(),
          object({
            share: z.optional(z.number()),
            accounts: z.record(z.string(), z.boolean()),
            owner: z.optional(z.string()),
            ends: z.optional(z.string()),
          }),
        ),
      ),
      /** The version of the item. A write requires the version that it read. */
      version: z.int(),
    }),
  key: (_: object) => ({ pk: 'SWITCH_STATE', sk: 'SWITCH_STATE' }),
});
