import { AiAccount } from '../../table/entities/ai.ts';
import { type Change, unchanged } from '../../table/expressions.ts';
import { schedule, unschedule } from '../../table/schedule.ts';
import { change } from '../../table/writes.ts';
import { concurrentUpdate, ignoreConflict } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import type { DueQueue } from '../sweep/sweep.ts';
import { timestampAfter } from '../time.ts';
import { addEntry, addWindow, entriesSince, type SumsByKey } from './usage-sums.ts';
import {
  areCallsOver,
  callsOverAt,
  closesAt,
  ENTRY_GRACE_MS,
  firstUnclosedAt,
  firstUnclosedOf,
  startOf,
  windowsOf,
} from './windows.ts';

/** A close ends with the window in which it has read so many entries; the account stays due for the next ones. */
export const MAX_ENTRIES = 5000;

/** The work that closing an account's windows had to make up for. */
export interface Repair {
  accountId: string;
  /** Calls that died, or whose end was lost, and what they held. */
  calls: number;
  heldMicroRand: number;
  /** Sum of the entries that the balance did not have. */
  unappliedMicroRand: number;
}

/** Accounts with calls whose windows close. */
export const windowQueue: DueQueue<typeof AiAccount, Deps, Repair> = {
  queue: 'AI_ACCOUNT',
  entity: AiAccount,
  // A close waits for the table nearly all of its time: one by one, a minute would do for some thousand busy accounts.
  concurrency: 10,
  act: closeWindows,
};

/** Closes the windows of one account that are over, due or not. */
export async function closeWindowsOf(deps: Deps, accountId: string): Promise<Repair | undefined> {
  const account = await deps.table.get(AiAccount, { accountId });
  return account && (await closeWindows(deps, account));
}

/**
 * Compares the sums of windows that get no entries any more with the ledger, and brings the balance up to it: a call whose
 * process died, or whose answer was lost, between its entry and the balance is charged here. Then gives back what is left of
 * the holds of windows whose calls are over. All in one write, conditional on the sums that were read, so that it happens once
 * however often it is repeated. Before it, the calls of each window are added to the sums of their day, once as well.
 */
async function closeWindows(deps: Deps, account: AiAccount): Promise<Repair | undefined> {
  const { accountId } = account;
  const now = deps.now();
  const { ledger, unclosed } = await addClosing(deps, account);
  const windows = windowsOf(account);
  const closing = windows.filter(({ window }) => window < unclosed);
  const over = closing.filter(
    ({ window, calls, held }) =>
      (callsOverAt(window) <= now && areCallsOver(window, unclosed)) || (calls === 0 && held === 0),
  );
  const sumOf = (items: typeof windows, name: 'ledger' | 'held' | 'calls') =>
    items.reduce((sum, each) => sum + each[name], 0);
  const old = oldHolds(account, now);
  const unapplied = ledger - sumOf(closing, 'ledger');
  const [calls, held] = [sumOf(over, 'calls'), sumOf(over, 'held') + old.microRand];
  const gone = new Set([
    ...closing.flatMap(({ attributes }) => attributes.filter((attribute) => attribute.startsWith('ledger_'))),
    ...over.flatMap(({ attributes }) => attributes),
  ]);
  const next = windows
    .filter(({ window }) => !over.some((each) => each.window === window))
    .map(({ window }) => (window < unclosed ? callsOverAt(window) : closesAt(window)).toISOString())
    .concat(old.nextExpiry ?? [])
    .sort()[0];
  const what: Change = {
    set: { closedWindow: unclosed - 1, ...(next ? schedule(AiAccount, next) : {}) },
    add: {
      balanceMicroRand: unapplied,
      availableMicroRand: unapplied + held,
      ...(account.openCalls === undefined ? {} : { openCalls: -calls }),
    },
    remove: [...gone, ...old.paths, ...(next ? [] : unschedule(AiAccount))],
    when: {
      closedWindow: unchanged(account.closedWindow),
      ...Object.fromEntries([...gone].map((attribute) => [attribute, { is: Number(account[attribute]) }])),
      ...Object.fromEntries(old.paths.map((path) => [path, 'present' as const])),
      // Without a next time, a call that has begun meanwhile would be overlooked.
      ...(next ? {} : { openCalls: unchanged(account.openCalls), balanceMicroRand: { is: account.balanceMicroRand } }),
    },
  };
  // On a conflict the account stays due, and the next run looks again.
  const written = await ignoreConflict(
    deps.table.updateReturningChanged(change(AiAccount, { accountId }, what, concurrentUpdate)),
  );
  const count = calls + old.paths.length;
  if (!written || (count === 0 && held === 0 && unapplied === 0)) return undefined;
  return { accountId, calls: count, heldMicroRand: held, unappliedMicroRand: unapplied };
}

/** The entries of one window: their sum, and their calls by day, key and model. */
interface WindowEntries {
  microRand: number;
  sums: SumsByKey;
}

/**
 * Adds the calls of windows that get no entries any more to the sums of their day, in order.
 * @returns the sum of these windows' entries, and the first window after them
 */
async function addClosing(deps: Deps, account: AiAccount): Promise<{ ledger: number; unclosed: number }> {
  const { accountId, closedWindow = 0 } = account;
  const first = firstUnclosedOf(account) ?? Infinity;
  let unclosed = Math.max(firstUnclosedAt(deps.now()), closedWindow + 1);
  if (first >= unclosed) return { ledger: 0, unclosed };
  const byWindow = new Map<number, WindowEntries>();
  let read = 0;
  for await (const entry of entriesSince(deps, accountId, first)) {
    const { window, createdAt } = entry;
    if (createdAt > timestampAfter(startOf(unclosed), ENTRY_GRACE_MS)) break;
    if (window === undefined || window < first || window >= unclosed) continue;
    const entries = byWindow.get(window) ?? { microRand: 0, sums: new Map() };
    byWindow.set(window, entries);
    entries.microRand += entry.amountMicroRand;
    addEntry(entries.sums, entry);
    read += 1;
    if (read >= MAX_ENTRIES) unclosed = window + 1;
  }
  const closing = [...byWindow].filter(([window]) => window < unclosed).sort(([a], [b]) => a - b);
  for (const [window, { sums }] of closing) await addWindow(deps, window, sums);
  return { ledger: closing.reduce((sum, [, { microRand }]) => sum + microRand, 0), unclosed };
}

/** Holds from before accounts had windows: those that have expired, and when the next one does. */
function oldHolds({ holds }: AiAccount, now: Date) {
  const all = Object.entries(holds);
  const expired = all.filter(([, { expiresAt }]) => expiresAt <= now.toISOString());
  const left = all.filter(([, { expiresAt }]) => expiresAt > now.toISOString());
  return {
    paths: expired.map(([id]) => `holds.${id}`),
    microRand: expired.reduce((sum, [, { microRand }]) => sum + microRand, 0),
    nextExpiry: left.map(([, { expiresAt }]) => expiresAt).sort()[0],
  };
}
