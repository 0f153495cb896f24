import { LIMITS } from '../../contract/limits/limits.ts';
import type { AiAccount } from '../../table/entities/ai.ts';
import type { AnyOf, Change, Condition } from '../../table/expressions.ts';
import { keySumAttribute, sumAttribute, type Window, windowsOf } from './windows.ts';

/**
 * Open calls by API key. They are counted in the account's item, by the same writes that count them on the account: `open_<key>` in
 * total, and `calls_<window>_<key>` by the window in which they began, so that crashed calls can be subtracted when the window's
 * calls are over (docs/decisions/0047-ai-holds-by-window.md).
 */

/** Maximum number of concurrent calls of one API key, so that one key cannot use up the slots of its account or of the platform. */
export const MAX_CALLS = LIMITS.concurrentAiCallsPerKey.amounts;
/**
 * Number of the key id's last digits that stand for the key in the names of its attributes. They are random (domain/ids.ts), and an
 * account has at most 50 active keys.
 */
const SUFFIX_LENGTH = 6;
const OPEN_PREFIX = 'open_';
/** Maximum number of keys' sums that one close removes: more could exceed the 4 KB of an expression. */
const MAX_KEY_SUMS = 150;
/**
 * Maximum number of idle keys that one close removes: more conditions, with those of the windows, could exceed the 300 operators of an
 * expression.
 */
const MAX_IDLE_KEYS = 50;

/** Returns the part of the attribute names that stands for a key. Calls by logins, which have no key id, are counted together. */
const suffixOf = (keyId: string): string => keyId.slice(-SUFFIX_LENGTH) || 'login';

/** Returns the number of open calls of a key. */
const openCallsOf = (account: Record<string, unknown>, keyId: string): number =>
  Number(account[OPEN_PREFIX + suffixOf(keyId)] ?? 0);

/** Returns true if a key has {@link MAX_CALLS} open calls. The account's count must confirm it. */
export const hasTooManyCalls = (account: AiAccount, keyId: string): boolean =>
  openCallsOf(account, keyId) >= MAX_CALLS && (account.openCalls ?? 0) >= MAX_CALLS;

/** Returns the additions that count a call as begun or ended, on the account and on its key. */
export const countCall = (keyId: string, window: number, calls: 1 | -1): Record<string, number> => ({
  openCalls: calls,
  [sumAttribute('calls', window)]: calls,
  [OPEN_PREFIX + suffixOf(keyId)]: calls,
  [keySumAttribute(window, suffixOf(keyId))]: calls,
});

/**
 * Returns the condition under which a key may begin another call. A key has at most as many open calls as its account: if it counts more,
 * an earlier version has closed the window of crashed calls, and the next close subtracts them.
 */
export const mayBeginCall = (keyId: string): AnyOf => [
  { [OPEN_PREFIX + suffixOf(keyId)]: { absentOrBelow: MAX_CALLS } },
  { openCalls: { absentOrBelow: MAX_CALLS } },
];

/**
 * Plans the part of a close that concerns the keys. Of the windows whose calls are over, oldest first, it removes the keys' sums, and
 * subtracts them from the keys' open calls: the calls that they still count have crashed. It also removes the open calls of keys that
 * have no sum in any other window.
 * @returns the parts of the change, and `windows`: the windows that have no key's sum left, whose own sums the close may remove. One
 * close removes at most {@link MAX_KEY_SUMS} sums, so this may be fewer windows than given
 */
export function planKeySums(
  account: AiAccount,
  endedWindows: readonly Window[],
): Required<Pick<Change, 'add' | 'remove' | 'when'>> & { windows: Window[] } {
  const removed = endedWindows
    .flatMap(({ window, keys }) => [...keys].map(([suffix, calls]) => ({ window, suffix, calls })))
    .slice(0, MAX_KEY_SUMS);
  const names = new Set(removed.map(({ window, suffix }) => keySumAttribute(window, suffix)));
  const remaining = windowsOf(account).flatMap(({ window, keys }) =>
    [...keys.keys()].flatMap((suffix) => (names.has(keySumAttribute(window, suffix)) ? [] : [{ window, suffix }])),
  );
  const plan = {
    windows: endedWindows.filter(({ window }) => !remaining.some((sum) => sum.window === window)),
    add: {} as Record<string, number>,
    remove: [...names],
    // Every write that changes the calls of a key also changes the window's.
    when: Object.fromEntries(
      endedWindows.flatMap(({ window, calls, attributes }): [string, Condition][] => {
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
