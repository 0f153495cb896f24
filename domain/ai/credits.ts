import { ApiError } from '../../contract/errors.ts';
import { AiAccount } from '../../table/entities/ai.ts';
import type { Change, Condition } from '../../table/expressions.ts';
import { schedule } from '../../table/schedule.ts';
import { atMostOnce, change, changeOrInspect } from '../../table/writes.ts';
import { concurrentUpdate, ignoreConflict } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { limitReached, limitsHere } from '../limits/limits.ts';
import { timestampAfter } from '../time.ts';
import { entered, type NewEntry } from './entries.ts';
import { type CallingKey, type KeyPlace, leaveKeyPlace, takeKeyPlace } from './key-calls.ts';
import { debtToRand } from './prices.ts';
import { closesAt, HOLD_LIFETIME_MS, sumAttribute, windowAt } from './windows.ts';

/**
 * AI credits in whole micro-rand. True once the windows of all calls are closed (closing.ts), whatever crashed or was lost
 * on the way, and always true of calls of which nothing did:
 * - the balance is the sum of the ledger;
 * - what is available is the balance less the holds of running calls.
 * In between, what is available is never more than that.
 *
 * A hold is one conditional write that does not know what is left: it takes the most that the call can cost, and what is
 * available may so fall below zero. Then the call has only what was there before (`granted`), and no other call gets a
 * hold until it is given back. What calls are granted together is never more than the balance, so it never falls below zero.
 *
 * No transaction touches the account's item while a call goes well: of transactions on one item few succeed in a second,
 * of plain updates a thousand (docs/decisions/0047-ai-holds-by-window.md).
 *
 * A call that cost more than its hold and all other credits leaves the rest as a debt. While there is one, no call gets a
 * hold; it is paid from the next purchase, or from holds that come back.
 */

/** Below this much nothing is sold on credits (specification, Limits 7). */
export const MIN_BALANCE_MICRO_RAND = 500_000;
/** Time after which a call that found no room may try again, in seconds. */
const RETRY_AFTER_S = 5;

export interface Hold {
  accountId: string;
  /** The window in which the call began. */
  window: number;
  /** The amount taken from the available credits. */
  microRand: number;
  /** The most that the call may cost. */
  granted: number;
  /** Time by which the call is settled, in ISO 8601: afterwards the hold counts as one of a call that died. */
  expiresAt: string;
  place: KeyPlace;
}

/** A hold was refused; the account as it is says why. */
export class HoldRefused extends Error {
  readonly account: AiAccount | undefined;
  /** Calls that the account may have open at a time. */
  readonly callLimit: number;
  /** True where the call's window is closed already: the clock is far behind the one that closed it. */
  readonly isLate: boolean;
  constructor(account: AiAccount | undefined, usualLimit: number, window: number) {
    super('no hold');
    this.account = account;
    this.callLimit = account?.callLimit ?? usualLimit;
    this.isLate = (account?.closedWindow ?? 0) >= window;
  }
}

/**
 * Sets aside what a call may cost. Throws {@link HoldRefused} where too little is available, or the caller has a key of their
 * own; 402 where the budget of their API key is used up; 429 where it has too many open calls. No more is set aside than the key
 * may spend: otherwise one key with little left of its budget could keep all other keys of its account waiting.
 */
export const hold = (deps: Deps, caller: CallingKey, provider: string, microRand: number): Promise<Hold> =>
  placeHold(deps, caller, Math.min(microRand, caller.budgetMicroRand ?? microRand), (window) => ({
    availableMicroRand: { atLeast: MIN_BALANCE_MICRO_RAND },
    debtMicroRand: { absentOrBelow: 1 },
    [`keys.${provider}`]: 'absent',
    // The entry of a call in a closed window would never reach the balance.
    closedWindow: { absentOrBelow: window },
  }));

/** Counts a call that the caller pays to the provider: it takes a place among the calls at once, and no money. Throws 429. */
export async function holdPlace(deps: Deps, caller: CallingKey): Promise<Hold> {
  try {
    return await placeHold(deps, caller, 0, () => ({}));
  } catch (error) {
    if (!(error instanceof HoldRefused)) throw error;
    throw tooManyCalls(error);
  }
}

const tooManyCalls = ({ callLimit }: HoldRefused): ApiError =>
  limitReached('concurrentAiCalls', callLimit, RETRY_AFTER_S);

/** Takes a place on the account and one of the key, at the same time; of one alone nothing is left. */
async function placeHold(
  deps: Deps,
  caller: CallingKey,
  microRand: number,
  conditions: (window: number) => Record<string, Condition>,
): Promise<Hold> {
  const { accountId } = caller;
  const now = deps.now();
  const usualLimit = limitsHere(deps.settings).concurrentAiCalls;
  const window = windowAt(now);
  const expiresAt = timestampAfter(now, HOLD_LIFETIME_MS);
  const what: Change = {
    add: {
      availableMicroRand: -microRand,
      openCalls: 1,
      [sumAttribute('held', window)]: microRand,
      [sumAttribute('calls', window)]: 1,
    },
    setOnce: schedule(AiAccount, closesAt(window)),
    when: conditions(window),
    whenAny: [
      [
        { callLimit: 'absent', openCalls: { absentOrBelow: usualLimit } },
        { openCalls: { below: { attribute: 'callLimit' } } },
        { openCalls: 'absent', callLimit: { atLeast: 1 } },
      ],
    ],
  };
  const write = changeOrInspect(AiAccount, { accountId }, what, (found) => new HoldRefused(found, usualLimit, window));
  // A repetition after a lost answer holds twice as much, and the first is given back when its window's calls are over.
  const [changed, place] = await Promise.allSettled([
    deps.table.updateReturningChanged(write),
    takeKeyPlace(deps, caller, microRand, RETRY_AFTER_S),
  ]);
  if (changed.status === 'fulfilled' && place.status === 'fulfilled') {
    const before = Number(changed.value.availableMicroRand) + microRand;
    const granted = Math.min(microRand, before, place.value.granted);
    const held = { accountId, window, microRand, granted, expiresAt, place: place.value };
    return place.value.granted < microRand ? await lowerToGranted(deps, held) : held;
  }
  if (changed.status === 'fulfilled') await giveBack(deps, { accountId, window, microRand });
  if (place.status === 'fulfilled') await leaveKeyPlace(deps, place.value);
  throw changed.status === 'rejected' ? changed.reason : (place as PromiseRejectedResult).reason;
}

/**
 * Gives back what a hold takes beyond what is granted: less is left of the key's budget than was held of the account. If this
 * fails, or its answer is lost, the hold counts as lowered all the same: what then stays held comes back when its window's calls
 * are over.
 */
async function lowerToGranted(deps: Pick<Deps, 'table'>, held: Hold): Promise<Hold> {
  const { accountId, window, microRand, granted } = held;
  const what: Change = {
    add: { availableMicroRand: microRand - granted, [sumAttribute('held', window)]: granted - microRand },
    when: { [sumAttribute('calls', window)]: 'present' },
  };
  const write = atMostOnce(change(AiAccount, { accountId }, what, concurrentUpdate));
  await Promise.allSettled([deps.table.updateReturningChanged(write)]);
  return { ...held, microRand: granted };
}

/** Why there was no hold, for the caller: 402 when the credits are used up or owed, 503 when it would not be charged, 429 when only running calls stand in the way. */
export function toHoldRefusal(refused: HoldRefused): ApiError {
  const { account, callLimit, isLate } = refused;
  const { debtMicroRand = 0 } = account ?? {};
  if (account && debtMicroRand > 0 && account.balanceMicroRand < debtMicroRand + MIN_BALANCE_MICRO_RAND) {
    const message = `An earlier call cost R${debtToRand(debtMicroRand)} more than your AI credits; buy credits to cover it.`;
    return new ApiError('insufficient_credits', message);
  }
  if (!account || account.balanceMicroRand < MIN_BALANCE_MICRO_RAND) return new ApiError('insufficient_credits');
  if (isLate) {
    const message =
      'Calls cannot be charged to AI credits now, because the clock of the platform was set back. Try again later.';
    return new ApiError('server_error', message, { status: 503 });
  }
  const { openCalls = 0 } = account;
  if (openCalls >= callLimit) return tooManyCalls(refused);
  const message =
    'Your running calls hold all of your AI credits; what they do not use comes back when they end. A call with max_tokens holds less.';
  return new ApiError('rate_limited', message, { retryAfter: RETRY_AFTER_S });
}

type Held = Pick<Hold, 'accountId' | 'window' | 'microRand'>;

/** Ends a hold on the account's item. Its condition fails where the calls of its window were declared over before. */
export function endHold(
  { accountId, window, microRand }: Held,
  charged = 0,
  entry?: NewEntry,
): Change & { accountId: string } {
  const calls = sumAttribute('calls', window);
  const { add, setOnce, when } = entry ? entered(entry, -charged) : {};
  return {
    accountId,
    add: {
      openCalls: -1,
      [calls]: -1,
      [sumAttribute('held', window)]: -microRand,
      ...add,
      availableMicroRand: microRand - charged,
    },
    ...(setOnce ? { setOnce } : {}),
    when: { [calls]: 'present', ...when },
  };
}

/**
 * Ends a hold, once. If the answer is lost, the close of the windows finds out whether this was applied, and does it otherwise.
 */
export async function giveBack(
  deps: Pick<Deps, 'table'>,
  held: Held,
  charged?: number,
  entry?: NewEntry,
): Promise<void> {
  const { accountId, ...what } = endHold(held, charged, entry);
  const write = atMostOnce(change(AiAccount, { accountId }, what, concurrentUpdate));
  await ignoreConflict(deps.table.updateReturningChanged(write));
}

/** Gives a hold back unused. */
export async function release(deps: Deps, held: Hold): Promise<void> {
  const results = await Promise.allSettled([giveBack(deps, held), leaveKeyPlace(deps, held.place)]);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}
