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

/** PUT /dashboard/v1/wallet/auto-top-up. Omitted amounts keep their value. */
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
    const isUnchanged = before
      ? {
          'autoTopUp.enabled': { is: before.enabled },
          'autoTopUp.thresholdCents': { is: before.thresholdCents },
          'autoTopUp.amountCents': { is: before.amountCents },
        }
      : { autoTopUp: 'absent' as const };
    const data = { ...viewAutoTopUp(autoTopUp), card: viewCard(account) };
    if (isDeepStrictEqual(viewAutoTopUp(autoTopUp), viewAutoTopUp(before))) return { data };
    const write = change(Account, { id: accountId }, { set: { autoTopUp }, when: isUnchanged }, concurrentUpdate);
    return await deps.commit([write], { data }, { before: viewAutoTopUp(before), after: data });
  });
}

/** Returns the settings as the API shows them; disabled with zero amounts if there are none. */
function viewAutoTopUp({ enabled, thresholdCents, amountCents }: NonNullable<Account['autoTopUp']> = NONE) {
  return { enabled, threshold: formatRand(thresholdCents), amount: formatRand(amountCents) };
}
const NONE = { enabled: false, thresholdCents: 0, amountCents: 0 };

/** Returns the displayable fields of the card that would be charged. */
const viewCard = (account: Account | undefined) =>
  account?.card ? { brand: account.card.brand, lastFour: account.card.lastFour } : null;

/** GET /dashboard/v1/wallet/auto-top-up */
export async function getAutoTopUp(deps: Deps, { accountId }: Caller): Promise<Output<typeof GetRoute>> {
  const account = await deps.table.get(Account, { id: accountId });
  return { data: { ...viewAutoTopUp(account?.autoTopUp), card: viewCard(account) } };
}

/** Delay until a due top-up is considered again while operators have top-ups switched off, in milliseconds. */
const RETRY_WHILE_OFF_MS = 5 * 60_000;
const { maxPerDay, maxRandPerDay, minAmountRand } = AUTO_TOP_UP_LIMITS;

/** Returns the automatic top-ups in the 24 hours before a time. */
const historyAt = ({ autoTopUpHistory = [] }: Account, time: string) =>
  autoTopUpHistory.filter(({ at }) => timestampAfter(at, DAY_MS) > time);

/** Returns the earliest time at which another automatic top-up is allowed; undefined for an amount that is never allowed. */
function nextAllowedAt(account: Account, amountCents: number, now: string): string | undefined {
  const { autoTopUpHistory = [], noAutoTopUpBefore = '' } = account;
  const from = noAutoTopUpBefore > now ? noAutoTopUpBefore : now;
  const ends = autoTopUpHistory.map(({ at }) => timestampAfter(at, DAY_MS)).filter((end) => end > from);
  return [from, ...ends.sort()].find((time) => {
    const recent = historyAt(account, time);
    const totalCents = recent.reduce((sum, topUp) => sum + topUp.amountCents, amountCents);
    return recent.length < maxPerDay && totalCents <= maxRandPerDay * 100;
  });
}

/** Returns the amount of the automatic top-up that an account needs; undefined if it needs none or may have none. */
function amountDue(account: Account, unpaid: readonly Pick<InvoiceByStatus, 'amountCents'>[]): number | undefined {
  const { autoTopUp, card, autoTopUpId, suspension, deletion, walletCents, frozenCents = 0 } = account;
  if (!autoTopUp?.enabled || !card || autoTopUpId || suspension || deletion) return undefined;
  const { thresholdCents, amountCents } = autoTopUp;
  // Settings of earlier versions may have a smaller amount.
  if (amountCents < minAmountRand * 100) return undefined;
  const spendable = walletCents - frozenCents;
  // The freeze exceeds the balance, and would absorb the whole top-up.
  if (frozenCents > 0 && spendable + amountCents <= 0) return undefined;
  const wouldCover = (dueCents: number) => spendable < dueCents && spendable + amountCents >= dueCents;
  const isDue = spendable < thresholdCents || unpaid.some((invoice) => wouldCover(invoice.amountCents));
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
  // A started top-up that has not been charged yet is subject to the same conditions as a future one.
  const amountCents = amountDue({ ...account, autoTopUpId: undefined }, [{ amountCents: dueCents }]);
  if (amountCents === undefined || walletCents - frozenCents + amountCents < dueCents) return false;
  const isAllowed = autoTopUpId !== undefined || nextAllowedAt(account, amountCents, now) === now;
  return isAllowed && !(await areTopUpsOff(deps));
}

/** Maximum number of unpaid invoices that are considered, oldest first. */
const MAX_INVOICES_CHECKED = 100;

/**
 * Starts an automatic top-up if one is due: the spendable balance is below the threshold, or does not cover an unpaid invoice that it would
 * cover with the top-up. Never starts one for an account that is suspended or scheduled for deletion. An account has one automatic top-up at a
 * time, and a maximum number and sum of them in 24 hours. The stream then has the card charged. If these limits, a refused card or the
 * operators' switch prevent the top-up, the account is considered again later.
 */
export const considerAutoTopUp = (deps: Deps, accountId: string): Promise<void> =>
  retryOnConflict(async () => {
    // Taken before the account is read: a wait that is over by this time does not belong to a newer state of the account.
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

/** Sets or removes the time at which an account is considered again. */
async function setTopUpAt(deps: Deps, account: Account, topUpAt: string | undefined): Promise<void> {
  const update = replaceDueReasons(account, { topUpAt });
  await deps.table.transact([change(Account, { id: account.id }, update, concurrentUpdate)]);
}

/** Schedules an account to be considered again at a time. */
async function waitUntil(deps: Deps, account: Account, topUpAt: string): Promise<void> {
  const { dueAt } = account;
  // An earlier version, which ignores `topUpAt`, may have rescheduled the account for a later time, or unscheduled it.
  const isDueByThen = dueAt !== undefined && dueAt <= topUpAt;
  if (account.topUpAt !== topUpAt || !isDueByThen) await setTopUpAt(deps, account, topUpAt);
}

/** Removes an expired wait of an account that needs no top-up. A wait in the future may belong to a newer state of the account, and stays. */
async function endWait(deps: Deps, account: Account, now: string): Promise<void> {
  if (account.topUpAt !== undefined && account.topUpAt <= now) await setTopUpAt(deps, account, undefined);
}

/** Starts an automatic top-up. Fails with a conflict if the account has changed since it was read; another top-up may have started. */
async function start(deps: Deps, account: Account, amountCents: number, now: string): Promise<void> {
  const { id: accountId, autoTopUpCount } = account;
  const topUp = newTopUp(deps, { accountId, amountCents, automatic: true });
  const autoTopUpHistory = [...historyAt(account, now), { at: now, amountCents }];
  const started = { autoTopUpId: topUp.id, autoTopUpHistory, autoTopUpCount: (autoTopUpCount ?? 0) + 1 };
  const { set, remove, when } = replaceDueReasons(account, { topUpAt: undefined });
  const update = {
    set: { ...set, ...started },
    remove,
    when: { ...when, autoTopUpId: 'absent' as const, autoTopUpCount: unchanged(autoTopUpCount) },
  };
  await deps.commit([create(TopUp, topUp), change(Account, { id: accountId }, update, concurrentUpdate)], undefined, {
    action: 'top-up.started',
    accountId,
    subjectId: topUp.id,
    after: { amount: formatRand(amountCents), status: topUp.status, automatic: true },
  });
}
