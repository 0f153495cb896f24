import { limitOf } from '../../contract/limits/limits.ts';
import { Account } from '../../table/entities/accounts.ts';
import { App, appsOf } from '../../table/entities/apps.ts';
import { unchanged } from '../../table/expressions.ts';
import { change, check, type Write } from '../../table/writes.ts';
import { addSuspension, removeSuspension } from '../apps/suspension.ts';
import { replaceDueReasons } from '../billing/account-due.ts';
import { allowedApps, nextSteps, nextSuspension, type Step } from '../billing/plan-limit.ts';
import { concurrentUpdate, retryOnConflict } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { emit } from '../webhooks/events.ts';

/** Returns the account's applications that are not deleted, oldest first, read consistently. */
async function readApps(deps: Pick<Deps, 'table'>, accountId: string): Promise<App[]> {
  const listed: string[] = [];
  for await (const { id } of deps.table.each(App, appsOf(accountId))) listed.push(id);
  const apps = await Promise.all(listed.map((id) => deps.table.get(App, { accountId, id })));
  return apps.flatMap((app) => (app && app.status !== 'DELETING' ? [app] : []));
}

const REASON = 'The plan of this account allows fewer applications. Upgrade the plan or delete other applications.';

/** Suspends the applications beyond the allowed number and resumes the others. Throws a conflict if the account has changed since it was read. */
async function enforce(
  deps: Pick<Deps, 'table' | 'now' | 'commit'>,
  account: Account,
  steps: readonly Step[],
  now: Date,
): Promise<void> {
  const { id: accountId } = account;
  const apps = await readApps(deps, accountId);
  const allowed = allowedApps(steps, now);
  const guard = [check(Account, { id: accountId }, conditionsOf(account), concurrentUpdate)];
  for (const [rank, app] of apps.entries()) {
    if (rank < allowed) await removeSuspension(deps, app, 'PLAN', guard);
    else await addSuspension(deps, app, { cause: 'PLAN', reason: REASON }, guard);
  }
}

/** The conditions under which a decision about an account's applications is still valid. */
const conditionsOf = (account: Account) => ({
  'plan.appLimit': { is: account.plan.appLimit },
  'limits.applications': unchanged(account.limits?.applications),
  appCount: { is: account.appCount },
  planLimitVersion: unchanged(account.planLimitVersion),
});

/** Returns the write that stores an account's state, and the account after it. */
function storeLimit(account: Account, planLimit: Account['planLimit']): { write: Write; stored: Account } {
  const { id, planLimitVersion: version } = account;
  const stored = { ...account, planLimit, planLimitVersion: (version ?? 0) + 1 };
  const { set, remove, when } = replaceDueReasons(account, { planLimit });
  const update = {
    set: { ...set, planLimitVersion: stored.planLimitVersion },
    remove,
    when: { ...when, ...conditionsOf(account) },
  };
  return { write: change(Account, { id }, update, concurrentUpdate), stored };
}

const sameSteps = (one: readonly Step[], other: readonly Step[]) => JSON.stringify(one) === JSON.stringify(other);

/**
 * Applies an account's plan limit to its applications: begins and ends grace periods, suspends the applications beyond the limit at the end
 * of their grace period, and resumes the ones within it. Idempotent.
 */
export async function reviewPlanLimit(deps: Pick<Deps, 'table' | 'now' | 'commit'>, accountId: string): Promise<void> {
  await retryOnConflict(async () => {
    const account = await deps.table.get(Account, { id: accountId });
    if (!account) return;
    const { plan, appCount, planLimit } = account;
    const appLimit = limitOf(account, 'applications');
    const now = deps.now();
    const before = planLimit?.steps ?? [];
    const steps = nextSteps(before, { appLimit, appCount, now });
    if (!planLimit && steps.length === 0) return;
    if (steps.length === 0) {
      // Applications resume before the account forgets that some were suspended.
      await enforce(deps, account, [], now);
      return await deps.table.transact([storeLimit(account, undefined).write]);
    }
    let current = account;
    if (!planLimit || !sameSteps(before, steps)) {
      const { write, stored } = storeLimit(account, { steps, enforcedUntil: planLimit?.enforcedUntil ?? '' });
      const begun = steps.find((step) => !before.some((known) => known.appLimit <= step.appLimit));
      const about = { plan: plan.slug, appLimit, applications: appCount };
      const notice = begun
        ? [emit(deps, accountId, 'plan.limit_exceeded', { ...about, suspendsAt: begun.suspendsAt })]
        : [];
      await deps.table.transact([write, ...notice]);
      current = stored;
    }
    await enforce(deps, current, steps, now);
    const enforcedUntil = now.toISOString();
    const limit = { steps, enforcedUntil };
    const isEnforced = current.planLimit && nextSuspension(current.planLimit) === nextSuspension(limit);
    if (!isEnforced) await deps.table.transact([storeLimit(current, limit).write]);
  });
}

/** Reviews an account after a change of its plan or applications, if it exceeds its limit or did. */
export async function reviewChangedAccount(
  deps: Pick<Deps, 'table' | 'now' | 'commit'>,
  account: Account,
): Promise<void> {
  const { id, appCount, planLimit } = account;
  if (planLimit || appCount > limitOf(account, 'applications')) await reviewPlanLimit(deps, id);
}
