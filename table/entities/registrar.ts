import * as z from 'zod/mini';
import { DNS_PROVIDERS, DOMAIN_STATUSES, DOMAIN_TASKS, OPEN_VERIFICATIONS } from '../../contract/enums.ts';
import { type AccountScopedId, entity, type ItemOf, object, oneOf } from '../entity.ts';
import { joinKey as key } from '../keys.ts';

/** The TLDs on sale and their prices, if operators have changed them (domain/registrar/tlds.ts). */
export const DomainOffer = /* @__PURE__ */ entity({
  type: 'DOMAIN_OFFER',
  schema: () => z.object({ offer: z.unknown(), changedAt: z.string() }),
  key: (_: object) => ({ pk: 'DOMAIN_OFFER', sk: 'DOMAIN_OFFER' }),
});

/** The ownership of a name by a domain, from its order until it is released. */
export type DomainName = ItemOf<typeof DomainName>;
export const DomainName = /* @__PURE__ */ entity({
  type: 'DOMAIN_NAME',
  schema: () => z.object({ name: z.string(), accountId: z.string(), domainId: z.string() }),
  key: ({ name }: { name: string }) => ({ pk: key('DOMAIN_NAME', name), sk: 'DOMAIN_NAME' }),
});

/** The list of an account's domains. */
export const domainsOf = (accountId: string) => key('ACCOUNT', accountId, 'DOMAINS');

/**
 * Reasons why a domain will expire: it is not set to renew, its renewal is not paid, or it cannot be renewed because its TLD is no
 * longer on sale or its account will be deleted.
 */
const EXPIRY_REASONS = ['NO_AUTO_RENEW', 'UNPAID', 'NOT_RENEWABLE'] as const;

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
      /** The end of the paid term. The registry's term may end earlier and is renewed up to it. */
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
      /** The term of the order in years, and the years that the registry sells in one step. */
      years: z.int(),
      yearsAtOnce: z.int(),
      privacy: z.boolean(),
      /** The invoice of the order; absent for an adopted domain. */
      invoiceId: z.optional(z.string()),
      /** The end of the registry's term. */
      registryExpiresAt: z.optional(z.string()),
      /** The time at which the registrar last confirmed the domain; absent before the first check (domain/registrar/confirmation.ts). */
      confirmedAt: z.optional(z.string()),
      /** The time at which the registrar first reported that it no longer has the domain. For an ended domain, this is why it ended. */
      absentSince: z.optional(z.string()),
      /** The last request to change its name servers, which the registry may still refuse; absent once the registry has them. */
      delegation: z.optional(
        object({
          askedAt: z.string(),
          /** The name servers that the registry last reported instead. */
          present: z.optional(z.array(z.string())),
          /** True once the change was requested again. If the registry then still has others, operators are alarmed. */
          repeated: z.optional(z.boolean()),
        }),
      ),
      /**
       * Present while the registrar waits for the registrant to confirm an email address. A change of `noticeAt` notifies the account
       * (domain/registrar/verification.ts).
       */
      verification: z.optional(object({ status: oneOf(OPEN_VERIFICATIONS), noticeAt: z.string() })),
      /** The task in progress at the registrar; there is at most one. */
      task: z.optional(
        object({
          kind: oneOf(DOMAIN_TASKS),
          years: z.int(),
          /** The invoice that pays for it, which is refunded if the registrar refuses the task. */
          invoiceId: z.optional(z.string()),
          since: z.string(),
          /** The execution that carries it out. */
          execution: z.string(),
          operationId: z.optional(z.string()),
        }),
      ),
      /** The invoice for the next term, once it is issued. */
      renewal: z.optional(object({ invoiceId: z.string(), years: z.int(), paid: z.optional(z.boolean()) })),
      /**
       * The last notice before the end of the term: the term's end, and the number of days before it. Without a reason, no notice was
       * needed. Each change of it notifies the account once.
       */
      expiryNotice: z.optional(
        object({
          expiresAt: z.string(),
          days: z.int(),
          at: z.string(),
          reason: z.optional(oneOf(EXPIRY_REASONS)),
        }),
      ),
      /** The time of the next check of its task, order or term. */
      dueAt: z.optional(z.string()),
      createdAt: z.string(),
    }),
  key: ({ accountId, id }: AccountScopedId) => ({ pk: key('ACCOUNT', accountId), sk: key('DOMAIN', id) }),
  list: (item) => ({ listPk: domainsOf(item.accountId), listSk: item.id }),
  due: { queues: ['DOMAIN'] },
});
