import { AiAccount, AiEntry, AiUsage, aiEntriesOf, aiUsageOf } from '../../table/entities/ai.ts';
import { upsert } from '../../table/writes.ts';
import { concurrentUpdate, ignoreConflict } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { firstIdAt } from '../ids.ts';
import { ENTRY_GRACE_MS, firstUnclosedOf, startOf } from './windows.ts';

/**
 * Sums of an account's calls by day, key and model (docs/decisions/0047-ai-holds-by-window.md). Calls do not write them. The close of
 * a window adds the window's entries to the stored sums, once; a read adds the entries of open windows.
 */

/** Maximum number of stored sums that one read returns: more than 90 days of ten keys with five models each. */
export const MAX_SUMS = 5000;
/** Maximum number of entries that one read adds, oldest first: six minutes at 14 calls a second. With more, the sums are minutes old. */
const MAX_UNCLOSED_ENTRIES = 5000;
/** Number of sums that are written concurrently. The sums of an account's days are in one partition. */
const BATCH_SIZE = 25;

export type SumsByKey = Map<string, AiUsage>;
const keyOf = (sum: AiUsage): string => AiUsage.key(sum).sk;

/**
 * Adds a call's entry to the sum of its day, key and model, unless the sum already includes it: because the sum's `throughWindow` covers
 * the entry's window, or because the call itself added it in an earlier version, whose entries have no `keyId`. Entries that are not calls
 * have no `keyId` either.
 */
export function addEntry(sums: SumsByKey, { accountId, keyId, model, window, ...entry }: AiEntry): void {
  if (keyId === undefined || model === null || window === undefined) return;
  const zeros = { calls: 0, inputTokens: 0, outputTokens: 0, microRand: 0 };
  const emptySum: AiUsage = { accountId, day: entry.createdAt.slice(0, 10), keyId, model, ...zeros };
  const sum = sums.get(keyOf(emptySum)) ?? emptySum;
  if ((sum.throughWindow ?? 0) >= window) return;
  sums.set(keyOf(emptySum), {
    ...sum,
    calls: sum.calls + 1,
    inputTokens: sum.inputTokens + entry.inputTokens + entry.cachedTokens + entry.cacheWriteTokens,
    outputTokens: sum.outputTokens + entry.outputTokens,
    microRand: sum.microRand - entry.amountMicroRand,
  });
}

/** Reads the entries of an account since a window, oldest first. Includes a few earlier entries, because the clocks of processes differ. */
export const entriesSince = (deps: Pick<Deps, 'table'>, accountId: string, window: number): AsyncIterable<AiEntry> =>
  // The clocks of two processes differ by less than the grace period.
  deps.table.each(AiEntry, aiEntriesOf(accountId), firstIdAt('aie', startOf(window) - ENTRY_GRACE_MS));

/**
 * Adds all entries of a window to the stored sums. A repetition adds nothing: windows are added in order, and a sum's `throughWindow`
 * is the last window that it includes.
 */
export async function addWindow(deps: Pick<Deps, 'table'>, window: number, sums: SumsByKey): Promise<void> {
  const writes = [...sums.values()].map(({ accountId, day, keyId, model, throughWindow: _, ...add }) => {
    const key = { accountId, day, keyId, model };
    const set = { ...key, throughWindow: window, expiresAtEpoch: AiUsage.expiresAtEpoch?.({ ...key, ...add }) };
    const when = { throughWindow: { absentOrBelow: window } };
    return upsert(AiUsage, key, { set, add, when }, concurrentUpdate);
  });
  // A condition keeps the writes from being applied twice.
  await inBatches(writes, (write) => ignoreConflict(deps.table.updateReturningChanged(write)));
}

/** Does work for each of many sums, a batch at a time. */
export async function inBatches<T>(all: readonly T[], work: (one: T) => Promise<unknown>): Promise<void> {
  for (let start = 0; start < all.length; start += BATCH_SIZE)
    await Promise.all(all.slice(start, start + BATCH_SIZE).map(work));
}

/**
 * Returns the sums since a day, exact at the time of the read, even while a window is being closed. Reads at most {@link MAX_SUMS}
 * stored sums, oldest first. For an account with more than {@link MAX_UNCLOSED_ENTRIES} calls that no stored sum includes yet, the
 * newest calls are missing.
 */
export async function readSums(deps: Pick<Deps, 'table'>, accountId: string, from: string): Promise<AiUsage[]> {
  // Read the account first: the sums that are read next include every window that is closed by now.
  const first = firstUnclosedOf((await deps.table.get(AiAccount, { accountId })) ?? {});
  const [stored, unclosed] = await Promise.all([
    deps.table.since(AiUsage, aiUsageOf(accountId), from, MAX_SUMS),
    first === undefined ? [] : readUnclosed(deps, accountId, first),
  ]);
  const sums: SumsByKey = new Map(stored.map((sum) => [keyOf(sum), sum]));
  for (const entry of unclosed) if (entry.createdAt >= from) addEntry(sums, entry);
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum);
}

/** Reads the entries since the first open window of an account, at most {@link MAX_UNCLOSED_ENTRIES}, oldest first. */
export async function readUnclosed(deps: Pick<Deps, 'table'>, accountId: string, first: number): Promise<AiEntry[]> {
  const entries: AiEntry[] = [];
  for await (const entry of entriesSince(deps, accountId, first)) {
    if (entry.window !== undefined && entry.window >= first) entries.push(entry);
    if (entries.length === MAX_UNCLOSED_ENTRIES) break;
  }
  return entries;
}
