import { isDeepStrictEqual } from 'node:util';
import { AUTO_TOP_UP_LIMITS } from '../../contract/billing/card-payments.ts';
import type { getAutoTopUp as GetRoute, setAutoTopUp as SetRoute } from '../../contract/billing/top-ups.ts';
import type { Input, Output } from '../../contract/route.ts';
import { Account } from '../../table/entities/accounts.ts';
import { InvoiceByStatus, invoicesByStatus, TopUp } from '../../table/entities/billing.ts';
import { unchanged } from '../../table/expressions.ts';
import { change, create } from '../../table/writes.ts';
import { concurrentUpdate, retryOnConflict, retryRequest } from '../conflict.ts';
import type { Caller, Deps } from '../deps.ts';
import { findAccount } from '../limits/limits.ts';
import { DAY_MS, timestampAfter } from '../time.ts';
import { replaceDueReasons } from './account-due.ts';
import { formatRand, parseCents } from './money.ts';
import { areTopUpsOff, newTopUp } from './top-ups.ts';

/** PUT /dashboard/v1/wallet/auto-top-up. Amounts that are left out stay as they are. */
export async function setAutoTopUp(
  deps: Deps,
  { accountId }: Caller,
  { enabled, threshold, amount }: Input<typeof SetRoute>,
): Promise<Output<typeof SetRoute>> {
  return await retryRequest(async () => {
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
    const data = { ...viewAutoTopUp(autoTopUp), card: viewCard(account) };
    if (isDeepStrictEqual(viewAutoTopUp(autoTopUp), viewAutoTopUp(before))) return { data };
    const write = change(Account, { id: accountId }, { set: { autoTopUp }, when: same }, concurrentUpdate);
    return await deps.commit([write], { data }, { before: viewAutoTopUp(before), after: data });
  });
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

/** While operators have top-ups switched off, one that is due is considered again after this, in milliseconds. */
const RETRY_WHILE_OFF_MS = 5 * 60_000;
const { maxPerDay, maxRandPerDay, minAmountRand } = AUTO_TOP_UP_LIMITS;

/** Returns the automatic top-ups of the 24 hours before a time. */
const historyAt = ({ autoTopUpHistory = [] }: Account, time: string) =>
  autoTopUpHistory.filter(({ at }) => timestampAfter(at, DAY_MS) > time);

/** Returns the first time from now on at which another automatic top-up is allowed; undefined for an amount that never is. */
function nextAllowedAt(account: Account, amountCents: number, now: string): string | undefined {
  const { autoTopUpHistory = [], noAutoTopUpBefore = '' } = account;
  const from = noAutoTopUpBefore > now ? noAutoTopUpBefore : now;
  const ends = autoTopUpHistory.map(({ at }) => timestampAfter(at, DAY_MS)).filter((end) => end > from);
  return [from, ...ends.sort()].find((time) => {
    const recent = historyAt(account, time);
    const totalCents = recent.reduce((sum, each) => sum + each.amountCents, amountCents);
    return recent.length < maxPerDay && totalCents <= maxRandPerDay * 100;
  });
}

/** Returns the amount of the automatic top-up that an account needs; undefined where it needs none, or may have none. */
function amountDue(account: Account, unpaid: readonly Pick<InvoiceByStatus, 'amountCents'>[]): number | undefined {
  const { autoTopUp, card, autoTopUpId, suspension, deletion, walletCents, frozenCents = 0 } = account;
  if (!autoTopUp?.enabled || !card || autoTopUpId || suspension || deletion) return undefined;
  const { thresholdCents, amountCents } = autoTopUp;
  // Settings of earlier versions may have a smaller amount.
  if (amountCents < minAmountRand * 100) return undefined;
  const spendable = walletCents - frozenCents;
  // A freeze of more than the balance would take all of it.
  if (frozenCents > 0 && spendable + amountCents <= 0) return undefined;
  const helps = (due: number) => spendable < due && spendable + amountCents >= due;
  const isDue = spendable < thresholdCents || unpaid.some((invoice) => helps(invoice.amountCents));
  return isDue ? amountCents : undefined;
}

/** Returns true if an automatic top-up is about to pay an amount that the balance does not cover. */
export async function willCardPay(
  deps: Pick<Deps, 'table' | 'now'>,
  account: Account,
  dueCents: number,
): Promise<boolean> {
  const { autoTopUpId, walletCents, frozenCents = 0 } = account;
  const now = deps.now().toISOString();
  // One that has begun and is not charged yet is charged by the same conditions as one to come.
  const amountCents = amountDue({ ...account, autoTopUpId: undefined }, [{ amountCents: dueCents }]);
  if (amountCents === undefined || walletCents - frozenCents + amountCents < dueCents) return false;
  const isAllowed = autoTopUpId !== undefined || nextAllowedAt(account, amountCents, now) === now;
  return isAllowed && !(await areTopUpsOff(deps));
}

/** Unpaid invoices that are looked at: the oldest. */
const MAX_INVOICES_CHECKED = 100;

/**
 * Starts an automatic top-up where one is due: what can be spent is under the threshold, or an invoice waits that it
 * does not cover and would with it; never for a suspended account, or one that will be deleted. One at a time, and a bounded number and sum a day; the
 * stream then has the card charged. One that the bounds, a refused card or the operators' switch hold back is considered again when they no longer do.
 */
export const considerAutoTopUp = (deps: Deps, accountId: string): Promise<void> =>
  retryOnConflict(async () => {
    // Before the account is read: what is over by then was not set for a newer state of the account.
    const now = deps.now().toISOString();
    const [account, unpaid] = await Promise.all([
      deps.table.get(Account, { id: accountId }),
      deps.table.all(InvoiceByStatus, invoicesByStatus(accountId, 'UNPAID'), {
        limit: MAX_INVOICES_CHECKED,
        oldestFirst: true,
      }),
    ]);
    if (!account) return;
    const amountCents = amountDue(account, unpaid);
    const allowedAt = amountCents === undefined ? undefined : nextAllowedAt(account, amountCents, now);
    if (amountCents === undefined || allowedAt === undefined) return await endWait(deps, account, now);
    if (allowedAt > now) return await waitUntil(deps, account, allowedAt);
    if (await areTopUpsOff(deps)) return await waitUntil(deps, account, timestampAfter(now, RETRY_WHILE_OFF_MS));
    await start(deps, account, amountCents, now);
  });

/** Gives an account the time at which it is considered again, or none. */
async function setTopUpAt(deps: Deps, account: Account, topUpAt: string | undefined): Promise<void> {
  const what = replaceDueReasons(account, { topUpAt });
  await deps.table.transact([change(Account, { id: account.id }, what, concurrentUpdate)]);
}

/** Has an account considered again at a time. */
async function waitUntil(deps: Deps, account: Account, topUpAt: string): Promise<void> {
  const { dueAt } = account;
  // An earlier version, which does not know this reason, may have made the account due later, or no longer.
  const isDueByThen = dueAt !== undefined && dueAt <= topUpAt;
  if (account.topUpAt !== topUpAt || !isDueByThen) await setTopUpAt(deps, account, topUpAt);
}

/** Ends the wait of an account that needs no top-up, when its time is over: one to come may be for a newer state of the account. */
async function endWait(deps: Deps, account: Account, now: string): Promise<void> {
  if (account.topUpAt !== undefined && account.topUpAt <= now) await setTopUpAt(deps, account, undefined);
}

/** Starts an automatic top-up; on a conflict, another one may have been started since the account was read. */
async function start(deps: Deps, account: Account, amountCents: number, now: string): Promise<void> {
  const { id: accountId, autoTopUpCount } = account;
  const topUp = newTopUp(deps, { accountId, amountCents, automatic: true });
  const autoTopUpHistory = [...historyAt(account, now), { at: now, amountCents }];
  const begun = { autoTopUpId: topUp.id, autoTopUpHistory, autoTopUpCount: (autoTopUpCount ?? 0) + 1 };
  const { set, remove, when } = replaceDueReasons(account, { topUpAt: undefined });
  const one = {
    set: { ...set, ...begun },
    remove,
    when: { ...when, autoTopUpId: 'absent' as const, autoTopUpCount: unchanged(autoTopUpCount) },
  };
  await deps.commit([create(TopUp, topUp), change(Account, { id: accountId }, one, concurrentUpdate)], undefined, {
    action: 'top-up.started',
    accountId,
    subjectId: topUp.id,
    after: { amount: formatRand(amountCents), status: topUp.status, automatic: true },
  });
}
