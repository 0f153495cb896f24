import type { payInvoice as PayRoute } from '../../contract/billing/invoices.ts';
import type { Input, Output } from '../../contract/route.ts';
import { Invoice, InvoiceByStatus, invoicesByStatus } from '../../table/entities/billing.ts';
import { commitAsPlatform } from '../audit/record.ts';
import type { Caller, Deps } from '../deps.ts';
import type { DueQueue } from '../sweep/sweep.ts';
import { noSuchInvoice, viewInvoice, viewInvoiceWithLines } from './invoice-views.ts';
import { payInvoice, voidInvoice } from './invoices.ts';
import { type Wallet, withWallet } from './wallet.ts';

const findInvoice = (deps: Deps, accountId: string, id: string) => async (): Promise<Invoice> => {
  const invoice = await deps.table.get(Invoice, { accountId, id });
  if (!invoice) throw noSuchInvoice();
  return invoice;
};

/** POST /dashboard/v1/invoices/{id}/pay. Throws 402 `insufficient_funds`, 409 for one that is not unpaid. */
export const payOnRequest = (
  deps: Deps,
  { accountId }: Caller,
  { id }: Input<typeof PayRoute>,
): Promise<Output<typeof PayRoute>> =>
  withWallet(deps, accountId, findInvoice(deps, accountId, id), async (wallet, invoice) => {
    const paid = payInvoice(wallet, invoice);
    const data = viewInvoiceWithLines(paid);
    return await deps.commit(wallet.writes(), { data }, wallet.audited('invoice.paid', id, data, viewInvoice(invoice)));
  });

const auditedVoid = (wallet: Wallet, invoice: Invoice) =>
  wallet.audited('invoice.voided', invoice.id, { ...viewInvoice(invoice), status: 'VOID' }, viewInvoice(invoice));

/** Makes an invoice void and returns what was paid for it to the wallet. Throws 404, 409. */
export const cancelInvoice = (deps: Deps, accountId: string, id: string): Promise<Invoice> =>
  withWallet(deps, accountId, findInvoice(deps, accountId, id), async (wallet, invoice) => {
    const after = voidInvoice(wallet, invoice);
    return await deps.commit(wallet.writes(), after, auditedVoid(wallet, invoice));
  });

/** Makes an invoice void unless it was paid, or void, before. */
export const voidUnpaidInvoice = (deps: Deps, accountId: string, id: string): Promise<void> =>
  withWallet(deps, accountId, findInvoice(deps, accountId, id), async (wallet, invoice) => {
    if (invoice.status !== 'UNPAID') return;
    voidInvoice(wallet, invoice);
    // Not the caller's commit: this is not what the caller's request asked for.
    await commitAsPlatform(deps, wallet.writes(), undefined, auditedVoid(wallet, invoice));
  });

/** Invoices paid in one transaction, which holds a hundred writes. */
const BATCH_SIZE = 20;

/**
 * Money has arrived: pays what is unpaid, oldest first, passing over what the balance does not cover, and orders of domains while
 * the account is suspended: a registration cannot be undone where the money turns out to be stolen.
 */
export async function payUnpaidInvoices(deps: Deps, accountId: string): Promise<void> {
  const unpaid = () => deps.table.all(InvoiceByStatus, invoicesByStatus(accountId, 'UNPAID'), { oldestFirst: true });
  for (;;) {
    const paid = await withWallet(deps, accountId, unpaid, (wallet, waiting) => payBatch(deps, wallet, waiting));
    if (paid < BATCH_SIZE) return;
  }
}

/** Pays what the balance covers, oldest first, at most {@link BATCH_SIZE}. Returns how many. */
async function payBatch(deps: Deps, wallet: Wallet, waiting: readonly InvoiceByStatus[]): Promise<number> {
  const { suspension } = wallet.account;
  const paid: InvoiceByStatus[] = [];
  for (const invoice of waiting) {
    if (suspension && invoice.countsAsOrder) continue;
    if (paid.length === BATCH_SIZE || wallet.refusalOf(invoice.kind, invoice.amountCents)) continue;
    paid.push(payInvoice(wallet, invoice));
  }
  const [first] = paid;
  if (!first) return 0;
  const after = paid.length === 1 ? viewInvoice(first) : { numbers: paid.map(({ number }) => number) };
  const asRead = suspension ? {} : { when: { suspension: 'absent' as const } };
  return await deps.commit(wallet.writes(asRead), paid.length, wallet.audited('invoice.paid', first.id, after));
}

/** Invoices that were not paid in time (`voidAt`): they are voided. */
export const invoiceQueue: DueQueue<typeof Invoice, Deps> = {
  queue: 'INVOICE',
  entity: Invoice,
  async act(deps, { accountId, id }) {
    const now = deps.now().toISOString();
    await withWallet(deps, accountId, findInvoice(deps, accountId, id), async (wallet, invoice) => {
      if (invoice.status !== 'UNPAID' || !invoice.voidAt || invoice.voidAt > now) return;
      voidInvoice(wallet, invoice);
      await deps.commit(wallet.writes(), undefined, auditedVoid(wallet, invoice));
    });
  },
};
