import * as z from 'zod/mini';
import { PANEL_STATUSES } from '../../contract/enums.ts';
import { type AccountScopedId, DAY, entity, epoch, type ItemOf, oneOf, sealed } from '../entity.ts';
import { joinKey as key, nameListKeys } from '../keys.ts';

/** The partition of all hosting servers. */
export const HOSTING_SERVERS = key('HOSTING_SERVERS');

/** A server that web and email hosting lives on: operators' data, changed without a deployment. */
export type HostingServer = ItemOf<typeof HostingServer>;
export const HostingServer = /* @__PURE__ */ entity({
  type: 'HOSTING_SERVER',
  schema: () =>
    z.object({
      name: z.string(),
      /** Its panel's, without a slash at the end. */
      baseUrl: z.string(),
      /** The IPv4 address of its websites, and the name of its mail server, to which hosted domains point; unknown where not given. */
      address: z.optional(z.string()),
      mailHost: z.optional(z.string()),
      /** The platform's user on the server, and that user's API token. */
      user: z.string(),
      token: sealed(),
      /** True when new accounts may be placed on the server. */
      open: z.boolean(),
    }),
  key: ({ name }: { name: string }) => ({ pk: HOSTING_SERVERS, sk: name }),
});

/** The list of hosted domains that end in the same two labels as a domain, by their reversed names. */
export const hostedDomainsNear = (domain: string) => nameListKeys('HOSTED', domain);

/** A domain that is hosted, and the one account that may host it. */
export type HostingDomain = ItemOf<typeof HostingDomain>;
export const HostingDomain = /* @__PURE__ */ entity({
  type: 'HOSTING_DOMAIN',
  schema: () =>
    z.object({
      domain: z.string(),
      accountId: z.string(),
      /** The account's newest subscription for it. */
      subscriptionId: z.string(),
      /** Time at which the account proved that it owns the domain. Absent until then: the first one that proves it has it. */
      provenAt: z.optional(z.string()),
      /** Time at which the proof was first found missing, within the grace period. */
      unprovenSince: z.optional(z.string()),
      problem: z.optional(z.string()),
      checkedAt: z.string(),
    }),
  key: ({ domain }: { domain: string }) => ({ pk: key('HOSTING_DOMAIN', domain), sk: 'HOSTING_DOMAIN' }),
  list: ({ domain }) => hostedDomainsNear(domain),
});

/** Days for which a proven domain stays its last account's after its hosting has ended: its DNS may point to the server still. */
export const RESERVED_DAYS = 90;

/** A domain whose hosting ended while it was proven, and the account that hosted it until then. */
export const FormerHostingDomain = /* @__PURE__ */ entity({
  type: 'FORMER_HOSTING_DOMAIN',
  schema: () => z.object({ domain: z.string(), accountId: z.string(), createdAt: z.string() }),
  key: ({ domain }: { domain: string }) => ({ pk: key('HOSTING_DOMAIN', domain), sk: 'FORMER' }),
  expiresAtEpoch: ({ createdAt }) => epoch(createdAt) + RESERVED_DAYS * DAY,
});

/** The account of a hosting subscription on its server; its id is the subscription's. */
export type HostingAccount = ItemOf<typeof HostingAccount>;
export const HostingAccount = /* @__PURE__ */ entity({
  type: 'HOSTING_ACCOUNT',
  schema: () =>
    z.object({
      accountId: z.string(),
      id: z.string(),
      /** Empty until one is chosen. */
      server: z.string(),
      /** Its name on the server. */
      username: z.string(),
      /** Its state there when we last heard of it. */
      status: oneOf(PANEL_STATUSES),
      /** The server's treatment of mail for its domain: only a proven domain's is accepted. Absent for accounts of before. */
      mail: z.optional(oneOf(['LOCAL', 'REMOTE'])),
      /** Number of times that another subscription took this account over as its own: a removal is decided on what was read. */
      adoptions: z.optional(z.int()),
      /** Time at which its removal was decided, which no check takes back: no subscription adopts it from then on. */
      removing: z.optional(z.string()),
      /** Time until which the server may make it after a check asked for that. Not removed afterwards. */
      creatingUntil: z.optional(z.string()),
      /** Checks in a row that came to nothing, and what the last one said. */
      failures: z.int(),
      problem: z.optional(z.string()),
      /** The next comparison with its subscription; none once it is removed. */
      dueAt: z.optional(z.string()),
    }),
  key: ({ accountId, id }: AccountScopedId) => ({ pk: key('ACCOUNT', accountId), sk: key('HOSTING', id) }),
  due: { queues: ['HOSTING'] },
});
