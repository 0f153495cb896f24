import type { buyAiCredits as BuyRoute } from '../../contract/ai/management.ts';
import type { Input, Output } from '../../contract/route.ts';
import { invoiceView } from '../billing/invoice-views.ts';
import { issuePaidInvoice } from '../billing/invoices.ts';
import { centsOf, vatInside } from '../billing/money.ts';
import { nothing, withWallet } from '../billing/wallet.ts';
import type { Caller, Deps } from '../deps.ts';
import { addCredits, creditEntry } from './credits.ts';
import { readCredits, viewEntry } from './ledger.ts';
import { randOf } from './prices.ts';

/** Micro-rand in a cent. */
const CENT = 10_000;
/** What is shown of the ledger beside a purchase. */
const NEWEST = { limit: 50, offset: 0 };

/**
 * POST /dashboard/v1/ai/credits: R10.00 of credits cost R10.00 of the wallet (VAT inside), with an invoice of its own.
 * Throws 402 `insufficient_funds`.
 */
export async function buyCredits(
  deps: Deps,
  { accountId }: Pick<Caller, 'accountId'>,
  { amount }: Input<typeof BuyRoute>,
): Promise<Output<typeof BuyRoute>> {
  const cents = centsOf(amount);
  return await withWallet(deps, accountId, nothing, async (wallet) => {
    const { data: before } = await readCredits(deps, { accountId }, NEWEST);
    const lines = [{ description: `AI credits of R${amount}`, ...vatInside(cents) }];
    const invoice = issuePaidInvoice(deps, wallet, { kind: 'AI_CREDITS', lines });
    const entry = creditEntry(deps, accountId, 'PURCHASE', cents * CENT);
    const balanceMicroRand = before.balanceMicroRand + entry.amountMicroRand;
    const availableMicroRand = before.availableMicroRand + entry.amountMicroRand;
    const after = {
      ...{ balance: randOf(balanceMicroRand), balanceMicroRand },
      ...{ available: randOf(availableMicroRand), availableMicroRand },
      ...{ entries: [viewEntry(entry), ...before.entries], has_more: before.has_more },
    };
    const data = { ...after, amount, invoice: invoiceView(invoice) };
    return await deps.commit([...wallet.writes(), ...addCredits(entry)], { data });
  });
}
