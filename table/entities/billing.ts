import * as z from 'zod/mini';
import {
  BILLING_CYCLES,
  DISPUTE_STATUSES,
  INVOICE_KINDS,
  INVOICE_STATUSES,
  PANEL_STATUSES,
  PAYMENT_STATUSES,
  PLAN_CATEGORIES,
  SUBSCRIPTION_STATUSES,
  WALLET_TRANSACTION_TYPES,
} from '../../contract/enums.ts';
import { type AccountScopedId, entity, type ItemOf, object, oneOf } from '../entity.ts';
import { joinKey as key } from '../keys.ts';

/** Serial numbers as text that sorts as they do. */
const sortable = (serial: number) => String(serial).padStart(12, '0');

/** The partition of an account's ledger, in the order in which the balance changed. */
export const walletOf = (accountId: string) => key('ACCOUNT', accountId, 'WALLET');

/**
 * One line of a wallet's ledger. Never changed; all of an account's add up to its balance. Its serial number and not its
 * time says where it stands: clocks differ.
 */
export type WalletTransaction = ItemOf<typeof WalletTransaction>;
export const WalletTransaction = /* @__PURE__ */ entity({
  type: 'WALLET_TRANSACTION',
  schema: () =>
    z.object({
      accountId: z.string(),
      serial: z.int(),
      type: oneOf(WALLET_TRANSACTION_TYPES),
      amountCents: z.int(),
      balanceAfterCents: z.int(),
      description: z.string(),
      createdAt: z.string(),
    }),
  key: ({ accountId, serial }: { accountId: string; serial: number }) => ({
    pk: walletOf(accountId),
    sk: sortable(serial),
  }),
});

/** The last invoice number of a year, over the whole platform: who takes the next one says which was the last. */
export type InvoiceSequence = ItemOf<typeof InvoiceSequence>;
export const InvoiceSequence = /* @__PURE__ */ entity({
  type: 'INVOICE_NUMBERS',
  schema: () => z.object({ year: z.string(), last: z.int() }),
  key: ({ year }: { year: string }) => ({ pk: key('INVOICE_NUMBERS', year), sk: 'INVOICE_NUMBERS' }),
});

const summary = () =>
  z.object({
    id: z.string(),
    accountId: z.string(),
    /** `INV-2026-000001` */
    number: z.string(),
    kind: oneOf(INVOICE_KINDS),
    status: oneOf(INVOICE_STATUSES),
    /** VAT inside. */
    amountCents: z.int(),
    vatCents: z.int(),
    issuedAt: z.string(),
    /** Its `dueAt`: that name is an index's. */
    payBy: z.string(),
    paidAt: z.nullable(z.string()),
    /** Id of the domain or subscription that the invoice is for. */
    subjectId: z.optional(z.string()),
    /** True where the account's number of unpaid domain orders counts it until it is paid or void. */
    countsAsOrder: z.optional(z.literal(true)),
    /** Unpaid at this time it is void. */
    voidAt: z.optional(z.string()),
  });

/** `INV-2026-000001` as text that sorts as invoices were issued, beyond a million a year too. */
export const invoiceOrder = (number: string) => {
  const [, year = '', serial = ''] = number.split('-');
  return `${year}-${sortable(Number(serial))}`;
};

/** The list of all of an account's invoices. */
export const invoicesOf = (accountId: string) => key('ACCOUNT', accountId, 'INVOICES');

export type Invoice = ItemOf<typeof Invoice>;
export const Invoice = /* @__PURE__ */ entity({
  type: 'INVOICE',
  schema: () =>
    z.extend(summary(), {
      lines: z.array(object({ description: z.string(), amountCents: z.int(), vatCents: z.int() })),
    }),
  key: ({ accountId, id }: AccountScopedId) => ({ pk: key('ACCOUNT', accountId), sk: key('INVOICE', id) }),
  list: (item) => ({ listPk: invoicesOf(item.accountId), listSk: invoiceOrder(item.number) }),
  due: { queues: ['INVOICE'], at: ({ voidAt, status }) => (status === 'UNPAID' ? voidAt : undefined) },
});

/** The list of an account's invoices of one status, and the partition where they stand. */
export const invoicesByStatus = (accountId: string, status: Invoice['status']) =>
  key('ACCOUNT', accountId, 'INVOICES', status);

/**
 * An invoice once more, without its lines, filed under its status: pages of a status cost what pages of all cost, and
 * what is unpaid can be read consistently, oldest first. Moves in the transaction that changes the status.
 */
export type InvoiceByStatus = ItemOf<typeof InvoiceByStatus>;
export const InvoiceByStatus = /* @__PURE__ */ entity({
  type: 'FILED_INVOICE',
  schema: summary,
  key: ({ accountId, status, number }: Pick<Invoice, 'accountId' | 'status' | 'number'>) => ({
    pk: invoicesByStatus(accountId, status),
    sk: invoiceOrder(number),
  }),
  list: (item) => ({ listPk: invoicesByStatus(item.accountId, item.status), listSk: invoiceOrder(item.number) }),
});

/** A plan as it was bought: what operators change later is for later periods. */
const boughtPlan = () =>
  object({
    slug: z.string(),
    name: z.string(),
    category: oneOf(PLAN_CATEGORIES),
    /** Of APP plans. */
    appLimit: z.optional(z.int()),
    /** Of what earlier versions sold, unknown. */
    storageGb: z.optional(z.int()),
  });

/** The partition of an account's subscriptions. */
export const subscriptionsOf = (accountId: string) => key('ACCOUNT', accountId, 'SUBSCRIPTIONS');
/** The list of those that are web or email hosting. */
export const hostingOf = (accountId: string) => key('ACCOUNT', accountId, 'HOSTING');

/** A plan that an account has bought, from period to period. */
export type Subscription = ItemOf<typeof Subscription>;
export const Subscription = /* @__PURE__ */ entity({
  type: 'SUBSCRIPTION',
  schema: () =>
    z.object({
      id: z.string(),
      accountId: z.string(),
      plan: boughtPlan(),
      billingCycle: oneOf(BILLING_CYCLES),
      /** Price of the last period in cents, without VAT. */
      priceCents: z.int(),
      status: oneOf(SUBSCRIPTION_STATUSES),
      /** Of WEB and EMAIL plans: the domain that is hosted. */
      hostingDomain: z.nullable(z.string()),
      /** End of the paid period; usable until then, cancelled or not. */
      currentPeriodEnd: z.string(),
      /** The invoice for the next period, once it is issued. */
      renewal: z.optional(
        object({
          invoiceId: z.string(),
          payBy: z.string(),
          periodEnd: z.string(),
          /** The time at which the subscription was suspended because the invoice is unpaid. */
          suspendedAt: z.optional(z.string()),
        }),
      ),
      /** The hosting server's last report about the account; absent before the account exists. */
      panel: z.optional(object({ status: oneOf(PANEL_STATUSES), mailboxes: z.int() })),
      createdAt: z.string(),
      cancelledAt: z.nullable(z.string()),
      /** The next change that follows from time alone: invoice, suspension, cancellation, end. */
      dueAt: z.optional(z.string()),
    }),
  key: ({ accountId, id }: AccountScopedId) => ({ pk: subscriptionsOf(accountId), sk: id }),
  list: (item) => (item.plan.category === 'APP' ? undefined : { listPk: hostingOf(item.accountId), listSk: item.id }),
  due: { queues: ['SUBSCRIPTION'] },
});

/** A card payment into a wallet. */
export type TopUp = ItemOf<typeof TopUp>;
export const TopUp = /* @__PURE__ */ entity({
  type: 'TOP_UP',
  schema: () =>
    z.object({
      id: z.string(),
      accountId: z.string(),
      /** The requested amount; the ledger has the received one. */
      amountCents: z.int(),
      status: oneOf(PAYMENT_STATUSES),
      /** Time at which the card was last charged, of an automatic top-up. */
      chargedAt: z.optional(z.string()),
      /** True when the platform charges a saved card, without a payment page. */
      automatic: z.boolean(),
      createdAt: z.string(),
      /** While it is open: the next time at which the payment provider is asked for its status. Then, the time at which its money is no longer withheld. */
      dueAt: z.optional(z.string()),
    }),
  key: ({ id }: { id: string }) => ({ pk: key('TOP_UP', id), sk: 'TOP_UP' }),
  due: { queues: ['TOP_UP'] },
});

/** A card that has paid into an account, by the processor's signature of it. */
export type KnownCard = ItemOf<typeof KnownCard>;
export const KnownCard = /* @__PURE__ */ entity({
  type: 'KNOWN_CARD',
  schema: () => z.object({ accountId: z.string(), signature: z.string(), firstPaidAt: z.string() }),
  key: ({ accountId, signature }: { accountId: string; signature: string }) => ({
    pk: key('ACCOUNT', accountId),
    sk: key('KNOWN_CARD', signature),
  }),
});

/** A card payment that the card's owner disputes at the bank. */
export type Dispute = ItemOf<typeof Dispute>;
export const Dispute = /* @__PURE__ */ entity({
  type: 'DISPUTE',
  schema: () =>
    z.object({
      /** The payment processor's id. */
      id: z.string(),
      accountId: z.string(),
      topUpId: z.string(),
      amountCents: z.int(),
      status: oneOf(DISPUTE_STATUSES),
      createdAt: z.string(),
      closedAt: z.nullable(z.string()),
    }),
  key: ({ id }: { id: string }) => ({ pk: key('DISPUTE', id), sk: 'DISPUTE' }),
});

/** The plans and their prices, where operators have changed them (domain/billing/plans.ts reads it). */
export const PlanOffer = /* @__PURE__ */ entity({
  type: 'PLAN_OFFER',
  schema: () => z.object({ offer: z.unknown(), changedAt: z.string() }),
  key: (_: object) => ({ pk: 'PLAN_OFFER', sk: 'PLAN_OFFER' }),
});
