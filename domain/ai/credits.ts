import { randomUUID } from 'node:crypto';
import { ApiError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits/limits.ts';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { AiAccount, AiAudit, AiEntry, AiUsage } from '../../table/entities/ai.ts';
import type { Change, Condition } from '../../table/expressions.ts';
import { schedule, unschedule } from '../../table/schedule.ts';
import { change, changeOrInspect, create, upsert, type Write } from '../../table/writes.ts';
import { concurrentUpdate, ignoreConflict } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { limitReached } from '../limits/limits.ts';
import type { DueQueue } from '../sweep/sweep.ts';
import { debtToRand } from './prices.ts';

/**
 * AI credits in whole micro-rand. Always true:
 * - the balance is the sum of the ledger;
 * - what is available is the balance less the holds of running calls.
 *
 * A hold is one conditional write that does not know what is left: it takes the most that the call can cost, and what is
 * available may so fall below zero. Then the call has only what was there before (`granted`), and no other call gets a
 * hold until it is given back. What calls are granted together is never more than the balance, so it never falls below zero.
 *
 * A call that cost more than its hold and all other credits leaves the rest as a debt. While there is one, no call gets a
 * hold; it is paid from the next purchase, or from holds that come back.
 */

/** Below this much nothing is sold on credits (specification, Limits 7). */
export const MIN_BALANCE_MICRO_RAND = 500_000;
/** Time after which a call that found no room may try again, in seconds. */
const RETRY_AFTER_S = 5;
/** A hold outlives every call (14 minutes at most), in milliseconds. */
const HOLD_LIFETIME_MS = TIMEOUTS_S.ai.hold * 1000;

export interface Hold {
  accountId: string;
  id: string;
  /** The amount taken from the available credits. */
  microRand: number;
  /** The most that the call may cost. */
  granted: number;
}

/** There was no hold to be had; the account as it is says why. */
export class HoldRefused extends Error {
  readonly account: AiAccount | undefined;
  constructor(account: AiAccount | undefined) {
    super('no hold');
    this.account = account;
  }
}

/** Sets aside what a call may cost. Throws {@link HoldRefused} where too little is available, or the caller has a key of their own. */
export const hold = (deps: Deps, accountId: string, provider: string, microRand: number): Promise<Hold> =>
  placeHold(deps, accountId, microRand, {
    availableMicroRand: { atLeast: MIN_BALANCE_MICRO_RAND },
    debtMicroRand: { absentOrBelow: 1 },
    [`keys.${provider}`]: 'absent',
  });

/** Counts a call that the caller pays to the provider: it takes a place among the calls at once, and no money. Throws 429. */
export async function holdPlace(deps: Deps, accountId: string): Promise<Hold> {
  try {
    return await placeHold(deps, accountId, 0, {});
  } catch (error) {
    if (!(error instanceof HoldRefused)) throw error;
    throw tooManyCalls(error.account);
  }
}

const tooManyCalls = (account: AiAccount | undefined): ApiError =>
  limitReached('concurrentAiCalls', account?.callLimit ?? LIMITS.concurrentAiCalls.amounts, RETRY_AFTER_S);

async function placeHold(
  deps: Deps,
  accountId: string,
  microRand: number,
  conditions: Record<string, Condition>,
): Promise<Hold> {
  const id = randomUUID();
  const expiresAt = new Date(deps.now().getTime() + HOLD_LIFETIME_MS).toISOString();
  const what: Change = {
    set: { [`holds.${id}`]: { microRand, expiresAt } },
    setOnce: schedule(AiAccount, expiresAt),
    add: { availableMicroRand: -microRand },
    // The client repeats a write whose answer was lost.
    when: { ...conditions, [`holds.${id}`]: 'absent' },
    whenAny: [
      [
        { callLimit: 'absent', holds: { sizeBelow: LIMITS.concurrentAiCalls.amounts } },
        { holds: { sizeBelow: { attribute: 'callLimit' } } },
      ],
    ],
  };
  const write = changeOrInspect(AiAccount, { accountId }, what, (found) => new HoldRefused(found));
  // Of the account no more than what changed: it has the holds of all running calls.
  const changed = await deps.table.updateReturningChanged(write).catch((error: unknown) => {
    if (error instanceof HoldRefused && error.account?.holds[id]) return error.account;
    throw error;
  });
  const before = Number(changed.availableMicroRand) + microRand;
  return { accountId, id, microRand, granted: Math.min(microRand, before) };
}

/** Why there was no hold, for the caller: 402 when the credits are used up or owed, 429 when only running calls stand in the way. */
export function toHoldRefusal({ account }: HoldRefused): ApiError {
  const { debtMicroRand = 0 } = account ?? {};
  if (account && debtMicroRand > 0 && account.balanceMicroRand < debtMicroRand + MIN_BALANCE_MICRO_RAND) {
    const message = `An earlier call cost R${debtToRand(debtMicroRand)} more than your AI credits; buy credits to cover it.`;
    return new ApiError('insufficient_credits', message);
  }
  if (!account || account.balanceMicroRand < MIN_BALANCE_MICRO_RAND) return new ApiError('insufficient_credits');
  const { callLimit = LIMITS.concurrentAiCalls.amounts, holds } = account;
  if (Object.keys(holds).length >= callLimit) return tooManyCalls(account);
  const message = 'Your running calls hold all of your AI credits; what they do not use comes back when they end.';
  return new ApiError('rate_limited', message, { retryAfter: RETRY_AFTER_S });
}

/** The hold is gone: it was settled or released before. */
export class HoldNotFound extends Error {}

const giveBack = ({ accountId, id, microRand }: Hold, charge: number, left?: number, owed = 0): Write =>
  change(
    AiAccount,
    { accountId },
    {
      add: {
        availableMicroRand: microRand - charge,
        balanceMicroRand: -charge,
        ...(owed > 0 ? { debtMicroRand: owed } : {}),
      },
      remove: [`holds.${id}`],
      when: { [`holds.${id}`]: 'present', ...(left ? { availableMicroRand: { atLeast: left } } : {}) },
    },
    () => new HoldNotFound('the hold is gone'),
  );

/** Gives a hold back unused. */
export async function release(deps: Deps, held: Hold): Promise<void> {
  await deps.table.updateReturningChanged(giveBack(held, 0));
}

/** Usage of a call, for the ledger, and the key that it was called with. */
export type Used = Pick<
  AiEntry,
  'requestId' | 'inputTokens' | 'cachedTokens' | 'cacheWriteTokens' | 'outputTokens' | 'price' | 'estimated'
> & { model: string; keyId: string };

/**
 * Charges a call and gives the rest of its hold back, once. A cost beyond the hold is charged as far as credits are
 * available; the rest is owed.
 * @returns what was charged and what had to be written off, in micro-rand
 */
export async function settle(
  deps: Deps,
  held: Hold,
  cost: number,
  used: Used,
): Promise<{ charged: number; writtenOff: number }> {
  const { accountId } = held;
  const excess = Math.max(0, cost - held.granted);
  const account = excess > 0 ? await deps.table.get(AiAccount, { accountId }) : undefined;
  const extra = Math.min(excess, Math.max(0, account?.availableMicroRand ?? 0));
  const within = cost - excess;
  const charge = async (charged: number, left: number) => {
    const { keyId: _, ...call } = used;
    const entry = { ...call, id: deps.newId('aie'), accountId, type: 'CALL' as const, amountMicroRand: -charged };
    const createdAt = deps.now().toISOString();
    const writtenOff = cost - charged;
    await deps.table.transact([
      giveBack(held, charged, left, writtenOff),
      create(AiEntry, { ...entry, createdAt }),
      countUsage(accountId, createdAt, charged, used),
    ]);
    return { charged, writtenOff };
  };
  if (extra === 0) return await charge(within, 0);
  return await charge(within + extra, extra).catch((error: unknown) => {
    // What was available is no longer: another call holds it.
    if (error instanceof HoldNotFound) return charge(within, 0);
    throw error;
  });
}

/** Adds a call to the sums of its day. */
function countUsage(accountId: string, createdAt: string, charged: number, { keyId, model, ...used }: Used): Write {
  const of = { accountId, day: createdAt.slice(0, 10), keyId, model };
  const inputTokens = used.inputTokens + used.cachedTokens + used.cacheWriteTokens;
  const sums = { calls: 1, inputTokens, outputTokens: used.outputTokens, microRand: charged };
  const item = { ...of, ...sums };
  const set = { ...of, ...AiUsage.list?.(item), entity: AiUsage.type, expiresAtEpoch: AiUsage.expiresAtEpoch?.(item) };
  return upsert(AiUsage, of, { set, add: sums });
}

const NO_TOKENS = {
  ...{ requestId: null, model: null, price: null, estimated: false },
  ...{ inputTokens: 0, cachedTokens: 0, cacheWriteTokens: 0, outputTokens: 0 },
};

/** An entry of the ledger that is no call. */
export function newCreditEntry(
  deps: Deps,
  accountId: string,
  type: 'PURCHASE' | 'ADJUSTMENT',
  amountMicroRand: number,
): AiEntry {
  const createdAt = deps.now().toISOString();
  return { ...NO_TOKENS, id: deps.newId('aie'), accountId, type, amountMicroRand, createdAt };
}

/**
 * The writes that add what an entry says; the account's first ones open its books.
 * @param payment an entry of less than zero that pays what the account owes, in the same transaction
 */
export function addCredits(entry: AiEntry, payment?: AiEntry): Write[] {
  const { accountId, amountMicroRand, createdAt } = entry;
  const paid = -(payment?.amountMicroRand ?? 0);
  const add = { balanceMicroRand: amountMicroRand - paid, availableMicroRand: amountMicroRand - paid };
  const opening = { set: { accountId, entity: AiAccount.type }, setOnce: { holds: {}, keys: {} }, add };
  const settling = { add: { ...add, debtMicroRand: -paid }, when: { debtMicroRand: { atLeast: paid } } };
  return [
    paid > 0 ? change(AiAccount, { accountId }, settling, concurrentUpdate) : upsert(AiAccount, { accountId }, opening),
    upsert(
      AiAudit,
      { accountId },
      {
        set: { accountId, entity: AiAudit.type },
        setOnce: { upTo: '', sumMicroRand: 0, ...schedule(AiAudit, createdAt) },
      },
    ),
    ...(amountMicroRand === 0 ? [] : [create(AiEntry, entry)]),
    ...(payment ? [create(AiEntry, payment)] : []),
  ];
}

/** Pays what an account owes from its available credits, if they cover it. @returns true if it was paid, or changed meanwhile */
export async function payDebt(deps: Deps, account: AiAccount | undefined): Promise<boolean> {
  const { accountId, debtMicroRand = 0, availableMicroRand = 0 } = account ?? {};
  if (!accountId || debtMicroRand === 0 || availableMicroRand < debtMicroRand) return false;
  const payment = newCreditEntry(deps, accountId, 'ADJUSTMENT', -debtMicroRand);
  const what: Change = {
    add: { availableMicroRand: -debtMicroRand, balanceMicroRand: -debtMicroRand },
    remove: ['debtMicroRand'],
    when: { debtMicroRand: { is: debtMicroRand }, availableMicroRand: { atLeast: debtMicroRand } },
  };
  const pay = change(AiAccount, { accountId }, what, concurrentUpdate);
  await ignoreConflict(deps.table.transact([{ ...pay, onConflict: concurrentUpdate }, create(AiEntry, payment)]));
  return true;
}

/** Accounts with holds of calls that died: those that have expired are released. */
export const expiredHoldQueue: DueQueue<typeof AiAccount, Deps> = {
  queue: 'AI_ACCOUNT',
  entity: AiAccount,
  act: releaseExpired,
};

/** Releases the expired holds of one account. @returns their number */
export async function releaseExpiredHoldsOf(deps: Deps, accountId: string): Promise<number> {
  const account = await deps.table.get(AiAccount, { accountId });
  return account ? await releaseExpired(deps, account) : 0;
}

async function releaseExpired(deps: Deps, account: AiAccount): Promise<number> {
  const now = deps.now().toISOString();
  const { accountId } = account;
  let released = 0;
  for (const [id, { microRand, expiresAt }] of Object.entries(account.holds)) {
    if (expiresAt > now) continue;
    try {
      await release(deps, { accountId, id, microRand, granted: 0 });
      released += 1;
    } catch (error) {
      if (!(error instanceof HoldNotFound)) throw error;
    }
  }
  await scheduleCheck(deps, account, now);
  return released;
}

/** Schedules the check at which the account's next hold expires; unschedules an account without holds. */
async function scheduleCheck(deps: Deps, before: AiAccount, now: string): Promise<void> {
  const { accountId } = before;
  const left = Object.values(before.holds).filter(({ expiresAt }) => expiresAt > now);
  const next = left.map(({ expiresAt }) => expiresAt).sort()[0];
  const balance = before.balanceMicroRand;
  // All is available: no hold has come since we looked. Otherwise it stays on the list and the next run looks again.
  const idle = { balanceMicroRand: { is: balance }, availableMicroRand: { is: balance } };
  const what: Change = next ? { set: schedule(AiAccount, next) } : { remove: unschedule(AiAccount), when: idle };
  await ignoreConflict(deps.table.write(AiAccount, change(AiAccount, { accountId }, what, concurrentUpdate)));
}
