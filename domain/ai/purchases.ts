import type { buyAiCredits as BuyRoute } from '../../contract/ai/management.ts';
import type { Input, Output } from '../../contract/route.ts';
import { viewInvoice } from '../billing/invoice-views.ts';
import { issuePaidInvoice } from '../billing/invoices.ts';
import { parseCents, vatInside } from '../billing/money.ts';
import { readNothing, withWallet } from '../billing/wallet.ts';
import type { Caller, Deps } from '../deps.ts';
import { addCredits, newCreditEntry } from './entries.ts';
import { readCredits, viewCredits, viewEntry } from './ledger.ts';
import { CENT_MICRO_RAND } from './prices.ts';

/** The page of the ledger that a purchase returns. */
const MAX_ENTRIES_SHOWN = { limit: 50, offset: 0 };

/**
 * POST /dashboard/v1/ai/credits. R10.00 of credits costs R10.00 of the wallet, VAT included, with a separate invoice. The purchase first
 * pays the account's debt from earlier calls. Throws 402 `insufficient_funds`.
 */
export async function buyCredits(
  deps: Deps,
  { accountId }: Pick<Caller, 'accountId'>,
  { amount }: Input<typeof BuyRoute>,
): Promise<Output<typeof BuyRoute>> {
  const cents = parseCents(amount);
  return await withWallet(deps, accountId, readNothing, async (wallet) => {
    const { data: before } = await readCredits(deps, { accountId }, MAX_ENTRIES_SHOWN);
    const lines = [{ description: `AI credits of R${amount}`, ...vatInside(cents) }];
    const invoice = issuePaidInvoice(deps, wallet, { kind: 'AI_CREDITS', lines });
    const entry = newCreditEntry(deps, accountId, 'PURCHASE', cents * CENT_MICRO_RAND);
    const owed = Math.min(before.debtMicroRand, entry.amountMicroRand);
    const payment = owed > 0 ? newCreditEntry(deps, accountId, 'ADJUSTMENT', -owed) : undefined;
    const added = entry.amountMicroRand - owed;
    const after = {
      ...viewCredits(before.balanceMicroRand + added, before.availableMicroRand + added, before.debtMicroRand - owed),
      entries: [...(payment ? [viewEntry(payment)] : []), viewEntry(entry), ...before.entries],
      has_more: before.has_more,
    };
    const data = { ...after, amount, invoice: viewInvoice(invoice) };
    return await deps.commit([...wallet.writes(), ...addCredits(entry, payment)], { data });
  });
}
