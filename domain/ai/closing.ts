import { AiAccount } from '../../table/entities/ai.ts';
import { type Change, unchanged } from '../../table/expressions.ts';
import { schedule, unschedule } from '../../table/schedule.ts';
import { change } from '../../table/writes.ts';
import { concurrentUpdate, ignoreConflict } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import type { DueQueue } from '../sweep/sweep.ts';
import { timestampAfter } from '../time.ts';
import { planKeySums } from './key-calls.ts';
import { addSpending, addWindowSpending, type Spending } from './key-spending.ts';
import { addEntry, addWindow, entriesSince, type SumsByKey } from './usage-sums.ts';
import {
  areCallsOver,
  callsOverAt,
  closesAt,
  ENTRY_GRACE_MS,
  firstUnclosedAt,
  firstUnclosedOf,
  startOf,
  type Window,
  windowsOf,
} from './windows.ts';

/** A close ends after the window in which it reaches this many entries. The account stays due for the remaining windows. */
export const MAX_ENTRIES = 5000;
/** Maximum number of windows that one close takes up, oldest first: more could exceed the limits of an expression (key-calls.ts). */
const MAX_WINDOWS = 25;

/** Repairs that closing an account's windows had to make. */
export interface Repair {
  accountId: string;
  /** Calls that crashed, or whose final write was lost. */
  calls: number;
  /** The holds of these calls. */
  heldMicroRand: number;
  /** Sum of the entries that the balance did not include. */
  unappliedMicroRand: number;
}

/** Due queue of the accounts that have windows to close. */
export const windowQueue: DueQueue<typeof AiAccount, Deps, Repair> = {
  queue: 'AI_ACCOUNT',
  entity: AiAccount,
  // A close spends nearly all of its time waiting for the table. Sequentially, a minute would suffice for about a thousand busy accounts.
  concurrency: 10,
  act: closeWindows,
};

/** Closes the windows of one account that can be closed, even if the account is not due. */
export async function closeWindowsOf(deps: Deps, accountId: string): Promise<Repair | undefined> {
  const account = await deps.table.get(AiAccount, { accountId });
  return account && (await closeWindows(deps, account));
}

/**
 * Closes the windows that get no more entries. First adds the calls of each window to the sums of their day and to the spending of
 * their keys, exactly once. Then, in one write:
 * - Adds the ledger entries that the balance does not include yet. This charges the calls whose process crashed, or whose response
 *   was lost, between the write of the entry and the write of the balance.
 * - Releases the remaining holds of windows whose calls are over, and frees the slots of these calls.
 * The write is conditional on the sums that were read, so a repetition changes nothing.
 */
async function closeWindows(deps: Deps, account: AiAccount): Promise<Repair | undefined> {
  const { accountId } = account;
  const now = deps.now();
  const { update, repair } = planClose(account, await sumClosingWindows(deps, account), now);
  // On a conflict the account stays due, and the next run tries again.
  const written = await ignoreConflict(
    deps.table.updateReturningChanged(change(AiAccount, { accountId }, update, concurrentUpdate)),
  );
  return written && repair;
}

/** Returns the change that closes an account's windows, and the repairs that it makes; undefined if there is nothing to repair. */
function planClose(
  account: AiAccount,
  { ledger, unclosed }: ClosingSums,
  now: Date,
): { update: Change; repair: Repair | undefined } {
  const windows = windowsOf(account);
  const closing = windows.filter(({ window }) => window < unclosed);
  // True for a window without running calls: its remaining holds belong to crashed calls and are released.
  const isOver = ({ window, calls, held }: Window): boolean =>
    (callsOverAt(window) <= now && areCallsOver(window, unclosed)) || (calls === 0 && held === 0);
  const { windows: ended, ...keySums } = planKeySums(account, closing.filter(isOver).slice(0, MAX_WINDOWS));
  const sumOf = (items: Window[], name: 'ledger' | 'held' | 'calls') =>
    items.reduce((sum, item) => sum + item[name], 0);
  const legacy = legacyHolds(account, now);
  const unapplied = ledger - sumOf(closing, 'ledger');
  const [calls, held] = [sumOf(ended, 'calls'), sumOf(ended, 'held') + legacy.microRand];
  const removed = new Set([
    ...closing.flatMap(({ attributes }) => attributes.filter((attribute) => attribute.startsWith('ledger_'))),
    ...ended.flatMap(({ attributes }) => attributes),
  ]);
  const nextDueAt = windows
    .filter(({ window }) => !ended.some((sums) => sums.window === window))
    .map(({ window }) => (window < unclosed ? callsOverAt(window) : closesAt(window)).toISOString())
    .concat(legacy.nextExpiry ?? [])
    .sort()[0];
  const update: Change = {
    set: { closedWindow: unclosed - 1, ...(nextDueAt ? schedule(AiAccount, nextDueAt) : {}) },
    add: {
      balanceMicroRand: unapplied,
      availableMicroRand: unapplied + held,
      ...(account.openCalls === undefined ? {} : { openCalls: -calls }),
      ...keySums.add,
    },
    remove: [...removed, ...keySums.remove, ...legacy.paths, ...(nextDueAt ? [] : unschedule(AiAccount))],
    when: {
      closedWindow: unchanged(account.closedWindow),
      ...Object.fromEntries([...removed].map((attribute) => [attribute, { is: Number(account[attribute]) }])),
      ...keySums.when,
      ...Object.fromEntries(legacy.paths.map((path) => [path, 'present' as const])),
      // Otherwise the account would be unscheduled although a call has begun since the read.
      ...(nextDueAt
        ? {}
        : { openCalls: unchanged(account.openCalls), balanceMicroRand: { is: account.balanceMicroRand } }),
    },
  };
  const count = calls + legacy.paths.length;
  if (count === 0 && held === 0 && unapplied === 0) return { update, repair: undefined };
  const { accountId } = account;
  return { update, repair: { accountId, calls: count, heldMicroRand: held, unappliedMicroRand: unapplied } };
}

interface ClosingSums {
  /** Sum of the entries of the closing windows. */
  ledger: number;
  /** The first window that stays open. */
  unclosed: number;
}

/** The entries of one window: their total, their sums by day, key and model, and the spending that the close adds to keys. */
interface WindowEntries {
  microRand: number;
  sums: SumsByKey;
  spending: Spending;
}

/**
 * Adds the calls of the windows that get no more entries to the sums of their day and to the spending of their keys, oldest window
 * first. Stops after the window in which it reaches {@link MAX_ENTRIES}, and before the one that exceeds {@link MAX_WINDOWS}.
 */
async function sumClosingWindows(deps: Deps, account: AiAccount): Promise<ClosingSums> {
  const { accountId, closedWindow = 0 } = account;
  const first = firstUnclosedOf(account) ?? Infinity;
  const firstOfNextClose = windowsOf(account)[MAX_WINDOWS]?.window ?? Infinity;
  let unclosed = Math.max(Math.min(firstUnclosedAt(deps.now()), firstOfNextClose), closedWindow + 1);
  if (first >= unclosed) return { ledger: 0, unclosed };
  const byWindow = new Map<number, WindowEntries>();
  let read = 0;
  for await (const entry of entriesSince(deps, accountId, first)) {
    const { window, createdAt } = entry;
    if (createdAt > timestampAfter(startOf(unclosed), ENTRY_GRACE_MS)) break;
    if (window === undefined || window < first || window >= unclosed) continue;
    const entries = byWindow.get(window) ?? { microRand: 0, sums: new Map(), spending: new Map() };
    byWindow.set(window, entries);
    entries.microRand += entry.amountMicroRand;
    addEntry(entries.sums, entry);
    if (entry.keySumAtClose || entry.keyRestAtClose) addSpending(entries.spending, entry);
    read += 1;
    if (read >= MAX_ENTRIES) unclosed = window + 1;
  }
  const closing = [...byWindow].filter(([window]) => window < unclosed).sort(([a], [b]) => a - b);
  for (const [window, { sums, spending }] of closing) {
    await addWindow(deps, window, sums);
    await addWindowSpending(deps, accountId, window, spending);
  }
  return { ledger: closing.reduce((sum, [, { microRand }]) => sum + microRand, 0), unclosed };
}

/** Returns the expired holds from before accounts had windows, and the expiry of the next one. */
function legacyHolds({ holds }: AiAccount, now: Date) {
  const all = Object.entries(holds);
  const expired = all.filter(([, { expiresAt }]) => expiresAt <= now.toISOString());
  const running = all.filter(([, { expiresAt }]) => expiresAt > now.toISOString());
  return {
    paths: expired.map(([id]) => `holds.${id}`),
    microRand: expired.reduce((sum, [, { microRand }]) => sum + microRand, 0),
    nextExpiry: running.map(([, { expiresAt }]) => expiresAt).sort()[0],
  };
}
