import { AiAccount, type AiEntry, AiKeySpending } from '../../table/entities/ai.ts';
import { DAY, epoch } from '../../table/entity.ts';
import { unchanged } from '../../table/expressions.ts';
import { upsert } from '../../table/writes.ts';
import { concurrentUpdate, ignoreConflict } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { monthOf } from '../time.ts';
import {
  addedAttribute,
  chargedIn,
  KEPT_DAYS,
  monthAttribute,
  previousMonthAt,
  staleMonthAttributes,
} from './key-budgets.ts';
import { inBatches, readUnclosed } from './usage-sums.ts';
import { firstUnclosedOf, startOf } from './windows.ts';

/**
 * The monthly spending of API keys. A call of a key with a budget adds its charge itself, once its entry is stored (budget-holds.ts). All
 * charges that calls have not added, those of calls without a budget and of calls that crashed after their entry, are added when their
 * window closes. So a budget that is set in the middle of a month includes them. A read adds the entries of open windows whose calls had no
 * budget.
 */

/** Micro-rand by key, of the entries of one window. */
export type Spending = Map<string, number>;

/** Adds the charge of an entry to the spending of its key. */
export function addSpending(spending: Spending, { keyId, amountMicroRand }: AiEntry): void {
  if (keyId !== undefined) spending.set(keyId, (spending.get(keyId) ?? 0) - amountMicroRand);
}

/**
 * Adds the spending of a window, as far as calls have not added it, to the keys' sums of its month, and removes stale months. Does nothing
 * for a window before the previous month. As with the sums of days, a repetition adds nothing (usage-sums.ts).
 */
export async function addWindowSpending(
  deps: Pick<Deps, 'table' | 'now'>,
  accountId: string,
  window: number,
  spending: Spending,
): Promise<void> {
  // A window never spans two months: every month begins at the start of a window.
  const month = monthOf(startOf(window));
  if (month < previousMonthAt(deps.now())) return;
  const expiresAtEpoch = epoch(deps.now().toISOString()) + KEPT_DAYS * DAY;
  const added = addedAttribute(window);
  await inBatches([...spending], async ([keyId, total]) => {
    const key = { accountId, keyId };
    // Calls of a key without a budget have added nothing, so most writes need no read.
    let item: AiKeySpending | undefined;
    while ((item?.throughWindow ?? 0) < window) {
      const addedByCalls = item?.[added] as number | undefined;
      const rest = total - (addedByCalls ?? 0);
      const update = {
        set: { ...key, throughWindow: window, expiresAtEpoch },
        setOnce: { [monthAttribute('alerted', month)]: 0 },
        // The schema requires `openCalls`, in earlier versions too.
        add: { openCalls: 0, [monthAttribute('spent', month)]: rest, [monthAttribute('charged', month)]: rest },
        remove: [...staleMonthAttributes(deps.now()), added],
        when: { throughWindow: { absentOrBelow: window }, [added]: unchanged(addedByCalls) },
      };
      const write = upsert(AiKeySpending, key, update, concurrentUpdate);
      if (await ignoreConflict(deps.table.updateReturningChanged(write))) return;
      item = await deps.table.get(AiKeySpending, key);
    }
  });
}

/** Returns what keys of an account have spent in the current month, in micro-rand, exact at the time of the read. */
export async function readSpending(
  deps: Pick<Deps, 'table' | 'now'>,
  accountId: string,
  keyIds: readonly string[],
): Promise<Map<string, number>> {
  const now = deps.now();
  // Read the account first: the items that are read next include every window that is closed by now.
  const first = firstUnclosedOf((await deps.table.get(AiAccount, { accountId })) ?? {});
  const [unclosed, items] = await Promise.all([
    first === undefined ? [] : readUnclosed(deps, accountId, first),
    Promise.all(keyIds.map((keyId) => deps.table.get(AiKeySpending, { accountId, keyId }))),
  ]);
  const spending: Spending = new Map(keyIds.map((keyId, index) => [keyId, chargedIn(items[index], now)]));
  const throughWindows = new Map(keyIds.map((keyId, index) => [keyId, Number(items[index]?.throughWindow ?? 0)]));
  const month = monthOf(now);
  for (const entry of unclosed) {
    const { keyId, window = 0 } = entry;
    const throughWindow = keyId === undefined ? undefined : throughWindows.get(keyId);
    const isRead = throughWindow !== undefined && window > throughWindow && monthOf(startOf(window)) === month;
    if (isRead && entry.keySumAtClose) addSpending(spending, entry);
  }
  return spending;
}
