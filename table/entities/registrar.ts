import * as z from 'zod/mini';
import { DNS_PROVIDERS, DOMAIN_STATUSES, DOMAIN_TASKS, OPEN_VERIFICATIONS } from '../../contract/enums.ts';
import { type AccountScopedId, entity, type ItemOf, object, oneOf } from '../entity.ts';
import { joinKey as key } from '../keys.ts';

/** The extensions on sale and their prices, where operators have changed them (domain/registrar/tlds.ts reads it). */
export const DomainOffer = /* @__PURE__ */ entity({
  type: 'DOMAIN_OFFER',
  schema: () => z.object({ offer: z.unknown(), changedAt: z.string() }),
  key: (_: object) => ({ pk: 'DOMAIN_OFFER', sk: 'DOMAIN_OFFER' }),
});

/** A name belongs to the one domain that has this item, from its order until it is released. */
export type DomainName = ItemOf<typeof DomainName>;
export const DomainName = /* @__PURE__ */ entity({
  type: 'DOMAIN_NAME',
  schema: () => z.object({ name: z.string(), accountId: z.string(), domainId: z.string() }),
  key: ({ name }: { name: string }) => ({ pk: key('DOMAIN_NAME', name), sk: 'DOMAIN_NAME' }),
});

/** The list of an account's domains. */
export const domainsOf = (accountId: string) => key('ACCOUNT', accountId, 'DOMAINS');

/**
 * Reasons for which a domain will expire: it is not set to renew, its renewal is not paid, or it cannot be renewed because its
 * extension is no longer sold, or the account will be deleted.
 */
export const EXPIRY_REASONS = ['NO_AUTO_RENEW', 'UNPAID', 'NOT_RENEWABLE'] as const;

export type Domain = ItemOf<typeof Domain>;
export const Domain = /* @__PURE__ */ entity({
  type: 'DOMAIN',
  schema: () =>
    z.object({
      id: z.string(),
      accountId: z.string(),
      name: z.string(),
      tld: z.string(),
      status: oneOf(DOMAIN_STATUSES),
      autoRenew: z.boolean(),
      registeredAt: z.nullable(z.string()),
      /** The end of what is paid for. The registry's own term may end earlier and is renewed until then. */
      expiresAt: z.nullable(z.string()),
      nameservers: z.array(z.string()),
      dnsProvider: oneOf(DNS_PROVIDERS),
      owner: object({
        name: z.string(),
        email: z.string(),
        contactNumber: z.string(),
        address1: z.string(),
        city: z.string(),
        province: z.string(),
        postalCode: z.string(),
        country: z.string(),
      }),
      /** The order's term, and the years that the registry sells at once. */
      years: z.int(),
      yearsAtOnce: z.int(),
      privacy: z.boolean(),
      /** The order's invoice; of a domain that was brought along there is none. */
      invoiceId: z.optional(z.string()),
      /** The end of the registry's own term. */
      registryExpiresAt: z.optional(z.string()),
      /** Time at which the registrar last said that it has the domain; absent until it was asked (domain/registrar/confirmation.ts). */
      confirmedAt: z.optional(z.string()),
      /** Time at which the registrar first said that it has the domain no more. Of an ended domain: why it ended. */
      absentSince: z.optional(z.string()),
      /** The last request to change its name servers at the registry, which may refuse it later; absent once the registry has them. */
      delegation: z.optional(
        object({
          askedAt: z.string(),
          /** The name servers that the registry has instead, as it last said. */
          present: z.optional(z.array(z.string())),
          /** True once they were requested again: if the registry still has others then, operators are told. */
          repeated: z.optional(z.boolean()),
        }),
      ),
      /**
       * The registrar has written to the registrant, whose address it wants confirmed; absent where nothing is to be confirmed. The
       * notification follows from `noticeAt` (domain/registrar/verification.ts).
       */
      verification: z.optional(object({ status: oneOf(OPEN_VERIFICATIONS), noticeAt: z.string() })),
      /** The task in progress at the registrar; one at a time. */
      task: z.optional(
        object({
          kind: oneOf(DOMAIN_TASKS),
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
      renewal: z.optional(object({ invoiceId: z.string(), years: z.int(), paid: z.optional(z.boolean()) })),
      /**
       * The last notice before the term ends: the term's end, and how many days before it. Without a reason, none was needed.
       * The notification follows from it, so that there is one for each.
       */
      expiryNotice: z.optional(
        object({
          expiresAt: z.string(),
          days: z.int(),
          at: z.string(),
          reason: z.optional(oneOf(EXPIRY_REASONS)),
        }),
      ),
      /** The next check of its task, order or term. */
      dueAt: z.optional(z.string()),
      createdAt: z.string(),
    }),
  key: ({ accountId, id }: AccountScopedId) => ({ pk: key('ACCOUNT', accountId), sk: key('DOMAIN', id) }),
  list: (item) => ({ listPk: domainsOf(item.accountId), listSk: item.id }),
  due: { queues: ['DOMAIN'] },
});
