import * as z from 'zod/mini';
import { DNS_PROVIDERS, DNS_TYPES, DOMAIN_STATUSES, DOMAIN_TASKS } from '../../contract/enums.ts';
import { entity, type ItemOf, type OfAccount } from '../entities.ts';
import { joinKey as key } from '../keys.ts';

/** The extensions on sale and their prices, where operators have changed them (domain/registrar/tlds.ts reads it). */
export const DomainOffer = entity({
  type: 'DOMAIN_OFFER',
  schema: () => z.object({ offer: z.unknown(), changedAt: z.string() }),
  key: (_: object) => ({ pk: 'DOMAIN_OFFER', sk: 'DOMAIN_OFFER' }),
});

/** A name belongs to the one domain that has this item, from its order until it is let go of. */
export type DomainName = ItemOf<typeof DomainName>;
export const DomainName = entity({
  type: 'DOMAIN_NAME',
  schema: () => z.object({ name: z.string(), accountId: z.string(), domainId: z.string() }),
  key: ({ name }: { name: string }) => ({ pk: key('DOMAIN_NAME', name), sk: 'DOMAIN_NAME' }),
});

/** The list of an account's domains. */
export const domainsOf = (accountId: string) => key('ACCOUNT', accountId, 'DOMAINS');

export type Domain = ItemOf<typeof Domain>;
export const Domain = entity({
  type: 'DOMAIN',
  schema: () =>
    z.object({
      id: z.string(),
      accountId: z.string(),
      name: z.string(),
      tld: z.string(),
      status: z.enum(DOMAIN_STATUSES),
      autoRenew: z.boolean(),
      registeredAt: z.nullable(z.string()),
      /** The end of what is paid for. The registry's own term may end earlier and is renewed until then. */
      expiresAt: z.nullable(z.string()),
      nameservers: z.array(z.string()),
      dnsProvider: z.enum(DNS_PROVIDERS),
      owner: z.object({
        name: z.string(),
        email: z.string(),
        contactNumber: z.string(),
        address1: z.string(),
        city: z.string(),
        province: z.string(),
        postalCode: z.string(),
        country: z.string(),
      }),
      /** What was ordered, and how much of it the registry sells at once. */
      years: z.int(),
      yearsAtOnce: z.int(),
      privacy: z.boolean(),
      /** The order's invoice; of a domain that was brought along there is none. */
      invoiceId: z.optional(z.string()),
      /** The end of the registry's own term. */
      registryExpiresAt: z.optional(z.string()),
      /** What the registrar is being asked to do; one thing at a time. */
      task: z.optional(
        z.object({
          kind: z.enum(DOMAIN_TASKS),
          years: z.int(),
          /** The invoice that pays for it: refunded if the registrar refuses. */
          invoiceId: z.optional(z.string()),
          since: z.string(),
          /** The execution that does it. */
          execution: z.string(),
          operationId: z.optional(z.string()),
        }),
      ),
      /** The invoice for the next term, once it is issued. */
      renewal: z.optional(z.object({ invoiceId: z.string(), years: z.int(), paid: z.optional(z.boolean()) })),
      /** When something is to be done about it: see that a task goes on, renew, let go. */
      lookAt: z.optional(z.string()),
      createdAt: z.string(),
    }),
  key: ({ accountId, id }: OfAccount) => ({ pk: key('ACCOUNT', accountId), sk: key('DOMAIN', id) }),
  list: (item) => ({ listPk: domainsOf(item.accountId), listSk: item.id }),
  due: (item) => (item.lookAt ? lookingAt(item.lookAt) : undefined),
});

/** The index attributes of a domain that is looked at then. */
export const lookingAt = (at: string) => ({ duePk: 'DOMAIN', dueAt: at });

/** A domain whose DNS is ours: how far its records have come, and how far the name servers know them. */
export type Zone = ItemOf<typeof Zone>;
export const Zone = entity({
  type: 'ZONE',
  schema: () =>
    z.object({
      accountId: z.string(),
      domainId: z.string(),
      name: z.string(),
      /** Counts changes of the records: of two racing ones exactly one wins. */
      version: z.int(),
      /** The version that the name servers have. */
      mirrored: z.int(),
      /** Where they have it; absent until the domain is registered. */
      hostedZoneId: z.optional(z.string()),
      /** Names that lead where another name does, unless their owner's own records say otherwise: name → other name. */
      aliases: z.optional(z.record(z.string(), z.string())),
      /** Who is bringing the name servers up to date, until when at most (epoch milliseconds). */
      lease: z.optional(z.object({ holder: z.string(), until: z.int() })),
      /** Of one that is new: when it must have been mirrored. */
      mirrorBy: z.optional(z.string()),
    }),
  key: ({ accountId, domainId }: { accountId: string; domainId: string }) => ({
    pk: key('ACCOUNT', accountId),
    sk: key('ZONE', domainId),
  }),
  due: ({ mirrorBy }) => (mirrorBy ? { duePk: 'ZONE', dueAt: mirrorBy } : undefined),
});

/** A zone that has changed and is not mirrored by this time is put on its way again, in milliseconds. */
const MIRROR_GRACE = 60_000;
export const mirrorOverdue = (now: Date) => ({
  duePk: 'ZONE',
  dueAt: new Date(now.getTime() + MIRROR_GRACE).toISOString(),
});

/** The partition of a domain's records: all are read at once, consistently. */
export const recordsOf = (domainId: string) => key('DOMAIN', domainId, 'RECORDS');

export type DnsRecord = ItemOf<typeof DnsRecord>;
export const DnsRecord = entity({
  type: 'DNS_RECORD',
  schema: () =>
    z.object({
      id: z.string(),
      domainId: z.string(),
      type: z.enum(DNS_TYPES),
      /** Relative to the domain; empty for the domain itself. */
      name: z.string(),
      content: z.string(),
      ttl: z.int(),
      /** 0 where the type has none. */
      prio: z.int(),
      createdAt: z.string(),
    }),
  key: ({ domainId, id }: { domainId: string; id: string }) => ({ pk: recordsOf(domainId), sk: id }),
});
