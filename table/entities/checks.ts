import * as z from 'zod/mini';
import { entity, type ItemOf, object, sealed } from '../entity.ts';

/** The account and resources of the synthetic checks, and the work of one run that the next run evaluates (domain/processes/checks.ts). */
export type Checks = ItemOf<typeof Checks>;
export const Checks = /* @__PURE__ */ entity({
  type: 'CHECKS',
  schema: () =>
    z.object({
      accountId: z.string(),
      secretKey: sealed(),
      applicationId: z.optional(z.string()),
      /** The host name of the application. */
      host: z.optional(z.string()),
      webhookId: z.optional(z.string()),
      /** A ping whose delivery the checks have not seen yet. */
      ping: z.optional(object({ eventId: z.string(), at: z.string() })),
      /** A deployment whose end the checks have not seen yet. */
      deployment: z.optional(object({ id: z.string(), at: z.string() })),
    }),
  key: (_: object) => ({ pk: 'CHECKS', sk: 'CHECKS' }),
});
