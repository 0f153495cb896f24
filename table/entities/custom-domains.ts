import * as z from 'zod/mini';
import { CERTIFICATE_STATUSES } from '../../contract/enums.ts';
import { entity, type ItemOf, oneOf } from '../entity.ts';
import { joinKey as key } from '../keys.ts';

/**
 * An account's unverified claim of a host name. It excludes other applications of the account, but no other account. The first account
 * that verifies its claim gets the host name.
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
 * The distribution tenant of a verified domain, with its certificate. The item exists from the verification until the last part of the
 * tenant is removed. The ownership of the host name ends together with it, not earlier.
 */
export type DistributionTenant = ItemOf<typeof DistributionTenant>;
export const DistributionTenant = /* @__PURE__ */ entity({
  type: 'DOOR',
  schema: () =>
    z.object({
      host: z.string(),
      accountId: z.string(),
      applicationId: z.string(),
      /** The token of the claim, which is part of the tenant's name. */
      token: z.string(),
      /** The cell whose edge has the tenant; absent for the home cell. */
      cellId: z.optional(z.string()),
      status: oneOf([...CERTIFICATE_STATUSES, 'CLOSING']),
      /** The time of the last change of the status. */
      since: z.string(),
      problem: z.nullable(z.string()),
      /** True if the host name is a zone apex, as of the last DNS lookup. */
      apex: z.boolean(),
      /** The number of requested certificates, of which those before the last one that served the domain do not count. */
      certificates: z.int(),
      checkedAt: z.nullable(z.string()),
      /** The time since which its certificate cannot be issued or renewed; absent otherwise. Setting it notifies the account. */
      troubledSince: z.optional(z.string()),
      /** The time at which the owner last requested a check. */
      askedAt: z.optional(z.string()),
      /** The end of the create lease, during which only one execution may create the tenant. */
      createLeaseUntil: z.optional(z.string()),
      /** True if the ownership of the host name is verified every week; absent for older tenants. */
      reverified: z.optional(z.boolean()),
      /** The time of the next check by the reconciler. */
      dueAt: z.string(),
      /** The version of the item, so that only one of two concurrent changes succeeds. */
      version: z.int(),
    }),
  key: ({ host }: { host: string }) => ({ pk: key('HOST', host), sk: 'DOOR' }),
  due: { queues: ['DOOR'] },
});
