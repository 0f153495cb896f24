import { Account } from '../../table/entities/accounts.ts';
import { type Change, unchanged } from '../../table/expressions.ts';
import { schedule, unschedule } from '../../table/schedule.ts';
import { nextSuspension } from './plan-limit.ts';

/** The reasons for which an account is in the due queue `ACCOUNT`, each with a separate time. */
type Reasons = Partial<Pick<Account, 'reapplyAt' | 'planLimit' | 'topUpAt'>>;

/**
 * Returns the change of an account that replaces the given reasons, and removes the ones that are undefined. The account is then due at
 * the earliest time of all its reasons. The change fails if any reason has changed since the account was read.
 */
export function replaceDueReasons(account: Account, reasons: Reasons) {
  const { reapplyAt, planLimit, topUpAt } = { ...account, ...reasons };
  const times = [reapplyAt, planLimit && nextSuspension(planLimit), topUpAt].filter((time) => time !== undefined);
  const [at] = times.sort();
  const changes = Object.entries(reasons);
  const set: Record<string, unknown> = {
    ...Object.fromEntries(changes.filter(([, value]) => value !== undefined)),
    ...(at === undefined ? {} : schedule(Account, at)),
  };
  const removed = changes.flatMap(([name, value]) => (value === undefined ? [name] : []));
  const remove = at === undefined ? [...removed, ...unschedule(Account)] : removed;
  const when = {
    reapplyAt: unchanged(account.reapplyAt),
    planLimitVersion: unchanged(account.planLimitVersion),
    topUpAt: unchanged(account.topUpAt),
  };
  return { set, remove, when } satisfies Change;
}
