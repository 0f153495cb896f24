import * as z from 'zod/mini';
import { entity, type ItemOf, object } from '../entity.ts';

/** The platform's use of AWS quotas, as last measured (domain/operator/quotas.ts). */
export type Quotas = ItemOf<typeof Quotas>;
export const Quotas = /* @__PURE__ */ entity({
  type: 'QUOTAS',
  schema: () =>
    z.object({
      /** The time of the last attempt to measure them all. */
      attemptedAt: z.string(),
      uses: z.array(
        object({
          /** The name of the limit in contract/limits/aws-limits.ts. */
          quota: z.string(),
          cellId: z.string(),
          region: z.string(),
          /** Absent, like `limit` and `measuredAt`, for a quota that was never measured. */
          used: z.optional(z.number()),
          limit: z.optional(z.number()),
          measuredAt: z.optional(z.string()),
        }),
      ),
    }),
  key: (_: object) => ({ pk: 'QUOTAS', sk: 'QUOTAS' }),
});
