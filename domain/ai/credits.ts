import { ApiError } from '../../contract/errors.ts';
import { AiAccount } from '../../table/entities/ai.ts';
import type { Change, Condition } from '../../table/expressions.ts';
import { schedule } from '../../table/schedule.ts';
import { atMostOnce, change, changeOrInspect } from '../../table/writes.ts';
import { concurrentUpdate, ignoreConflict } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { limitReached, limitsHere } from '../limits/limits.ts';
import { timestampAfter } from '../time.ts';
import { type BudgetHold, type CallingKey, holdBudget, releaseBudget } from './budget-holds.ts';
import { balanceUpdate, type NewEntry } from './entries.ts';
import { countCall, hasTooManyCalls, MAX_CALLS, mayBeginCall } from './key-calls.ts';
import { debtToRand } from './prices.ts';
import { closesAt, HOLD_LIFETIME_MS, sumAttribute, windowAt } from './windows.ts';

/**
 * AI credits, in whole micro-rand. Two invariants hold for calls that ended without a crash or a lost response, and for all
 * other calls once their windows are closed (closing.ts):
 * - The balance equals the sum of the ledger's entries.
 * - The available credits equal the balance minus the holds of running calls.
 * In the meantime, the available credits are never more than that.
 *
 * A hold is one conditional write, made without reading the account first. It subtracts the maximum cost of the call, so the
 * available credits may become negative. The call may then spend only the credits that were available before (`granted`), and
 * no other call gets a hold until this one ends. The running calls are never granted more than the balance in total, so the
 * balance never becomes negative.
 *
 * A call whose cost stays within its hold runs no transaction on the account's item: an item takes a thousand plain updates a
 * second, but only a few transactions (docs/decisions/0047-ai-holds-by-window.md).
 *
 * If a call costs more than its hold and all other available credits, the account owes the difference. An account in debt gets
 * no holds. The debt is paid from the next purchase, or from the available credits once holds that end make them sufficient.
 */

/** Minimum of available credits for a call on credits (specification, Limits 7). */
export const MIN_BALANCE_MICRO_RAND = 500_000;
/** `Retry-After` of a call that is refused because of other running calls, in seconds. */
const RETRY_AFTER_S = 5;

export interface Hold {
  accountId: string;
  keyId: string;
  /** The window in which the call began. */
  window: number;
  /** The amount subtracted from the available credits. */
  microRand: number;
  /** The amount that the call may spend. */
  granted: number;
  /** Deadline for the settlement, in ISO 8601. After it, the call counts as crashed. */
  expiresAt: string;
  /** The hold in the budget of the API key, if it has one. */
  budget: BudgetHold | undefined;
}

/** A hold was refused. {@link toHoldRefusal} derives the reason from the account. */
export class HoldRefused extends Error {
  readonly account: AiAccount | undefined;
  /** Calls that the account may have open concurrently. */
  readonly callLimit: number;
  /** True if the API key has as many open calls as one key may have. */
  readonly isKeyLimitReached: boolean;
  /** True if the call's window is already closed: this clock is far behind the clock that closed it. */
  readonly isLate: boolean;
  constructor(account: AiAccount | undefined, keyId: string, usualLimit: number, window: number) {
    super('no hold');
    this.isKeyLimitReached = account !== undefined && hasTooManyCalls(account, keyId);
    this.account = account;
    this.callLimit = account?.callLimit ?? usualLimit;
    this.isLate = (account?.closedWindow ?? 0) >= window;
  }
}

/**
 * Sets aside the maximum cost of a call, but no more than the budget of the API key. Otherwise, one key with a small budget
 * could block all other keys of its account. Throws {@link HoldRefused} if the account's item does not allow the call: too few
 * credits, a debt, a saved provider key, too many open calls, or a closed window. Throws 402 if the key's budget is used up, and 429
 * if running calls hold the rest of it.
 */
export const hold = (deps: Deps, caller: CallingKey, provider: string, microRand: number): Promise<Hold> =>
  placeHold(deps, caller, Math.min(microRand, caller.budgetMicroRand ?? microRand), (window) => ({
    availableMicroRand: { atLeast: MIN_BALANCE_MICRO_RAND },
    debtMicroRand: { absentOrBelow: 1 },
    [`keys.${provider}`]: 'absent',
    // The balance would never include an entry whose window is closed.
    closedWindow: { absentOrBelow: window },
  }));

/** Counts a call that the caller pays to the provider: it uses a slot of the concurrent calls, but no credits. Throws 429. */
export async function holdCallSlot(deps: Deps, caller: CallingKey): Promise<Hold> {
  try {
    return await placeHold(deps, caller, 0, () => ({}));
  } catch (error) {
    if (!(error instanceof HoldRefused)) throw error;
    throw tooManyCalls(error);
  }
}

/** Returns the error of the limit that refused a hold. That of the account comes first, because it refuses the calls of all keys. */
const tooManyCalls = ({ account, callLimit, isKeyLimitReached }: HoldRefused): ApiError =>
  isKeyLimitReached && (account?.openCalls ?? 0) < callLimit
    ? limitReached('concurrentAiCallsPerKey', MAX_CALLS, RETRY_AFTER_S)
    : limitReached('concurrentAiCalls', callLimit, RETRY_AFTER_S);

/** Places a hold on the account and one in the budget of the key, concurrently. If either fails, it releases the other. */
async function placeHold(
  deps: Deps,
  caller: CallingKey,
  microRand: number,
  conditions: (window: number) => Record<string, Condition>,
): Promise<Hold> {
  const { accountId, keyId } = caller;
  const now = deps.now();
  const usualLimit = limitsHere(deps.settings).concurrentAiCalls;
  const window = windowAt(now);
  const expiresAt = timestampAfter(now, HOLD_LIFETIME_MS);
  const update: Change = {
    add: {
      availableMicroRand: -microRand,
      [sumAttribute('held', window)]: microRand,
      ...countCall(keyId, window, 1),
    },
    setOnce: schedule(AiAccount, closesAt(window)),
    when: conditions(window),
    whenAny: [
      [
        { callLimit: 'absent', openCalls: { absentOrBelow: usualLimit } },
        { openCalls: { below: { attribute: 'callLimit' } } },
        { openCalls: 'absent', callLimit: { atLeast: 1 } },
      ],
      mayBeginCall(keyId),
    ],
  };
  const write = changeOrInspect(
    AiAccount,
    { accountId },
    update,
    (found) => new HoldRefused(found, keyId, usualLimit, window),
  );
  // A retry after a lost response holds the amount twice. The first hold is released when the calls of its window are over.
  const [changed, budget] = await Promise.allSettled([
    deps.table.updateReturningChanged(write),
    holdBudget(deps, caller, microRand, RETRY_AFTER_S),
  ]);
  if (changed.status === 'fulfilled' && budget.status === 'fulfilled') {
    const before = Number(changed.value.availableMicroRand) + microRand;
    const granted = Math.min(microRand, before, budget.value?.granted ?? microRand);
    const held = { accountId, keyId, window, microRand, granted, expiresAt, budget: budget.value };
    return (budget.value?.granted ?? microRand) < microRand ? await lowerToGranted(deps, held) : held;
  }
  if (changed.status === 'fulfilled') await endHold(deps, { accountId, keyId, window, microRand });
  if (budget.status === 'fulfilled' && budget.value) await releaseBudget(deps, budget.value);
  throw changed.status === 'rejected' ? changed.reason : (budget as PromiseRejectedResult).reason;
}

/**
 * Lowers a hold to the granted amount, after the key's budget turned out to be smaller than the amount held on the account. If
 * the write fails or its response is lost, the hold still counts as lowered. The excess is then released when the calls of its
 * window are over.
 */
async function lowerToGranted(deps: Pick<Deps, 'table'>, held: Hold): Promise<Hold> {
  const { accountId, window, microRand, granted } = held;
  const update: Change = {
    add: { availableMicroRand: microRand - granted, [sumAttribute('held', window)]: granted - microRand },
    when: { [sumAttribute('calls', window)]: 'present' },
  };
  const write = atMostOnce(change(AiAccount, { accountId }, update, concurrentUpdate));
  await Promise.allSettled([deps.table.updateReturningChanged(write)]);
  return { ...held, microRand: granted };
}

/**
 * Converts a refused hold to the caller's error: 402 if the credits are used up or owed, 503 if the call could not be charged, 429 if
 * only running calls prevent the hold.
 */
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
      'Calls cannot be charged to AI credits at the moment, because the clock of the platform was set back. Try again later.';
    return new ApiError('server_error', message, { status: 503 });
  }
  const { openCalls = 0 } = account;
  if (openCalls >= callLimit || refused.isKeyLimitReached) return tooManyCalls(refused);
  const message =
    'Your running calls hold all of your AI credits. Unused credits are released when the calls end. Set max_tokens to hold less.';
  return new ApiError('rate_limited', message, { retryAfter: RETRY_AFTER_S });
}

type Held = Pick<Hold, 'accountId' | 'keyId' | 'window' | 'microRand'>;

/** Returns the change that ends a hold on the account's item. Its condition fails if the calls of the window already count as over. */
export function changeEndingHold(
  { accountId, keyId, window, microRand }: Held,
  charged = 0,
  entry?: NewEntry,
): Change & { accountId: string } {
  const { add, setOnce, when } = entry ? balanceUpdate(entry, -charged) : {};
  return {
    accountId,
    add: {
      ...countCall(keyId, window, -1),
      [sumAttribute('held', window)]: -microRand,
      ...add,
      availableMicroRand: microRand - charged,
    },
    ...(setOnce ? { setOnce } : {}),
    when: { [sumAttribute('calls', window)]: 'present', ...when },
  };
}

/** Ends a hold, at most once. If the response is lost, the close of the window detects whether the write was applied, and repairs it. */
export async function endHold(
  deps: Pick<Deps, 'table'>,
  held: Held,
  charged?: number,
  entry?: NewEntry,
): Promise<void> {
  const { accountId, ...update } = changeEndingHold(held, charged, entry);
  const write = atMostOnce(change(AiAccount, { accountId }, update, concurrentUpdate));
  await ignoreConflict(deps.table.updateReturningChanged(write));
}

/** Ends the hold of a call that costs nothing, on the account and in the budget of the key. */
export async function releaseHold(deps: Deps, held: Hold): Promise<void> {
  const results = await Promise.allSettled([endHold(deps, held), held.budget && releaseBudget(deps, held.budget)]);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}
