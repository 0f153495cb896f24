import { AiAccount, AiEntry, AiUsage, aiEntriesOf, aiUsageOf } from '../../table/entities/ai.ts';
import { upsert } from '../../table/writes.ts';
import { concurrentUpdate, ignoreConflict } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { firstIdAt } from '../ids.ts';
import { ENTRY_GRACE_MS, firstUnclosedOf, startOf } from './windows.ts';

/**
 * Sums of an account's calls by day, key and model (docs/decisions/0047-ai-holds-by-window.md). A call writes none: the close of
 * a window adds the window's entries, once, and a read adds the entries of windows that are not closed.
 */

/** Sums that one read returns: more than 90 days of ten keys with five models each. */
export const MAX_SUMS = 5000;
/** Entries that one read adds, oldest first: those of six minutes at 14 calls a second. Beyond, the sums are some minutes old. */
const MAX_UNCLOSED_ENTRIES = 5000;
/** Sums that are written at once; they are in one partition. */
const WRITES_AT_ONCE = 25;

export type SumsByKey = Map<string, AiUsage>;
const keyOf = (of: AiUsage): string => AiUsage.key(of).sk;

/**
 * Adds an entry to the sum of its day, key and model, unless the sum has it: from `throughWindow`, or from the call itself, as in
 * earlier versions, whose entries have no `keyId`. An entry that is no call has none either.
 */
export function addEntry(sums: SumsByKey, { accountId, keyId, model, window, ...entry }: AiEntry): void {
  if (keyId === undefined || model === null || window === undefined) return;
  const nothing = { calls: 0, inputTokens: 0, outputTokens: 0, microRand: 0 };
  const of: AiUsage = { accountId, day: entry.createdAt.slice(0, 10), keyId, model, ...nothing };
  const sum = sums.get(keyOf(of)) ?? of;
  if ((sum.throughWindow ?? 0) >= window) return;
  sums.set(keyOf(of), {
    ...sum,
    calls: sum.calls + 1,
    inputTokens: sum.inputTokens + entry.inputTokens + entry.cachedTokens + entry.cacheWriteTokens,
    outputTokens: sum.outputTokens + entry.outputTokens,
    microRand: sum.microRand - entry.amountMicroRand,
  });
}

/** Entries of an account since a window, oldest first, and few from before it. */
export const entriesSince = (deps: Pick<Deps, 'table'>, accountId: string, window: number): AsyncIterable<AiEntry> =>
  // The clocks of two processes differ by less than the grace.
  deps.table.each(AiEntry, aiEntriesOf(accountId), firstIdAt('aie', startOf(window) - ENTRY_GRACE_MS));

/**
 * Adds all entries of a window to the stored sums, each once however often this is repeated: windows are added in order, and a
 * sum says through which it has them.
 */
export async function addWindow(deps: Pick<Deps, 'table'>, window: number, sums: SumsByKey): Promise<void> {
  const writes = [...sums.values()].map(({ accountId, day, keyId, model, throughWindow: _, ...add }) => {
    const of = { accountId, day, keyId, model };
    const set = { ...of, throughWindow: window, expiresAtEpoch: AiUsage.expiresAtEpoch?.({ ...of, ...add }) };
    const when = { throughWindow: { absentOrBelow: window } };
    return upsert(AiUsage, of, { set, add, when }, concurrentUpdate);
  });
  while (writes.length > 0) {
    const some = writes.splice(0, WRITES_AT_ONCE);
    await Promise.all(some.map((write) => ignoreConflict(deps.table.updateReturningChanged(write))));
  }
}

/**
 * Returns the sums since a day, exact at the moment of the read, also while a window is being closed; at most {@link MAX_SUMS} of
 * the stored ones, the oldest. An account with more than {@link MAX_UNCLOSED_ENTRIES} calls that are in no sum yet gets the sums
 * as they were after these.
 */
export async function readSums(deps: Pick<Deps, 'table'>, accountId: string, from: string): Promise<AiUsage[]> {
  // First: what is closed by now is in the sums that are read next.
  const first = firstUnclosedOf((await deps.table.get(AiAccount, { accountId })) ?? {});
  const [stored, unclosed] = await Promise.all([
    deps.table.since(AiUsage, aiUsageOf(accountId), from, MAX_SUMS),
    first === undefined ? [] : readUnclosed(deps, accountId, first),
  ]);
  const sums: SumsByKey = new Map(stored.map((sum) => [keyOf(sum), sum]));
  for (const entry of unclosed) if (entry.createdAt >= from) addEntry(sums, entry);
  return [...sums].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, sum]) => sum);
}

async function readUnclosed(deps: Pick<Deps, 'table'>, accountId: string, first: number): Promise<AiEntry[]> {
  const found: AiEntry[] = [];
  for await (const entry of entriesSince(deps, accountId, first)) {
    if (entry.window !== undefined && entry.window >= first) found.push(entry);
    if (found.length === MAX_UNCLOSED_ENTRIES) break;
  }
  return found;
}
