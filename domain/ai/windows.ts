import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';

/**
 * Time windows by which an account's calls are summed (docs/decisions/0047-ai-holds-by-window.md). Each window has three sums: the
 * holds of the running calls that began in it, the number of these calls, and the entries of the window that the balance includes. The
 * calls are also counted by API key (key-calls.ts).
 * A window is identified by its number since 1970. Once nothing can change a window any more, its sums can be compared
 * with the ledger, and its remaining holds belong to calls that crashed.
 */

/** Length of a window, in milliseconds. */
export const WINDOW_MS = 4 * 60_000;
/** Maximum time from an entry's `createdAt` to its write, in milliseconds. */
export const ENTRY_GRACE_MS = 2 * 60_000;
/** Lifetime of a hold, and so the maximum duration of a call, in milliseconds. */
export const HOLD_LIFETIME_MS = TIMEOUTS_S.ai.hold * 1000;
/** Number of later windows in which a call may still end. */
const HOLD_WINDOWS = Math.ceil(HOLD_LIFETIME_MS / WINDOW_MS);

/** Returns the number of the window that contains a time (milliseconds, if it is a number). */
export const windowAt = (time: Date | number): number => Math.floor(Number(time) / WINDOW_MS);
/** Returns the beginning of a window in epoch milliseconds. */
export const startOf = (window: number): number => window * WINDOW_MS;
/** Returns the first window that may still get entries. */
export const firstUnclosedAt = (now: Date): number => windowAt(now.getTime() - ENTRY_GRACE_MS);
/** Returns the time after which a window gets no more entries. */
export const closesAt = (window: number): Date => new Date(startOf(window + 1) + ENTRY_GRACE_MS);
/** Returns the time after which the calls that began in a window are over, and all windows with their entries can be closed. */
export const callsOverAt = (window: number): Date => closesAt(window + HOLD_WINDOWS);
/** Returns true if all windows are closed that may have entries of calls that began in this one. */
export const areCallsOver = (window: number, unclosed: number): boolean => window + HOLD_WINDOWS < unclosed;

/** Sums of one window. */
interface WindowSums {
  held: number;
  calls: number;
  /** Sum of the entries of this window that the balance includes. */
  ledger: number;
}
type SumName = keyof WindowSums;

/** Returns the attribute that stores a sum of a window. */
export const sumAttribute = (name: SumName, window: number): string => `${name}_${window}`;
/** Returns the attribute that stores the calls of one API key that began in a window (key-calls.ts). */
export const keySumAttribute = (window: number, suffix: string): string => `${sumAttribute('calls', window)}_${suffix}`;

/** A window with its sums as an item stores them. */
export interface Window extends WindowSums {
  window: number;
  /** The attributes that store the sums, without those of keys. */
  attributes: string[];
  /** The calls by key, by the suffix of the attribute. */
  keys: Map<string, number>;
}

const emptyWindow = (window: number): Window => ({
  window,
  held: 0,
  calls: 0,
  ledger: 0,
  attributes: [],
  keys: new Map(),
});

/** Returns an item's sums by window, oldest first. */
export function windowsOf(item: Record<string, unknown>): Window[] {
  const byWindow = new Map<number, Window>();
  for (const [attribute, value] of Object.entries(item)) {
    const [, name, digits, suffix] = /^(held|calls|ledger)_(\d+)(?:_(\w+))?$/.exec(attribute) ?? [];
    if (!name || !digits) continue;
    const window = Number(digits);
    const sums = byWindow.get(window) ?? emptyWindow(window);
    byWindow.set(window, sums);
    if (suffix !== undefined) sums.keys.set(suffix, Number(value));
    else {
      sums[name as SumName] = Number(value);
      sums.attributes.push(attribute);
    }
  }
  return [...byWindow.values()].sort((a, b) => a.window - b.window);
}

/**
 * Returns the first open window of an account that may have entries; undefined if there is none. Every entry is in a window for which
 * the account has sums, or in a later window than the call that it charges, for which the account has sums.
 */
export function firstUnclosedOf(account: { closedWindow?: number | undefined }): number | undefined {
  const [first] = windowsOf(account);
  return first && Math.max((account.closedWindow ?? 0) + 1, first.window);
}
