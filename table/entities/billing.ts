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

/** Returns a serial number as text that sorts numerically. */
const sortable = (serial: number) => String(serial).padStart(12, '0');

/** The partition of an account's ledger, in the order in which the balance changed. */
export const walletOf = (accountId: string) => key('ACCOUNT', accountId, 'WALLET');

/**
 * An entry in the ledger of a wallet. Entries are immutable, and add up to the account's balance. The serial number determines their
 * order, not the time, because clocks differ.
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

/** The last invoice number of a year, over the whole platform. A write of the next number requires the number that it read. */
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
    /** Including VAT. */
    amountCents: z.int(),
    vatCents: z.int(),
    issuedAt: z.string(),
    /** The invoice's `dueAt` in the API. Here, that name belongs to the due index. */
    payBy: z.string(),
    paidAt: z.nullable(z.string()),
    /** The id of the domain or subscription that the invoice is for. */
    subjectId: z.optional(z.string()),
    /** True if it counts towards the account's unpaid domain orders until it is paid or void. */
    countsAsOrder: z.optional(z.literal(true)),
    /** The time at which it becomes void if it is still unpaid. */
    voidAt: z.optional(z.string()),
  });

/** Returns an invoice number as text that sorts by issue, even beyond a million invoices a year. */
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

/** The list of an account's invoices with a status, and the partition of their copies. */
export const invoicesByStatus = (accountId: string, status: Invoice['status']) =>
  key('ACCOUNT', accountId, 'INVOICES', status);

/**
 * A copy of an invoice, without its lines, in the partition of its status. A page of one status thus costs no more than a page of all
 * invoices, and unpaid invoices can be read consistently, oldest first. The transaction that changes the status moves the copy.
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

/** A plan at the time of its purchase. Later changes by operators apply to later periods. */
const boughtPlan = () =>
  object({
    slug: z.string(),
    name: z.string(),
    category: oneOf(PLAN_CATEGORIES),
    /** Only for APP plans. */
    appLimit: z.optional(z.int()),
    /** Absent for plans that earlier versions sold. */
    storageGb: z.optional(z.int()),
  });

/** The partition of an account's subscriptions. */
export const subscriptionsOf = (accountId: string) => key('ACCOUNT', accountId, 'SUBSCRIPTIONS');
/** The list of an account's web and email hosting subscriptions. */
export const hostingOf = (accountId: string) => key('ACCOUNT', accountId, 'HOSTING');

/** A plan that an account has bought, renewed from period to period. */
export type Subscription = ItemOf<typeof Subscription>;
export const Subscription = /* @__PURE__ */ entity({
  type: 'SUBSCRIPTION',
  schema: () =>
    z.object({
      id: z.string(),
      accountId: z.string(),
      plan: boughtPlan(),
      billingCycle: oneOf(BILLING_CYCLES),
      /** The price of the last period in cents, excluding VAT. */
      priceCents: z.int(),
      status: oneOf(SUBSCRIPTION_STATUSES),
      /** For WEB and EMAIL plans: the hosted domain. */
      hostingDomain: z.nullable(z.string()),
      /** The end of the paid period. The subscription is usable until then, even if it is cancelled. */
      currentPeriodEnd: z.string(),
      /** The invoice for the next period, once it is issued. */
      renewal: z.optional(
        object({
          invoiceId: z.string(),
          payBy: z.string(),
          periodEnd: z.string(),
          /** The time at which the subscription was suspended because of the unpaid invoice. */
          suspendedAt: z.optional(z.string()),
        }),
      ),
      /** The hosting server's last report about the account; absent before the account exists. */
      panel: z.optional(object({ status: oneOf(PANEL_STATUSES), mailboxes: z.int() })),
      createdAt: z.string(),
      cancelledAt: z.nullable(z.string()),
      /** The time of the next scheduled change: invoice, suspension, cancellation or end. */
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
      /** For an automatic top-up: the time of the last charge of the card. */
      chargedAt: z.optional(z.string()),
      /** True if the platform charges a saved card, without a payment page. */
      automatic: z.boolean(),
      createdAt: z.string(),
      /** While it is open: the time of the next status request to the payment provider. Afterwards: the time at which its hold as a new card's payment ends. */
      dueAt: z.optional(z.string()),
    }),
  key: ({ id }: { id: string }) => ({ pk: key('TOP_UP', id), sk: 'TOP_UP' }),
  due: { queues: ['TOP_UP'] },
});

/** A card that has paid into an account, identified by the payment provider's signature of it. */
export type KnownCard = ItemOf<typeof KnownCard>;
export const KnownCard = /* @__PURE__ */ entity({
  type: 'KNOWN_CARD',
  schema: () => z.object({ accountId: z.string(), signature: z.string(), firstPaidAt: z.string() }),
  key: ({ accountId, signature }: { accountId: string; signature: string }) => ({
    pk: key('ACCOUNT', accountId),
    sk: key('KNOWN_CARD', signature),
  }),
});

/** The dispute of a card payment by the card's owner. */
export type Dispute = ItemOf<typeof Dispute>;
export const Dispute = /* @__PURE__ */ entity({
  type: 'DISPUTE',
  schema: () =>
    z.object({
      /** The payment provider's id. */
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

/** The plans and their prices, if operators have changed them (domain/billing/plans.ts). */
export const PlanOffer = /* @__PURE__ */ entity({
  type: 'PLAN_OFFER',
  schema: () => z.object({ offer: z.unknown(), changedAt: z.string() }),
  key: (_: object) => ({ pk: 'PLAN_OFFER', sk: 'PLAN_OFFER' }),
});
