import * as z from 'zod/mini';
import { PANEL_STATUSES } from '../../contract/enums.ts';
import { type AccountScopedId, DAY, entity, epoch, type ItemOf, oneOf, sealed } from '../entity.ts';
import { joinKey as key, nameListKeys } from '../keys.ts';

/** The partition of all hosting servers. */
export const HOSTING_SERVERS = key('HOSTING_SERVERS');

/** A server for web and email hosting. Operators register and change servers without a deployment. */
export type HostingServer = ItemOf<typeof HostingServer>;
export const HostingServer = /* @__PURE__ */ entity({
  type: 'HOSTING_SERVER',
  schema: () =>
    z.object({
      name: z.string(),
      /** The base URL of its panel, without a trailing slash. */
      baseUrl: z.string(),
      /** The IPv4 address of its websites, and the host name of its mail server, to which hosted domains point; absent if unknown. */
      address: z.optional(z.string()),
      mailHost: z.optional(z.string()),
      /** The platform's user on the server, and that user's API token. */
      user: z.string(),
      token: sealed(),
      /** True if the server accepts new accounts. */
      open: z.boolean(),
    }),
  key: ({ name }: { name: string }) => ({ pk: HOSTING_SERVERS, sk: name }),
});

/** The list of hosted domains that end in the same two labels as a domain, sorted by their reversed names. */
export const hostedDomainsNear = (domain: string) => nameListKeys('HOSTED', domain);

/** A hosted domain, and the only account that may host it. */
export type HostingDomain = ItemOf<typeof HostingDomain>;
export const HostingDomain = /* @__PURE__ */ entity({
  type: 'HOSTING_DOMAIN',
  schema: () =>
    z.object({
      domain: z.string(),
      accountId: z.string(),
      /** The account's newest subscription for it. */
      subscriptionId: z.string(),
      /** The time at which the account proved that it owns the domain. While it is absent, any account that proves it gets the domain. */
      provenAt: z.optional(z.string()),
      /** The time at which the proof was first found missing, within the grace period. */
      unprovenSince: z.optional(z.string()),
      problem: z.optional(z.string()),
      checkedAt: z.string(),
    }),
  key: ({ domain }: { domain: string }) => ({ pk: key('HOSTING_DOMAIN', domain), sk: 'HOSTING_DOMAIN' }),
  list: ({ domain }) => hostedDomainsNear(domain),
});

/** The number of days for which a proven domain stays reserved for its last account after its hosting ends, as its DNS may still point to the server. */
export const RESERVED_DAYS = 90;

/** A domain whose hosting ended while it was proven, and the account that hosted it last. */
export const FormerHostingDomain = /* @__PURE__ */ entity({
  type: 'FORMER_HOSTING_DOMAIN',
  schema: () => z.object({ domain: z.string(), accountId: z.string(), createdAt: z.string() }),
  key: ({ domain }: { domain: string }) => ({ pk: key('HOSTING_DOMAIN', domain), sk: 'FORMER' }),
  expiresAtEpoch: ({ createdAt }) => epoch(createdAt) + RESERVED_DAYS * DAY,
});

/** The account of a hosting subscription on its server. Its id is the subscription's. */
export type HostingAccount = ItemOf<typeof HostingAccount>;
export const HostingAccount = /* @__PURE__ */ entity({
  type: 'HOSTING_ACCOUNT',
  schema: () =>
    z.object({
      accountId: z.string(),
      id: z.string(),
      /** The name of its server; empty until one is chosen. */
      server: z.string(),
      /** Its user name on the server. */
      username: z.string(),
      /** The status that the server last reported. */
      status: oneOf(PANEL_STATUSES),
      /** LOCAL if the server accepts mail for its domain, which must be proven. Absent for older accounts. */
      mail: z.optional(oneOf(['LOCAL', 'REMOTE'])),
      /** The number of times that another subscription adopted this account. A removal requires the number that it read. */
      adoptions: z.optional(z.int()),
      /** The time at which its removal was decided. The decision is final, and no subscription adopts it from then on. */
      removing: z.optional(z.string()),
      /** The time until which the server may still create it, after a check requested that. It stays set afterwards. */
      creatingUntil: z.optional(z.string()),
      /** The number of consecutive failed checks, and the problem of the last one. */
      failures: z.int(),
      problem: z.optional(z.string()),
      /** The time of the next comparison with its subscription; absent once it is removed. */
      dueAt: z.optional(z.string()),
    }),
  key: ({ accountId, id }: AccountScopedId) => ({ pk: key('ACCOUNT', accountId), sk: key('HOSTING', id) }),
  due: { queues: ['HOSTING'] },
});
