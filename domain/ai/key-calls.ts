import { ApiError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits/limits.ts';
import { AiKeyCalls } from '../../table/entities/ai.ts';
import { DAY, epoch } from '../../table/entity.ts';
import { atMostOnce, change, upsert } from '../../table/writes.ts';
import { ConcurrentUpdateError, concurrentUpdate, ignoreConflict } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { limitReached } from '../limits/limits.ts';
import {
  alertNearBudget,
  budgetUsedUp,
  chargedIn,
  monthAt,
  monthAttribute,
  staleMonthAttributes,
} from './key-budgets.ts';
import { HOLD_LIFETIME_MS, startOf, sumAttribute, windowAt, windowsOf } from './windows.ts';

/** Open calls of one API key at most: one key never takes all of its account's places, nor the platform's. */
const MAX_CALLS = LIMITS.concurrentAiCallsPerKey.amounts;
/** Days after its last call for which a key's item is kept: longer than the month that a budget counts. */
const KEPT_DAYS = 40;

/** An API key and its monthly budget for AI credits; the key is empty for a login. */
export interface CallingKey {
  accountId: string;
  keyId: string;
  /** Micro-rand; absent without a budget. */
  budgetMicroRand?: number | undefined;
}

export interface KeyPlace extends CallingKey {
  window: number;
  /** Micro-rand of the budget that the call holds. */
  held: number;
  /** The most that the call may cost within the budget. */
  granted: number;
  /** True for the first call of a window: it clears away windows that are over. */
  isFirst: boolean;
}

/**
 * Counts a call of a key, and holds what it may cost of the key's budget. A hold does not know what is left, as on the account
 * (credits.ts): it may be more, and then the call has only what was left. Throws 402 where the budget is used up, 429 with
 * `retryAfter` seconds while only holds of other calls stand in the way, and 429 when the key has {@link MAX_CALLS} open calls;
 * those that died count until they cannot be running any more.
 */
export async function takeKeyPlace(
  deps: Pick<Deps, 'table' | 'now'>,
  key: CallingKey,
  microRand: number,
  retryAfter: number,
): Promise<KeyPlace> {
  const now = deps.now();
  const window = windowAt(now);
  const { accountId, keyId, budgetMicroRand } = key;
  const of = { accountId, keyId };
  const held = budgetMicroRand === undefined ? 0 : microRand;
  const spent = monthAttribute('spent', monthAt(now));
  const calls = sumAttribute('calls', window);
  const what = {
    set: { ...of, expiresAtEpoch: epoch(now.toISOString()) + KEPT_DAYS * DAY },
    add: { openCalls: 1, [calls]: 1, ...(held > 0 && { [spent]: held, [sumAttribute('held', window)]: held }) },
    remove: staleMonthAttributes(now),
    when: {
      openCalls: { absentOrBelow: MAX_CALLS },
      ...(held > 0 && { [spent]: { absentOrBelow: budgetMicroRand ?? 0 } }),
    },
  };
  const count = upsert(AiKeyCalls, of, what, concurrentUpdate);
  let changed: Record<string, unknown>;
  try {
    changed = await deps.table.updateReturningChanged(count);
  } catch (error) {
    if (!(error instanceof ConcurrentUpdateError)) throw error;
    const item = await deps.table.get(AiKeyCalls, of);
    const refused = (): ApiError => refusalOf(item, key, retryAfter, now);
    if (!(await forgetDeadCalls(deps, of, item))) throw refused();
    changed = await deps.table.updateReturningChanged({ ...count, onConditionFailed: refused });
  }
  const left = (budgetMicroRand ?? 0) - (Number(changed[spent]) - held);
  const granted = budgetMicroRand === undefined || held === 0 ? microRand : Math.min(microRand, left);
  return { ...key, window, held, granted, isFirst: changed[calls] === 1 };
}

/** Why a call was not counted: its key's budget, holds of it, or the number of calls. */
function refusalOf(item: AiKeyCalls | undefined, key: CallingKey, retryAfter: number, now: Date): ApiError {
  const { budgetMicroRand } = key;
  if (budgetMicroRand === undefined || (item?.openCalls ?? 0) >= MAX_CALLS)
    return limitReached('concurrentAiCallsPerKey', MAX_CALLS, retryAfter);
  if (chargedIn(item, now) >= budgetMicroRand) return budgetUsedUp(budgetMicroRand, now);
  const message = 'Running calls of this API key hold what is left of its AI budget; what they do not use comes back.';
  return new ApiError('rate_limited', message, { retryAfter });
}

/**
 * Gives a place back, and what the call did not use of its key's budget. Where the answer is lost, both are free once the
 * calls of the window are over.
 */
export async function leaveKeyPlace(
  deps: Pick<Deps, 'table' | 'now'>,
  place: KeyPlace,
  chargedMicroRand = 0,
): Promise<void> {
  const { window, accountId, keyId, held, budgetMicroRand, isFirst } = place;
  const of = { accountId, keyId };
  // A window lies in one month: months begin with a window.
  const month = monthAt(startOf(window));
  const isCharged = chargedMicroRand > 0;
  const what = {
    add: {
      openCalls: -1,
      [sumAttribute('calls', window)]: -1,
      ...(held > 0 && { [sumAttribute('held', window)]: -held }),
      ...((isCharged || held > 0) && { [monthAttribute('spent', month)]: chargedMicroRand - held }),
      ...(isCharged && { [monthAttribute('charged', month)]: chargedMicroRand }),
    },
    ...(isCharged && { setOnce: { [monthAttribute('alerted', month)]: 0 } }),
    when: { [sumAttribute('calls', window)]: { atLeast: 1 } },
  } as const;
  const write = atMostOnce(change(AiKeyCalls, of, what, concurrentUpdate));
  // The whole item where it is read below, which a read of its own would cost.
  const changed = await ignoreConflict(deps.table.updateReturningChanged(write, isFirst ? 'ALL_NEW' : undefined));
  if (changed && isCharged && budgetMicroRand !== undefined)
    await alertNearBudget(deps, { ...of, month, budgetMicroRand }, changed);
  // Otherwise the item of a key in constant use would grow by an attribute for each window.
  if (isFirst)
    await forgetDeadCalls(deps, of, changed ? AiKeyCalls.parse(changed) : await deps.table.get(AiKeyCalls, of));
}

/**
 * Removes the windows that are over, and takes calls out of the count that began so long ago that they died. @returns true
 * if anything changed
 */
async function forgetDeadCalls(
  deps: Pick<Deps, 'table' | 'now'>,
  of: { accountId: string; keyId: string },
  item: AiKeyCalls | undefined,
): Promise<boolean> {
  const before = deps.now().getTime() - HOLD_LIFETIME_MS;
  const over = windowsOf(item ?? {}).filter(({ window }) => startOf(window + 1) <= before);
  if (over.length === 0) return false;
  const add: Record<string, number> = { openCalls: -over.reduce((sum, { calls }) => sum + calls, 0) };
  for (const { window, held } of over.filter((each) => each.held > 0)) {
    const spent = monthAttribute('spent', monthAt(startOf(window)));
    // The months before are removed with their sums.
    if (item?.[spent] !== undefined) add[spent] = (add[spent] ?? 0) - held;
  }
  const what = {
    add,
    remove: over.flatMap(({ attributes }) => attributes),
    when: Object.fromEntries(over.map(({ window, calls }) => [sumAttribute('calls', window), { is: calls }])),
  };
  await ignoreConflict(deps.table.updateReturningChanged(change(AiKeyCalls, of, what, concurrentUpdate)));
  return true;
}
