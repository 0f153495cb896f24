import type {
  getInvoice as GetRoute,
  listInvoices as ListRoute,
  payInvoice as PayRoute,
} from '../../contract/billing/invoices.ts';
import { ApiError } from '../../contract/errors.ts';
import type { Input, Output } from '../../contract/route.ts';
import { Account } from '../../table/entities/accounts.ts';
import { Invoice, InvoiceByStatus, invoiceOrder, invoicesByStatus, invoicesOf } from '../../table/entities/billing.ts';
import type { Caller, Deps } from '../deps.ts';
import { noSuchCursor, pageBody } from '../pages.ts';
import { formatRand } from './money.ts';

/** The company that issues the invoices. */
export type Seller = Output<typeof GetRoute>['data']['seller'];

export const noSuchInvoice = () => new ApiError('not_found', 'Invoice not found.');

/** Returns an invoice as lists and orders show it. */
export function viewInvoice(invoice: InvoiceByStatus): Output<typeof ListRoute>['data'][number] {
  const { id, number, kind, status, amountCents, vatCents, issuedAt, payBy, paidAt } = invoice;
  return {
    id,
    number,
    kind,
    status,
    amount: formatRand(amountCents),
    vat: formatRand(vatCents),
    issuedAt,
    dueAt: payBy,
    paidAt,
  };
}

/** Returns an invoice with its lines, as the API shows a single invoice. */
export function viewInvoiceWithLines(invoice: Invoice): Output<typeof PayRoute>['data'] {
  const lines = invoice.lines.map(({ description, amountCents }) => ({ description, amount: formatRand(amountCents) }));
  return { ...viewInvoice(invoice), lines };
}

/** GET /v1/invoices */
export async function listInvoices(
  deps: Deps,
  { accountId }: Caller,
  { status, cursor, ...pageRequest }: Input<typeof ListRoute>,
): Promise<Output<typeof ListRoute>> {
  const last = cursor === undefined ? undefined : await deps.table.get(Invoice, { accountId, id: cursor });
  if (cursor !== undefined && !last) throw noSuchCursor();
  const page = { ...pageRequest, cursor: last && invoiceOrder(last.number) };
  const invoices = status
    ? await deps.table.list(InvoiceByStatus, invoicesByStatus(accountId, status), page)
    : await deps.table.list(Invoice, invoicesOf(accountId), page);
  return pageBody(invoices, viewInvoice);
}

/** GET /v1/invoices/{id} */
export async function getInvoice(
  deps: Deps & { seller: Seller },
  { accountId }: Caller,
  { id }: Input<typeof GetRoute>,
): Promise<Output<typeof GetRoute>> {
  const [invoice, account] = await Promise.all([
    deps.table.get(Invoice, { accountId, id }),
    deps.table.get(Account, { id: accountId }),
  ]);
  if (!invoice || !account) throw noSuchInvoice();
  const { name, email } = account;
  return { data: { ...viewInvoiceWithLines(invoice), seller: deps.seller, customer: { name, email } } };
}
