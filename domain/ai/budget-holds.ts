import { ApiError } from '../../contract/errors.ts';
import { AiKeySpending } from '../../table/entities/ai.ts';
import { DAY, epoch } from '../../table/entity.ts';
import { atMostOnce, change, upsert } from '../../table/writes.ts';
import { ConcurrentUpdateError, concurrentUpdate, ignoreConflict } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { monthOf } from '../time.ts';
import {
  addedAttribute,
  alertNearBudget,
  budgetUsedUp,
  chargedIn,
  KEPT_DAYS,
  monthAttribute,
  staleMonthAttributes,
} from './key-budgets.ts';
import { callsOverAt, startOf, sumAttribute, windowAt, windowsOf } from './windows.ts';

/** An API key and its monthly budget for AI credits; the key is empty for a login. */
export interface CallingKey {
  accountId: string;
  keyId: string;
  /** Micro-rand; absent without a budget. */
  budgetMicroRand?: number | undefined;
}

/** The part of a key's monthly budget that a running call holds. */
export interface BudgetHold extends CallingKey {
  budgetMicroRand: number;
  /** The window in which the call began. */
  window: number;
  /** Micro-rand that the call holds. */
  held: number;
  /** Micro-rand that the call may spend within the budget. */
  granted: number;
  /** True for the first call of a window: when it ends, it removes the windows whose calls must be over. */
  isFirst: boolean;
}

/**
 * Holds the maximum cost of a call in the budget of its key. As on the account (credits.ts), the hold may exceed the remaining
 * budget; the call may then spend only the remainder. Throws 402 if the budget is used up, and 429 with `retryAfter` seconds if only
 * the holds of other calls prevent the call. The hold of a call that crashed remains until its lifetime is over.
 * @returns undefined without a budget, or for a call that costs no credits
 */
export async function holdBudget(
  deps: Pick<Deps, 'table' | 'now'>,
  caller: CallingKey,
  microRand: number,
  retryAfter: number,
): Promise<BudgetHold | undefined> {
  const { accountId, keyId, budgetMicroRand } = caller;
  if (budgetMicroRand === undefined || microRand === 0) return undefined;
  const now = deps.now();
  const window = windowAt(now);
  const key = { accountId, keyId };
  const spent = monthAttribute('spent', monthOf(now));
  const calls = sumAttribute('calls', window);
  const update = {
    set: { ...key, expiresAtEpoch: epoch(now.toISOString()) + KEPT_DAYS * DAY },
    add: { openCalls: 1, [calls]: 1, [spent]: microRand, [sumAttribute('held', window)]: microRand },
    remove: staleMonthAttributes(now),
    when: { [spent]: { absentOrBelow: budgetMicroRand } },
  };
  const write = upsert(AiKeySpending, key, update, concurrentUpdate);
  let changed: Record<string, unknown>;
  try {
    changed = await deps.table.updateReturningChanged(write);
  } catch (error) {
    if (!(error instanceof ConcurrentUpdateError)) throw error;
    const item = await deps.table.get(AiKeySpending, key);
    const refused = (): ApiError => refusalOf(item, budgetMicroRand, retryAfter, now);
    if (!(await removeEndedWindows(deps, key, item))) throw refused();
    changed = await deps.table.updateReturningChanged({ ...write, onConditionFailed: refused });
  }
  const remaining = budgetMicroRand - (Number(changed[spent]) - microRand);
  const granted = Math.min(microRand, remaining);
  return { ...key, budgetMicroRand, window, held: microRand, granted, isFirst: changed[calls] === 1 };
}

/** Returns the error of a call that got no hold: the budget is used up, or running calls hold its remainder. */
function refusalOf(item: AiKeySpending | undefined, budgetMicroRand: number, retryAfter: number, now: Date): ApiError {
  if (chargedIn(item, now) >= budgetMicroRand) return budgetUsedUp(budgetMicroRand, now);
  const message =
    'Running calls of this API key hold the rest of its AI budget. What they do not use is released when they end.';
  return new ApiError('rate_limited', message, { retryAfter });
}

/**
 * Charges a call to the budget of its key, and releases the part of its hold that it did not spend. If the write fails, the close of the
 * entry's window charges the call, and the hold is released once the calls of its own window are over.
 * @param entry the stored entry of a call that costs credits, with the charge as a positive amount
 */
export async function releaseBudget(
  deps: Pick<Deps, 'table' | 'now'>,
  budget: BudgetHold,
  entry?: { window: number; chargedMicroRand: number },
): Promise<void> {
  const { window, accountId, keyId, held, budgetMicroRand, isFirst } = budget;
  const key = { accountId, keyId };
  // A window never spans two months: every month begins at the start of a window.
  const month = monthOf(startOf(window));
  const chargedMicroRand = entry?.chargedMicroRand ?? 0;
  const update = {
    add: {
      openCalls: -1,
      [sumAttribute('calls', window)]: -1,
      [sumAttribute('held', window)]: -held,
      [monthAttribute('spent', month)]: chargedMicroRand - held,
      ...(entry && {
        [monthAttribute('charged', month)]: chargedMicroRand,
        [addedAttribute(entry.window)]: chargedMicroRand,
      }),
    },
    ...(entry && { setOnce: { [monthAttribute('alerted', month)]: 0 } }),
    when: {
      [sumAttribute('calls', window)]: { atLeast: 1 },
      ...(entry && { throughWindow: { absentOrBelow: entry.window } }),
    },
  } as const;
  const write = atMostOnce(change(AiKeySpending, key, update, concurrentUpdate));
  // Requests the whole item if it is needed below, which saves a read.
  const changed = await ignoreConflict(deps.table.updateReturningChanged(write, isFirst ? 'ALL_NEW' : undefined));
  if (changed && entry) await alertNearBudget(deps, { ...key, month, budgetMicroRand }, changed);
  // Otherwise the item of a key in constant use would grow by attributes of every window.
  if (isFirst)
    await removeEndedWindows(
      deps,
      key,
      changed ? AiKeySpending.parse(changed) : await deps.table.get(AiKeySpending, key),
    );
}

/**
 * Removes the windows whose calls must have ended or crashed, and subtracts their remaining calls and holds. @returns true if
 * there were such windows
 */
async function removeEndedWindows(
  deps: Pick<Deps, 'table' | 'now'>,
  key: { accountId: string; keyId: string },
  item: AiKeySpending | undefined,
): Promise<boolean> {
  // By then the windows with the entries of these calls can be closed. Earlier, a crashed call would free a part of the budget that it has
  // spent and that no close has added yet.
  const over = windowsOf(item ?? {}).filter(({ window }) => callsOverAt(window) <= deps.now());
  if (over.length === 0) return false;
  const add: Record<string, number> = { openCalls: -over.reduce((sum, { calls }) => sum + calls, 0) };
  for (const { window, held } of over.filter((sums) => sums.held > 0)) {
    const spent = monthAttribute('spent', monthOf(startOf(window)));
    // The sums of earlier months may already be removed.
    if (item?.[spent] !== undefined) add[spent] = (add[spent] ?? 0) - held;
  }
  const update = {
    add,
    remove: over.flatMap(({ attributes }) => attributes),
    when: Object.fromEntries(over.map(({ window, calls }) => [sumAttribute('calls', window), { is: calls }])),
  };
  await ignoreConflict(deps.table.updateReturningChanged(change(AiKeySpending, key, update, concurrentUpdate)));
  return true;
}
