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
/** Attributes of windows that one close removes: more could exceed the 4 KB of an expression. */
const MAX_KEY_SUMS = 150;
/** Idle keys that one close removes: more conditions, with those of the windows, could exceed the 300 operators of an expression. */
const MAX_IDLE_KEYS = 50;

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

/**
 * Returns the change that subtracts the remaining calls of windows from their keys, and removes the keys that have no call in any
 * other window. One close can remove a limited number of attributes, oldest first; `windows` are the windows of which none is left, so
 * that they can be removed as well.
 */
export function planKeySums(
  account: AiAccount,
  over: readonly Window[],
): Required<Pick<Change, 'add' | 'remove' | 'when'>> & { windows: Window[] } {
  const removed = over
    .flatMap(({ window, keys }) => [...keys].map(([suffix, calls]) => ({ window, suffix, calls })))
    .slice(0, MAX_KEY_SUMS);
  const names = new Set(removed.map(({ window, suffix }) => keySumAttribute(window, suffix)));
  const remaining = windowsOf(account).flatMap(({ window, keys }) =>
    [...keys.keys()].flatMap((suffix) => (names.has(keySumAttribute(window, suffix)) ? [] : [{ window, suffix }])),
  );
  const plan = {
    windows: over.filter(({ window }) => !remaining.some((sum) => sum.window === window)),
    add: {} as Record<string, number>,
    remove: [...names],
    // Every write that changes the calls of a key also changes the window's.
    when: Object.fromEntries(
      over.flatMap(({ window, calls, attributes }): [string, Condition][] => {
        const attribute = sumAttribute('calls', window);
        return attributes.includes(attribute) ? [[attribute, { is: calls }]] : [];
      }),
    ),
  };
  let idleKeys = 0;
  for (const attribute of Object.keys(account).filter((name) => name.startsWith(OPEN_PREFIX))) {
    const suffix = attribute.slice(OPEN_PREFIX.length);
    const crashed = removed.reduce((sum, each) => sum + (each.suffix === suffix ? each.calls : 0), 0);
    if (idleKeys < MAX_IDLE_KEYS && !remaining.some((sum) => sum.suffix === suffix)) {
      idleKeys += 1;
      plan.remove.push(attribute);
      plan.when[attribute] = { is: Number(account[attribute]) };
    } else if (crashed !== 0) plan.add[attribute] = -crashed;
  }
  return plan;
}
