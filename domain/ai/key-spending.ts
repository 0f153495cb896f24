import { AiAccount, type AiEntry, AiKeySpending } from '../../table/entities/ai.ts';
import { DAY, epoch } from '../../table/entity.ts';
import { upsert } from '../../table/writes.ts';
import { concurrentUpdate } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { chargedIn, KEPT_DAYS, monthAt, monthAttribute, previousMonthAt, staleMonthAttributes } from './key-budgets.ts';
import { readUnclosed, writeOnce } from './usage-sums.ts';
import { firstUnclosedOf, startOf } from './windows.ts';

/**
 * The monthly spending of API keys. A call of a key with a budget adds its charge itself (budget-holds.ts). The charges of all other calls
 * are added when their window closes, so that a budget that is set in the middle of a month includes them; a read adds the entries of
 * open windows.
 */

/** Micro-rand by key, of the entries of one window that the calls did not add to their key. */
export type Spending = Map<string, number>;

/** Adds the charge of an entry to the spending of its key, unless the call itself added it to the key. */
export function addSpending(spending: Spending, { keyId, keySumAtClose, amountMicroRand }: AiEntry): void {
  if (keyId === undefined || !keySumAtClose) return;
  spending.set(keyId, (spending.get(keyId) ?? 0) - amountMicroRand);
}

/**
 * Adds the spending of a window to the keys' sums of its month, and removes stale months. Does nothing for a window before the previous
 * month. As with the sums of days, a repetition adds nothing (usage-sums.ts).
 */
export async function addWindowSpending(
  deps: Pick<Deps, 'table' | 'now'>,
  accountId: string,
  window: number,
  spending: Spending,
): Promise<void> {
  // A window never spans two months: every month begins at the start of a window.
  const month = monthAt(startOf(window));
  if (month < previousMonthAt(deps.now())) return;
  const expiresAtEpoch = epoch(deps.now().toISOString()) + KEPT_DAYS * DAY;
  const writes = [...spending].map(([keyId, microRand]) => {
    const key = { accountId, keyId };
    const update = {
      set: { ...key, throughWindow: window, expiresAtEpoch },
      setOnce: { [monthAttribute('alerted', month)]: 0 },
      // The schema requires `openCalls`, in earlier versions too.
      add: { openCalls: 0, [monthAttribute('spent', month)]: microRand, [monthAttribute('charged', month)]: microRand },
      remove: staleMonthAttributes(deps.now()),
      when: { throughWindow: { absentOrBelow: window } },
    };
    return upsert(AiKeySpending, key, update, concurrentUpdate);
  });
  await writeOnce(deps, writes);
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
  const month = monthAt(now);
  for (const entry of unclosed) {
    const { keyId, window = 0 } = entry;
    const throughWindow = keyId === undefined ? undefined : throughWindows.get(keyId);
    if (throughWindow !== undefined && window > throughWindow && monthAt(startOf(window)) === month)
      addSpending(spending, entry);
  }
  return spending;
}
