import type { payInvoice as PayRoute } from '../../contract/billing/invoices.ts';
import type { Input, Output } from '../../contract/route.ts';
import { FiledInvoice, filedUnder, Invoice } from '../../table/entities/billing.ts';
import { splitKey } from '../../table/keys.ts';
import type { Caller, Deps } from '../deps.ts';
import { invoiceWithLines, noSuchInvoice } from './invoice-views.ts';
import { payInvoice, voidInvoice } from './invoices.ts';
import { withWallet } from './wallet.ts';

const find = (deps: Deps, accountId: string, id: string) => async (): Promise<Invoice> => {
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
  withWallet(deps, accountId, find(deps, accountId, id), async (wallet, invoice) => {
    const paid = payInvoice(wallet, invoice);
    return await deps.commit(wallet.writes(), { data: invoiceWithLines(paid) });
  });

/** Makes an invoice void, whoever asks; what was paid for it returns to the wallet. Throws 404, 409. */
export const cancelInvoice = (deps: Deps, accountId: string, id: string): Promise<Invoice> =>
  withWallet(deps, accountId, find(deps, accountId, id), async (wallet, invoice) => {
    const after = voidInvoice(wallet, invoice);
    return await deps.commit(wallet.writes(), after);
  });

/** Invoices paid in one transaction, which holds a hundred writes. */
const TOGETHER = 20;

/**
 * Money has arrived: pays what is unpaid, oldest first, passing over what the balance does not cover.
 * @returns how many were paid
 */
export async function payOutstanding(deps: Deps, accountId: string): Promise<number> {
  const unpaid = () => deps.table.all(FiledInvoice, filedUnder(accountId, 'UNPAID'), { oldestFirst: true });
  let total = 0;
  for (;;) {
    const paid = await withWallet(deps, accountId, unpaid, async (wallet, waiting) => {
      let count = 0;
      for (const invoice of waiting) {
        if (count === TOGETHER || wallet.balanceCents < invoice.amountCents) continue;
        payInvoice(wallet, invoice);
        count += 1;
      }
      return count === 0 ? 0 : await deps.commit(wallet.writes(), count);
    });
    total += paid;
    if (paid < TOGETHER) return total;
  }
}

/** How many one run looks at. */
const BATCH = 100;

/**
 * Makes void what was not paid in time (`voidAt`).
 * @returns how many
 */
export async function voidOverdue(deps: Deps): Promise<number> {
  const now = deps.now().toISOString();
  let count = 0;
  for (const { pk, sk } of await deps.table.due('INVOICE', now, BATCH)) {
    const [, accountId = ''] = splitKey(pk);
    const [, id = ''] = splitKey(sk);
    count += await withWallet(deps, accountId, find(deps, accountId, id), async (wallet, invoice) => {
      if (invoice.status !== 'UNPAID' || !invoice.voidAt || invoice.voidAt > now) return 0;
      voidInvoice(wallet, invoice);
      return await deps.commit(wallet.writes(), 1);
    });
  }
  return count;
}
