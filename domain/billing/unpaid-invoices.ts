import type { payInvoice as PayRoute } from '../../contract/billing/invoices.ts';
import type { Input, Output } from '../../contract/route.ts';
import { Invoice, InvoiceByStatus, invoicesByStatus } from '../../table/entities/billing.ts';
import { schedule } from '../../table/schedule.ts';
import { commitAsPlatform } from '../audit/record.ts';
import { tryChange } from '../conflict.ts';
import type { Caller, Deps } from '../deps.ts';
import type { DueQueue } from '../sweep/sweep.ts';
import { MINUTE_MS, timestampAfter } from '../time.ts';
import { noSuchInvoice, viewInvoice, viewInvoiceWithLines } from './invoice-views.ts';
import { payInvoice, voidInvoice } from './invoices.ts';
import { type Wallet, withWallet } from './wallet.ts';

const findInvoice = (deps: Deps, accountId: string, id: string) => async (): Promise<Invoice> => {
  const invoice = await deps.table.get(Invoice, { accountId, id });
  if (!invoice) throw noSuchInvoice();
  return invoice;
};

/** POST /dashboard/v1/invoices/{id}/pay. Throws 402 `insufficient_funds`, and 409 for a paid or void invoice. */
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

/** Voids an invoice, and refunds its payment to the wallet. Throws 404, and 409 if it is already void. */
export const cancelInvoice = (deps: Deps, accountId: string, id: string): Promise<Invoice> =>
  withWallet(deps, accountId, findInvoice(deps, accountId, id), async (wallet, invoice) => {
    const after = voidInvoice(wallet, invoice);
    return await deps.commit(wallet.writes(), after, auditedVoid(wallet, invoice));
  });

/** Voids an invoice if it is unpaid. @returns the invoice's status afterwards */
export const voidUnpaidInvoice = (deps: Deps, accountId: string, id: string): Promise<Invoice['status']> =>
  withWallet(deps, accountId, findInvoice(deps, accountId, id), async (wallet, invoice) => {
    if (invoice.status !== 'UNPAID') return invoice.status;
    const { status } = voidInvoice(wallet, invoice);
    // Not `deps.commit`: the caller's request did not ask for this change, so the audit entry must name the platform.
    return await commitAsPlatform(deps, wallet.writes(), status, auditedVoid(wallet, invoice));
  });

/** Maximum number of invoices that are paid in one transaction, which may have 100 writes. */
const BATCH_SIZE = 20;

/**
 * Pays unpaid invoices after money has arrived, oldest first. Skips invoices that the balance does not cover. While the account is suspended,
 * also skips domain orders, because a registration cannot be reversed if the money turns out to be stolen.
 */
export async function payUnpaidInvoices(deps: Deps, accountId: string): Promise<void> {
  const unpaid = () => deps.table.all(InvoiceByStatus, invoicesByStatus(accountId, 'UNPAID'), { oldestFirst: true });
  for (;;) {
    const paid = await withWallet(deps, accountId, unpaid, (wallet, invoices) => payBatch(deps, wallet, invoices));
    if (paid < BATCH_SIZE) return;
  }
}

/** Pays the invoices that the balance covers, at most {@link BATCH_SIZE}. Returns the number of paid invoices. */
async function payBatch(deps: Deps, wallet: Wallet, invoices: readonly InvoiceByStatus[]): Promise<number> {
  const { suspension } = wallet.account;
  const paid: InvoiceByStatus[] = [];
  for (const invoice of invoices) {
    if (suspension && invoice.countsAsOrder) continue;
    if (paid.length === BATCH_SIZE || wallet.refusalOf(invoice.kind, invoice.amountCents)) continue;
    paid.push(payInvoice(wallet, invoice));
  }
  const [first] = paid;
  if (!first) return 0;
  const after = paid.length === 1 ? viewInvoice(first) : { numbers: paid.map(({ number }) => number) };
  const stillActive = suspension ? {} : { when: { suspension: 'absent' as const } };
  return await deps.commit(wallet.writes(stillActive), paid.length, wallet.audited('invoice.paid', first.id, after));
}

/** Lateness of a sweep, as after an outage, at which payments may have been made that the platform has not noticed yet, in milliseconds. */
const LATE_AFTER_MS = 15 * MINUTE_MS;
/** Time in which such payments are found and pay the invoices that are due to become void, once, in milliseconds. */
const CATCH_UP_MS = 10 * MINUTE_MS;

/** Due queue of invoices to void because they were not paid by their `voidAt`. */
export const invoiceQueue: DueQueue<typeof Invoice, Deps> = {
  queue: 'INVOICE',
  entity: Invoice,
  async act(deps, { accountId, id }, { dueAt }) {
    const now = deps.now().toISOString();
    // The stream pays invoices when money arrives. Its attempt may be late or lost.
    await payUnpaidInvoices(deps, accountId);
    await withWallet(deps, accountId, findInvoice(deps, accountId, id), async (wallet, invoice) => {
      if (invoice.status !== 'UNPAID' || !invoice.voidAt || invoice.voidAt > now) return;
      if (dueAt === invoice.voidAt && timestampAfter(dueAt, LATE_AFTER_MS) < now) {
        const set = schedule(Invoice, timestampAfter(now, CATCH_UP_MS));
        await tryChange(deps, Invoice, invoice, { set, when: { status: { is: 'UNPAID' }, dueAt: { is: dueAt } } });
        return;
      }
      voidInvoice(wallet, invoice);
      await deps.commit(wallet.writes(), undefined, auditedVoid(wallet, invoice));
    });
  },
};
