import * as z from 'zod/mini';
import { INVOICE_KINDS, INVOICE_STATUSES } from '../enums.ts';
import { describe, Id, list, Money, Page, resource, single, Timestamp } from '../envelope.ts';
import { route } from '../route.ts';

const summary = () => ({
  id: z.string(),
  number: z.string().register(z.globalRegistry, { examples: ['INV-2026-000001'] }),
  kind: z.enum(INVOICE_KINDS),
  status: z.enum(INVOICE_STATUSES),
  amount: Money(),
  vat: Money(),
  issuedAt: Timestamp(),
  dueAt: Timestamp(),
  paidAt: z.nullable(Timestamp()),
});

/** An invoice in a list (specification, Resources: Invoice). */
export const Invoice = resource('Invoice', () => z.object(summary()));

/** An invoice with its lines, which include VAT and add up to its amount. */
const InvoiceWithLines = resource('InvoiceWithLines', () =>
  z.object({ ...summary(), lines: z.array(z.object({ description: z.string(), amount: Money() })) }),
);

/** A tax invoice. The seller and the customer are additions to the specification. */
const TaxInvoice = resource('TaxInvoice', () =>
  z.extend(InvoiceWithLines(), {
    seller: z.object({ name: z.string(), address: z.string(), vatNumber: z.nullable(z.string()) }),
    customer: z.object({ name: z.string(), email: z.string() }),
  }),
);

/** Spending in one month, including VAT: the invoices that were issued in it and are not void. */
const MonthlySpending = () =>
  z.object({
    month: z.string().register(z.globalRegistry, { examples: ['2026-01'], description: 'The month in UTC' }),
    plans: Money(),
    domains: Money(),
    aiCredits: Money(),
    total: Money(),
  });

/** The number of months in {@link Spending}, including the current one. */
export const SPENDING_MONTHS = 12;

/** Spending by product and month, oldest month first, and a forecast for the current month. */
const Spending = resource('Spending', () =>
  z.object({
    months: z.array(MonthlySpending()),
    forecast: z.object({
      total: Money(),
      renewals: z.array(z.object({ subscriptionId: z.string(), plan: z.string(), at: Timestamp(), amount: Money() })),
    }),
    recurringMonthly: describe(
      Money(),
      'The monthly cost of the active plans; yearly plans count with a twelfth of their price',
    ),
  }),
);

const tag = 'Billing';

export const listInvoices = /* @__PURE__ */ route({
  id: 'listInvoices',
  method: 'GET',
  path: '/v1/invoices',
  access: 'read',
  right: 'member',
  summary: 'List your invoices, newest first',
  tag,
  query: () => z.extend(Page('inv'), { status: z.optional(z.enum(INVOICE_STATUSES)) }),
  response: () => list(Invoice()),
});

export const payInvoice = /* @__PURE__ */ route({
  id: 'payInvoice',
  method: 'POST',
  path: '/dashboard/v1/invoices/{id}/pay',
  access: 'login',
  right: 'pay',
  audit: 'invoice.paid',
  summary: 'Pay an unpaid invoice from the wallet',
  tag,
  params: Id,
  response: () => single(InvoiceWithLines()),
});

export const getInvoice = /* @__PURE__ */ route({
  id: 'getInvoice',
  method: 'GET',
  path: '/v1/invoices/{id}',
  access: 'read',
  right: 'member',
  summary: 'Read an invoice with its lines, the seller and the customer',
  tag,
  params: Id,
  response: () => single(TaxInvoice()),
  uses: ['seller'],
});

export const getInvoicePdf = /* @__PURE__ */ route({
  id: 'getInvoicePdf',
  method: 'GET',
  path: '/v1/invoices/{id}/pdf',
  access: 'read',
  right: 'member',
  summary: 'Download an invoice as a PDF document',
  tag,
  params: Id,
  mediaType: 'application/pdf',
  uses: ['seller'],
});

export const getSpending = /* @__PURE__ */ route({
  id: 'getSpending',
  method: 'GET',
  path: '/dashboard/v1/spending',
  access: 'login',
  right: 'member',
  summary: 'Read your spending by product and month, and a forecast for this month',
  tag,
  response: () => single(Spending()),
});
