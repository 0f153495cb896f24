import * as z from 'zod/mini';
import { NEW_CARD } from '../../contract/billing/card-payments.ts';
import { BILLING_CYCLES, INVOICE_KINDS } from '../../contract/enums.ts';
import { ApiError } from '../../contract/errors.ts';
import { HostName } from '../../contract/host-names/host-names.ts';
import { type LimitOverrides, LimitOverridesSchema } from '../../contract/limits/limits.ts';
import { KnownCard } from '../../table/entities/billing.ts';
import { create } from '../../table/writes.ts';
import type { Deps } from '../deps.ts';
import { overrideLimits } from '../limits/overrides.ts';
import { timestampBefore } from '../time.ts';
import { viewInvoice } from './invoice-views.ts';
import { issueInvoice } from './invoices.ts';
import { addVat, formatRand } from './money.ts';
import type { ReadPlans } from './plans.ts';
import { grantSubscription } from './subscriptions.ts';
import { cancelInvoice } from './unpaid-invoices.ts';
import { readNothing, type Wallet, withWallet } from './wallet.ts';

const text = () => z.string().check(z.minLength(1), z.maxLength(200));

/** Adjustments of an account's money and subscriptions by operators, one per request. Amounts are cents. */
export const AdjustmentInput = () =>
  z.object({
    accountId: z.string(),
    /** Changes the balance, up or down: goodwill, a bank transfer, a correction. */
    adjust: z.optional(z.object({ amountCents: z.int(), description: text() })),
    /** Issues an invoice for an item outside the catalog. `cents` excludes VAT. Paid immediately if the balance allows. */
    invoice: z.optional(
      z.object({ kind: z.enum(INVOICE_KINDS), description: text(), cents: z.int().check(z.positive()) }),
    ),
    /** Voids an invoice, and refunds its payment to the wallet. */
    voidInvoice: z.optional(z.object({ id: z.string() })),
    /** Records a card as one that has paid before, so that its money may buy everything immediately (`NEW_CARD`). */
    knownCard: z.optional(z.object({ signature: text() })),
    /** Overrides limits of this account; null removes an override. */
    limits: z.optional(LimitOverridesSchema()),
    /** Grants a plan whose first period the platform pays. */
    grant: z.optional(
      z.object({ plan: z.string(), billingCycle: z.enum(BILLING_CYCLES), hostingDomain: z.optional(HostName()) }),
    ),
  });
type Adjustment = z.output<ReturnType<typeof AdjustmentInput>>;

/**
 * Makes the given adjustment, for operators. Returns the id of a changed or created resource, or the overrides. Throws the errors of the
 * corresponding API operations, and 402 if the balance would become negative.
 */
export async function adjustAccount(
  deps: Deps & { plans: ReadPlans },
  { accountId, adjust, invoice, voidInvoice, knownCard, grant, limits }: Adjustment,
): Promise<{ invoiceId?: string; subscriptionId?: string; limits?: LimitOverrides }> {
  if ([adjust, invoice, voidInvoice, knownCard, grant, limits].filter(Boolean).length !== 1) {
    throw new ApiError(
      'invalid_request',
      'one of adjust, invoice, voidInvoice, knownCard, grant and limits must be given',
    );
  }
  if (limits) return { limits: await overrideLimits(deps, accountId, limits) };
  if (voidInvoice) return { invoiceId: (await cancelInvoice(deps, accountId, voidInvoice.id)).id };
  if (grant) return { subscriptionId: (await grantSubscription(deps, accountId, grant)).data.id };
  return await withWallet(deps, accountId, readNothing, async (wallet) => {
    if (knownCard) {
      const recorded = recordCard(wallet, knownCard.signature);
      return await deps.commit(wallet.writes(), {}, recorded);
    }
    if (adjust) wallet.move('ADJUSTMENT', adjust.amountCents, adjust.description);
    const { kind = 'PLAN', description = '', cents = 0 } = invoice ?? {};
    const lines = [{ description, ...addVat(cents) }];
    const issued = invoice && issueInvoice(deps, wallet, { kind, lines });
    const change = issued
      ? wallet.audited('invoice.issued', issued.id, viewInvoice(issued))
      : wallet.audited('wallet.adjusted', accountId, {
          amount: formatRand(adjust?.amountCents ?? 0),
          description: adjust?.description,
        });
    return await deps.commit(wallet.writes(), issued ? { invoiceId: issued.id } : {}, change);
  });
}

/** Records a card within a transaction as one whose first payment was so long ago that its money is not held. */
function recordCard(wallet: Wallet, signature: string) {
  const { account, now } = wallet;
  const known = { accountId: account.id, signature, firstPaidAt: timestampBefore(now, NEW_CARD.holdMs) };
  wallet.add(create(KnownCard, known, () => new ApiError('conflict', 'This card is already known to the account.')));
  return wallet.audited('wallet.adjusted', account.id, { description: `The card ${signature} is known` });
}
