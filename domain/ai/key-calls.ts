import { LIMITS } from '../../contract/limits/limits.ts';
import type { AiAccount } from '../../table/entities/ai.ts';
import type { Change, Condition } from '../../table/expressions.ts';
import { keySumAttribute, sumAttribute, type Window, windowsOf } from './windows.ts';

/**
 * Open calls by API key. They are counted in the account's item, by the same writes that count them on the account: `open_<key>` in
 * total, and `calls_<window>_<key>` by the window in which they began, so that crashed calls can be subtracted when the window's
 * calls are over (docs/decisions/0047-ai-holds-by-window.md).
 */

/** Maximum of concurrent calls of one API key, so that one key cannot use up the slots of its account or of the platform. */
export const MAX_CALLS = LIMITS.concurrentAiCallsPerKey.amounts;
/**
 * Digits of a key's id that its attributes have in their names; an account has at most 50 active keys. They are the id's last digits,
 * which are random (domain/ids.ts).
 */
const SUFFIX_LENGTH = 6;
const OPEN_PREFIX = 'open_';
/** Idle keys whose attributes one close removes. More conditions could exceed the 4 KB of an expression. */
const MAX_IDLE_KEYS = 50;
/** Attributes of keys that one close removes, for the same reason. */
const MAX_KEY_SUMS = 200;

/** Returns the part of the attribute names that stands for a key. Calls by logins, which have no key id, are counted together. */
const suffixOf = (keyId: string): string => keyId.slice(-SUFFIX_LENGTH) || 'login';

/** Returns the number of open calls of a key. */
const openCallsOf = (account: Record<string, unknown>, keyId: string): number =>
  Number(account[OPEN_PREFIX + suffixOf(keyId)] ?? 0);

export const hasTooManyCalls = (account: AiAccount, keyId: string): boolean => openCallsOf(account, keyId) >= MAX_CALLS;

/** Returns what to add to count a call as begun or ended, on the account and on its key. */
export const countCall = (keyId: string, window: number, calls: 1 | -1): Record<string, number> => ({
  openCalls: calls,
  [sumAttribute('calls', window)]: calls,
  [OPEN_PREFIX + suffixOf(keyId)]: calls,
  [keySumAttribute(window, suffixOf(keyId))]: calls,
});

/** Returns the condition that a key may begin another call. */
export const mayBeginCall = (keyId: string): Record<string, Condition> => ({
  [OPEN_PREFIX + suffixOf(keyId)]: { absentOrBelow: MAX_CALLS },
});

/** Returns the oldest of the given windows that one close can remove: all but those that would make its expression too long. */
export function removableAtOnce(over: readonly Window[]): Window[] {
  let keySums = 0;
  return over.filter(({ keys }, index) => {
    keySums += keys.size;
    return index === 0 || keySums <= MAX_KEY_SUMS;
  });
}

/**
 * Returns the change that subtracts the remaining calls of removed windows from their keys, and removes the keys that have no call in any
 * other window. The attributes of a window need no condition, because every write that changes them also changes the window's `calls`.
 */
export function changeRemovingKeySums(
  account: AiAccount,
  removed: readonly Window[],
): Required<Pick<Change, 'add' | 'remove' | 'when'>> {
  const windows = new Set(removed.map(({ window }) => window));
  const remaining = windowsOf(account).filter(({ window }) => !windows.has(window));
  const change = {
    add: {} as Record<string, number>,
    remove: removed.flatMap(({ window, keys }) => [...keys.keys()].map((suffix) => keySumAttribute(window, suffix))),
    when: {} as Record<string, Condition>,
  };
  for (const attribute of Object.keys(account).filter((name) => name.startsWith(OPEN_PREFIX))) {
    const suffix = attribute.slice(OPEN_PREFIX.length);
    const crashed = removed.reduce((sum, { keys }) => sum + (keys.get(suffix) ?? 0), 0);
    const isIdle = !remaining.some(({ keys }) => keys.has(suffix));
    if (isIdle && Object.keys(change.when).length < MAX_IDLE_KEYS) {
      change.remove.push(attribute);
      change.when[attribute] = { is: Number(account[attribute]) };
    } else if (crashed > 0) change.add[attribute] = -crashed;
  }
  return change;
}
