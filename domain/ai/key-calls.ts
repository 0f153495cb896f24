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

/** Maximum of concurrent calls of one API key, so that one key cannot use up the slots of its account or of the platform. */
const MAX_CALLS = LIMITS.concurrentAiCallsPerKey.amounts;
/** Days for which a key's item is kept after its last call: longer than the month of a budget. */
const KEPT_DAYS = 40;

/** An API key and its monthly budget for AI credits; the key is empty for a login. */
export interface CallingKey {
  accountId: string;
  keyId: string;
  /** Micro-rand; absent without a budget. */
  budgetMicroRand?: number | undefined;
}

/** A slot of a key's concurrent calls, with the part of its budget that the call holds. */
export interface KeySlot extends CallingKey {
  window: number;
  /** Micro-rand of the budget that the call holds; 0 without a budget. */
  held: number;
  /** Micro-rand that the call may spend within the budget. */
  granted: number;
  /** True for the first call of a window, which removes the windows that are over. */
  isFirst: boolean;
}

/**
 * Counts a call of a key, and holds its maximum cost in the key's budget. As on the account (credits.ts), the hold may exceed the
 * remaining budget; the call may then spend only the remainder. Throws 402 if the budget is used up, 429 with `retryAfter` seconds
 * if only the holds of other calls prevent the call, and 429 if the key has {@link MAX_CALLS} open calls. A call that crashed
 * counts until its hold's lifetime is over.
 */
export async function acquireKeySlot(
  deps: Pick<Deps, 'table' | 'now'>,
  caller: CallingKey,
  microRand: number,
  retryAfter: number,
): Promise<KeySlot> {
  const now = deps.now();
  const window = windowAt(now);
  const { accountId, keyId, budgetMicroRand } = caller;
  const key = { accountId, keyId };
  const held = budgetMicroRand === undefined ? 0 : microRand;
  const spent = monthAttribute('spent', monthAt(now));
  const calls = sumAttribute('calls', window);
  const update = {
    set: { ...key, expiresAtEpoch: epoch(now.toISOString()) + KEPT_DAYS * DAY },
    add: { openCalls: 1, [calls]: 1, ...(held > 0 && { [spent]: held, [sumAttribute('held', window)]: held }) },
    remove: staleMonthAttributes(now),
    when: {
      openCalls: { absentOrBelow: MAX_CALLS },
      ...(held > 0 && { [spent]: { absentOrBelow: budgetMicroRand ?? 0 } }),
    },
  };
  const count = upsert(AiKeyCalls, key, update, concurrentUpdate);
  let changed: Record<string, unknown>;
  try {
    changed = await deps.table.updateReturningChanged(count);
  } catch (error) {
    if (!(error instanceof ConcurrentUpdateError)) throw error;
    const item = await deps.table.get(AiKeyCalls, key);
    const refused = (): ApiError => refusalOf(item, caller, retryAfter, now);
    if (!(await removeEndedWindows(deps, key, item))) throw refused();
    changed = await deps.table.updateReturningChanged({ ...count, onConditionFailed: refused });
  }
  const remaining = (budgetMicroRand ?? 0) - (Number(changed[spent]) - held);
  const granted = budgetMicroRand === undefined || held === 0 ? microRand : Math.min(microRand, remaining);
  return { ...caller, window, held, granted, isFirst: changed[calls] === 1 };
}

/** Returns the error of a call that was not counted: too many calls, the budget is used up, or running calls hold its remainder. */
function refusalOf(item: AiKeyCalls | undefined, caller: CallingKey, retryAfter: number, now: Date): ApiError {
  const { budgetMicroRand } = caller;
  if (budgetMicroRand === undefined || (item?.openCalls ?? 0) >= MAX_CALLS)
    return limitReached('concurrentAiCallsPerKey', MAX_CALLS, retryAfter);
  if (chargedIn(item, now) >= budgetMicroRand) return budgetUsedUp(budgetMicroRand, now);
  const message =
    'Running calls of this API key hold the rest of its AI budget. What they do not use is released when they end.';
  return new ApiError('rate_limited', message, { retryAfter });
}

/**
 * Releases a key's slot, and the part of the budget that the call held and did not spend. If the response is lost, both are released
 * once the calls of the window are over.
 */
export async function releaseKeySlot(
  deps: Pick<Deps, 'table' | 'now'>,
  slot: KeySlot,
  chargedMicroRand = 0,
): Promise<void> {
  const { window, accountId, keyId, held, budgetMicroRand, isFirst } = slot;
  const key = { accountId, keyId };
  // A window never spans two months: every month begins at the start of a window.
  const month = monthAt(startOf(window));
  const isCharged = chargedMicroRand > 0;
  const update = {
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
  const write = atMostOnce(change(AiKeyCalls, key, update, concurrentUpdate));
  // Requests the whole item if it is needed below, which saves a read.
  const changed = await ignoreConflict(deps.table.updateReturningChanged(write, isFirst ? 'ALL_NEW' : undefined));
  if (changed && isCharged && budgetMicroRand !== undefined)
    await alertNearBudget(deps, { ...key, month, budgetMicroRand }, changed);
  // Otherwise the item of a key in constant use would grow by attributes of every window.
  if (isFirst)
    await removeEndedWindows(deps, key, changed ? AiKeyCalls.parse(changed) : await deps.table.get(AiKeyCalls, key));
}

/**
 * Removes the windows whose calls must have ended or crashed, and subtracts their remaining calls and holds. @returns true if
 * there were such windows
 */
async function removeEndedWindows(
  deps: Pick<Deps, 'table' | 'now'>,
  key: { accountId: string; keyId: string },
  item: AiKeyCalls | undefined,
): Promise<boolean> {
  const before = deps.now().getTime() - HOLD_LIFETIME_MS;
  const over = windowsOf(item ?? {}).filter(({ window }) => startOf(window + 1) <= before);
  if (over.length === 0) return false;
  const add: Record<string, number> = { openCalls: -over.reduce((sum, { calls }) => sum + calls, 0) };
  for (const { window, held } of over.filter((sums) => sums.held > 0)) {
    const spent = monthAttribute('spent', monthAt(startOf(window)));
    // The sums of earlier months may already be removed.
    if (item?.[spent] !== undefined) add[spent] = (add[spent] ?? 0) - held;
  }
  const update = {
    add,
    remove: over.flatMap(({ attributes }) => attributes),
    when: Object.fromEntries(over.map(({ window, calls }) => [sumAttribute('calls', window), { is: calls }])),
  };
  await ignoreConflict(deps.table.updateReturningChanged(change(AiKeyCalls, key, update, concurrentUpdate)));
  return true;
}
