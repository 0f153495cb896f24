import * as z from 'zod/mini';
import { CERTIFICATE_STATUSES } from '../../contract/enums.ts';
import { entity, type ItemOf } from '../entities.ts';
import { joinKey as key } from '../keys.ts';

/**
 * Where the visitors of a proven domain come in: its tenant at the edge and the certificate. From its proof until nothing of
 * it is left; the claim of the host ends with it, and not before.
 */
export type Door = ItemOf<typeof Door>;
export const Door = entity({
  type: 'DOOR',
  schema: () =>
    z.object({
      host: z.string(),
      accountId: z.string(),
      applicationId: z.string(),
      /** The claim's; its tenant is named after it. */
      token: z.string(),
      status: z.enum([...CERTIFICATE_STATUSES, 'CLOSING']),
      /** When it came to be that. */
      since: z.string(),
      problem: z.nullable(z.string()),
      /** Whether the host is the top of a zone, as far as anybody has looked. */
      apex: z.boolean(),
      /** How many certificates were asked for: what an account may ask for in a year is limited. */
      certificates: z.int(),
      checkedAt: z.nullable(z.string()),
      /** When its owner asked for a look last. */
      askedAt: z.optional(z.string()),
      /** Until then somebody may be making the tenant: nobody else does, and nobody believes that there is none. */
      makingUntil: z.optional(z.string()),
      /** When the reconciler looks. */
      lookAt: z.string(),
      /** Counts changes: of two racing ones exactly one wins. */
      version: z.int(),
    }),
  key: ({ host }: { host: string }) => ({ pk: key('HOST', host), sk: 'DOOR' }),
  due: ({ lookAt }) => ({ duePk: 'DOOR', dueAt: lookAt }),
});
