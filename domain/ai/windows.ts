import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';

/**
 * Windows of time, by which an account's calls are summed (docs/decisions/0047-ai-holds-by-window.md): what the calls that
 * began in a window hold, how many they are, and what the entries of a window changed of the balance. A window is its number
 * since 1970. Once a window is so long ago that nothing can change it any more, its sums can be compared with the ledger, and
 * what is left of its holds belongs to calls that died.
 */

/** Length of a window, in milliseconds. */
export const WINDOW_MS = 4 * 60_000;
/** An entry is written this long after its time at the latest, in milliseconds. */
export const ENTRY_GRACE_MS = 2 * 60_000;
/** No call lives longer than its hold, in milliseconds. */
export const HOLD_LIFETIME_MS = TIMEOUTS_S.ai.hold * 1000;
/** Windows after its own in which a call may still end. */
const HOLD_WINDOWS = Math.ceil(HOLD_LIFETIME_MS / WINDOW_MS);

export const windowAt = (time: Date | number): number => Math.floor(Number(time) / WINDOW_MS);
/** Returns the beginning of a window in epoch milliseconds. */
export const startOf = (window: number): number => window * WINDOW_MS;
/** Returns the first window that may still get entries. */
export const firstUnclosedAt = (now: Date): number => windowAt(now.getTime() - ENTRY_GRACE_MS);
/** Returns the time from which on a window gets no entries any more. */
export const closesAt = (window: number): Date => new Date(startOf(window + 1) + ENTRY_GRACE_MS);
/** Returns the time from which on calls that began in a window are over, and the windows of their entries can be closed. */
export const callsOverAt = (window: number): Date => closesAt(window + HOLD_WINDOWS);
/** Returns true where every window that may have entries of calls which began in this one is closed. */
export const areCallsOver = (window: number, unclosed: number): boolean => window + HOLD_WINDOWS < unclosed;

/** Sums of one window. */
export interface WindowSums {
  held: number;
  calls: number;
  /** Sum of the entries of this window that the balance has. */
  ledger: number;
}
type SumName = keyof WindowSums;

/** Returns the attribute that has a sum of a window. */
export const sumAttribute = (name: SumName, window: number): string => `${name}_${window}`;

/** Returns an item's sums by window, oldest first, and the attributes in which they are. */
export function windowsOf(item: Record<string, unknown>): (WindowSums & { window: number; attributes: string[] })[] {
  const found = new Map<number, WindowSums & { attributes: string[] }>();
  for (const [attribute, value] of Object.entries(item)) {
    const [, name, window] = /^(held|calls|ledger)_(\d+)$/.exec(attribute) ?? [];
    if (!name || !window) continue;
    const sums = found.get(Number(window)) ?? { held: 0, calls: 0, ledger: 0, attributes: [] };
    sums[name as SumName] = Number(value);
    sums.attributes.push(attribute);
    found.set(Number(window), sums);
  }
  return [...found].map(([window, sums]) => ({ window, ...sums })).sort((a, b) => a.window - b.window);
}

/**
 * Returns the first window of an account that is not closed and may have entries; undefined where none may. Every entry is in a
 * window whose sums the account has, or in a later one than a call that began before it.
 */
export function firstUnclosedOf(account: { closedWindow?: number | undefined }): number | undefined {
  const [first] = windowsOf(account);
  return first && Math.max((account.closedWindow ?? 0) + 1, first.window);
}
