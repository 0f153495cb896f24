import * as z from 'zod/mini';
import { INVOICE_KINDS, INVOICE_STATUSES } from '../enums.ts';
import { Id, list, Money, Page, resource, single, Timestamp } from '../envelope.ts';
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

/** Specification, Resources: Invoice; as lists have it. */
export const Invoice = resource('Invoice', () => z.object(summary()));

/** An invoice with its lines, which include VAT and add up to its amount. */
export const InvoiceWithLines = resource('InvoiceWithLines', () =>
  z.object({ ...summary(), lines: z.array(z.object({ description: z.string(), amount: Money() })) }),
);

/** A tax invoice: with the seller and the customer, as additions to the specification. */
export const TaxInvoice = resource('TaxInvoice', () =>
  z.extend(InvoiceWithLines(), {
    seller: z.object({ name: z.string(), address: z.string(), vatNumber: z.nullable(z.string()) }),
    customer: z.object({ name: z.string(), email: z.string() }),
  }),
);

const tag = 'Billing';

export const listInvoices = /* @__PURE__ */ route({
  id: 'listInvoices',
  method: 'GET',
  path: '/v1/invoices',
  access: 'read',
  summary: 'List your invoices, newest first',
  tag,
  query: () => z.extend(Page(), { status: z.optional(z.enum(INVOICE_STATUSES)) }),
  response: () => list(Invoice()),
});

export const payInvoice = /* @__PURE__ */ route({
  id: 'payInvoice',
  method: 'POST',
  path: '/dashboard/v1/invoices/{id}/pay',
  access: 'login',
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
  summary: 'Read an invoice with its lines, the seller and the customer',
  tag,
  params: Id,
  response: () => single(TaxInvoice()),
  uses: ['seller'],
});
