import { Account } from '../../table/entities/accounts.ts';
import { type Change, unchanged } from '../../table/expressions.ts';
import { schedule, unschedule } from '../../table/schedule.ts';
import { MINUTE_MS, timestampAfter } from '../time.ts';
import { nextSuspension } from './plan-limit.ts';

/** The reasons for which an account is in the due queue `ACCOUNT`, each with a separate time. */
type Reasons = Partial<Pick<Account, 'reapplyAt' | 'planLimit' | 'topUpAt'>>;

/** Time after a change of a plan or limit at which its effects are reviewed, in milliseconds. By then the stream has usually applied them. */
const REVIEW_AFTER_MS = MINUTE_MS;

/**
 * Returns the fields of an account that have the sweep review it soon, in case the stream loses the change of its plan or limit. They need no
 * condition: the review reads the account's other reasons and schedules it for them.
 */
export function reviewSoon(now: string | Date) {
  const reapplyAt = timestampAfter(now, REVIEW_AFTER_MS);
  return { reapplyAt, ...schedule(Account, reapplyAt) };
}

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
