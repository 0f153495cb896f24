import * as z from 'zod/mini';
import { CERTIFICATE_STATUSES } from '../../contract/enums.ts';
import { entity, type ItemOf, oneOf } from '../entity.ts';
import { joinKey as key } from '../keys.ts';

/**
 * An account's unverified claim of a host. It excludes the account's other applications and no other account; the account
 * that verifies it first has the host.
 */
export type HostClaim = ItemOf<typeof HostClaim>;
export const HostClaim = /* @__PURE__ */ entity({
  type: 'HOST_CLAIM',
  schema: () => z.object({ host: z.string(), accountId: z.string(), applicationId: z.string() }),
  key: ({ host, accountId }: { host: string; accountId: string }) => ({
    pk: key('HOST', host),
    sk: key('HOST_CLAIM', accountId),
  }),
});

/**
 * The distribution tenant of a verified domain, with its certificate. It exists from the verification until its last
 * part is removed; the claim of the host ends with it, not earlier.
 */
export type DistributionTenant = ItemOf<typeof DistributionTenant>;
export const DistributionTenant = /* @__PURE__ */ entity({
  type: 'DOOR',
  schema: () =>
    z.object({
      host: z.string(),
      accountId: z.string(),
      applicationId: z.string(),
      /** The claim's; its tenant is named after it. */
      token: z.string(),
      /** The cell whose edge has the tenant; absent for the home cell. */
      cellId: z.optional(z.string()),
      status: oneOf([...CERTIFICATE_STATUSES, 'CLOSING']),
      /** Time at which the status last changed. */
      since: z.string(),
      problem: z.nullable(z.string()),
      /** True when the host is a zone apex, as of the last DNS lookup. */
      apex: z.boolean(),
      /** Number of certificates requested; an account has a yearly limit. */
      certificates: z.int(),
      checkedAt: z.nullable(z.string()),
      /** Since when its certificate cannot be issued or renewed; absent while all is well. Setting it notifies the account. */
      troubledSince: z.optional(z.string()),
      /** Time at which the owner last requested a check. */
      askedAt: z.optional(z.string()),
      /** End of the create lease: until then one execution may be creating the tenant, and no other does. */
      createLeaseUntil: z.optional(z.string()),
      /** True when the host's ownership is verified every week; absent for tenants of before. */
      reverified: z.optional(z.boolean()),
      /** The next check by the reconciler. */
      dueAt: z.string(),
      /** Counts changes: of two racing ones exactly one wins. */
      version: z.int(),
    }),
  key: ({ host }: { host: string }) => ({ pk: key('HOST', host), sk: 'DOOR' }),
  due: { queues: ['DOOR'] },
});
