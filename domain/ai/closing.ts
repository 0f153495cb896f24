import { AiAccount, AiEntry, aiEntriesOf } from '../../table/entities/ai.ts';
import { type Change, unchanged } from '../../table/expressions.ts';
import { schedule, unschedule } from '../../table/schedule.ts';
import { change } from '../../table/writes.ts';
import { concurrentUpdate, ignoreConflict } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { firstIdAt } from '../ids.ts';
import type { DueQueue } from '../sweep/sweep.ts';
import { timestampAfter } from '../time.ts';
import { callsOverAt, closesAt, ENTRY_GRACE_MS, firstUnclosedAt, startOf, windowsOf } from './windows.ts';

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
 * however often it is repeated.
 */
async function closeWindows(deps: Deps, account: AiAccount): Promise<Repair | undefined> {
  const { accountId } = account;
  const now = deps.now();
  const unclosed = Math.max(firstUnclosedAt(now), (account.closedWindow ?? 0) + 1);
  const windows = windowsOf(account);
  const closing = windows.filter(({ window }) => window < unclosed);
  const over = closing.filter(({ window, calls, held }) => callsOverAt(window) <= now || (calls === 0 && held === 0));
  const first = Math.max((account.closedWindow ?? 0) + 1, closing[0]?.window ?? unclosed);
  const sumOf = (items: typeof windows, name: 'ledger' | 'held' | 'calls') =>
    items.reduce((sum, each) => sum + each[name], 0);
  const ledger = first < unclosed ? await sumEntries(deps, accountId, first, unclosed) : 0;
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

/** Returns the sum of the entries of windows from `first` to before `unclosed`. */
async function sumEntries(deps: Deps, accountId: string, first: number, unclosed: number): Promise<number> {
  let sum = 0;
  // The clocks of two processes differ by less than the grace.
  const from = firstIdAt('aie', startOf(first) - ENTRY_GRACE_MS);
  const until = timestampAfter(startOf(unclosed), ENTRY_GRACE_MS);
  for await (const { window, amountMicroRand, createdAt } of deps.table.each(AiEntry, aiEntriesOf(accountId), from)) {
    if (createdAt > until) break;
    if (window !== undefined && window >= first && window < unclosed) sum += amountMicroRand;
  }
  return sum;
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
