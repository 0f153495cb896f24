import { AUTO_TOP_UP_LIMITS } from '../../contract/billing/card-payments.ts';
import type { getAutoTopUp as GetRoute, setAutoTopUp as SetRoute } from '../../contract/billing/top-ups.ts';
import type { Input, Output } from '../../contract/route.ts';
import { Account } from '../../table/entities/accounts.ts';
import { InvoiceByStatus, invoicesByStatus, TopUp } from '../../table/entities/billing.ts';
import { change, create } from '../../table/writes.ts';
import { concurrentUpdate, ignoreConflict, retryOnConflict, serviceBusy } from '../conflict.ts';
import type { Caller, Deps } from '../deps.ts';
import { findAccount } from '../limits/limits.ts';
import { formatRand, parseCents } from './money.ts';
import { areTopUpsOff, newTopUp } from './top-ups.ts';

/** PUT /dashboard/v1/wallet/auto-top-up. Amounts that are left out stay as they are. */
export async function setAutoTopUp(
  deps: Deps,
  { accountId }: Caller,
  { enabled, threshold, amount }: Input<typeof SetRoute>,
): Promise<Output<typeof SetRoute>> {
  return await retryOnConflict(
    async () => {
      const account = await findAccount(deps, accountId);
      const { autoTopUp: before } = account;
      const { thresholdCents, amountCents } = before ?? NONE;
      const autoTopUp = {
        enabled,
        thresholdCents: threshold === undefined ? thresholdCents : parseCents(threshold),
        amountCents: amount === undefined ? amountCents : parseCents(amount),
      };
      const same = before
        ? {
            'autoTopUp.enabled': { is: before.enabled },
            'autoTopUp.thresholdCents': { is: before.thresholdCents },
            'autoTopUp.amountCents': { is: before.amountCents },
          }
        : { autoTopUp: 'absent' as const };
      const write = change(Account, { id: accountId }, { set: { autoTopUp }, when: same }, concurrentUpdate);
      const data = { ...viewAutoTopUp(autoTopUp), card: viewCard(account) };
      return await deps.commit([write], { data }, { before: viewAutoTopUp(before), after: data });
    },
    { onExhausted: serviceBusy },
  );
}

/** The settings; without any, it is disabled and all amounts are zero. */
function viewAutoTopUp({ enabled, thresholdCents, amountCents }: NonNullable<Account['autoTopUp']> = NONE) {
  return { enabled, threshold: formatRand(thresholdCents), amount: formatRand(amountCents) };
}
const NONE = { enabled: false, thresholdCents: 0, amountCents: 0 };

/** The card that would be charged, as far as it may be shown. */
const viewCard = (account: Account | undefined) =>
  account?.card ? { brand: account.card.brand, lastFour: account.card.lastFour } : null;

/** GET /dashboard/v1/wallet/auto-top-up. Without settings, it is disabled and all amounts are zero. */
export async function getAutoTopUp(deps: Deps, { accountId }: Caller): Promise<Output<typeof GetRoute>> {
  const account = await deps.table.get(Account, { id: accountId });
  return { data: { ...viewAutoTopUp(account?.autoTopUp), card: viewCard(account) } };
}

const DAY_MS = 24 * 3600_000;
const { maxPerDay, maxRandPerDay, minAmountRand } = AUTO_TOP_UP_LIMITS;

/** Returns the automatic top-ups of the last 24 hours with another one; undefined where that would be too many. */
function nextHistory({ autoTopUpHistory = [] }: Account, amountCents: number, now: Date) {
  const since = new Date(now.getTime() - DAY_MS).toISOString();
  const recent = [...autoTopUpHistory.filter(({ at }) => at > since), { at: now.toISOString(), amountCents }];
  const total = recent.reduce((sum, each) => sum + each.amountCents, 0);
  return recent.length > maxPerDay || total > maxRandPerDay * 100 ? undefined : recent;
}

/** Unpaid invoices that are looked at: the oldest. */
const MAX_INVOICES_CHECKED = 100;

/**
 * Starts an automatic top-up where one is due: what can be spent is under the threshold, or an invoice waits that it
 * does not cover and would with it; never for a suspended account, or one that will be deleted. One at a time, and a bounded number and sum a day; the
 * stream then has the card charged.
 */
export async function considerAutoTopUp(deps: Deps, accountId: string): Promise<void> {
  const [account, unpaid] = await Promise.all([
    deps.table.get(Account, { id: accountId }),
    deps.table.all(InvoiceByStatus, invoicesByStatus(accountId, 'UNPAID'), {
      limit: MAX_INVOICES_CHECKED,
      oldestFirst: true,
    }),
  ]);
  if (!account?.autoTopUp?.enabled || !account.card || account.autoTopUpId) return;
  if (account.suspension || account.deletion) return;
  const { autoTopUp, walletCents, frozenCents = 0, noAutoTopUpBefore = '' } = account;
  if (noAutoTopUpBefore > deps.now().toISOString()) return;
  const { thresholdCents, amountCents } = autoTopUp;
  const autoTopUpHistory = nextHistory(account, amountCents, deps.now());
  // Settings of earlier versions may have a smaller amount.
  if (!autoTopUpHistory || amountCents < minAmountRand * 100) return;
  const spendable = walletCents - frozenCents;
  // A freeze of more than the balance would take all of it.
  if (frozenCents > 0 && spendable + amountCents <= 0) return;
  const helps = (due: number) => spendable < due && spendable + amountCents >= due;
  if (spendable >= thresholdCents && !unpaid.some((invoice) => helps(invoice.amountCents))) return;
  if (await areTopUpsOff(deps)) return;
  const topUp = newTopUp(deps, { accountId, amountCents, automatic: true });
  const { autoTopUpCount } = account;
  const one = {
    set: { autoTopUpId: topUp.id, autoTopUpHistory, autoTopUpCount: (autoTopUpCount ?? 0) + 1 },
    when: {
      autoTopUpId: 'absent' as const,
      autoTopUpCount: autoTopUpCount === undefined ? ('absent' as const) : { is: autoTopUpCount },
    },
  };
  // On a conflict another one was started.
  await ignoreConflict(
    deps.commit([create(TopUp, topUp), change(Account, { id: accountId }, one, concurrentUpdate)], undefined, {
      ...{ action: 'top-up.started', accountId, subjectId: topUp.id },
      after: { amount: formatRand(amountCents), status: topUp.status, automatic: true },
    }),
  );
}
