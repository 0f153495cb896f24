import { ApiError } from '../../contract/errors.ts';
import { Account, ApiKey, apiKeysOf, Credential, Login } from '../../table/entities/accounts.ts';
import { App, appsOf } from '../../table/entities/apps.ts';
import { Subscription, subscriptionsOf } from '../../table/entities/billing.ts';
import { HostingAccount } from '../../table/entities/hosting.ts';
import { Webhook, webhooksOf } from '../../table/entities/webhooks.ts';
import type { Entity } from '../../table/entity.ts';
import { type Condition, unchanged } from '../../table/expressions.ts';
import { schedule } from '../../table/schedule.ts';
import { change, check, type Write } from '../../table/writes.ts';
import { type Membership, membershipOf, membershipsOf, setMemberships } from '../accounts/membership.ts';
import { noSuchApp } from '../apps/apps.ts';
import { addSuspension, removeSuspension } from '../apps/suspension.ts';
import { replaceDueReasons } from '../billing/account-due.ts';
import { considerAutoTopUp } from '../billing/auto-top-up.ts';
import { concurrentUpdate, retryOnConflict, tryChange } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import type { DueQueue } from '../sweep/sweep.ts';
import { timestampAfter } from '../time.ts';
import { reviewPlanLimit } from './plan-limit.ts';

/** Suspension of accounts and applications by operators (docs/decisions/0031-suspension.md). */

/** An operator's request to suspend an account or one of its applications. The owner sees the reason; null lifts the suspension. */
interface Suspension {
  accountId: string;
  applicationId?: string;
  reason: string | null;
}

type SuspensionDeps = Pick<Deps, 'table' | 'now' | 'commit'>;

/**
 * Time after which a suspension is applied a second time, in milliseconds. By then concurrent requests have ended, and lists that lag behind
 * the table are up to date.
 */
const REAPPLY_AFTER_MS = 60_000;

const versionIs = (version: number | undefined) => ({ suspensionVersion: unchanged(version) });

/** For operators: suspends an account or application, or lifts the suspension. Idempotent. Throws 404. */
export async function setSuspension(
  deps: SuspensionDeps,
  { accountId, applicationId, reason }: Suspension,
): Promise<{ suspended: boolean }> {
  return await retryOnConflict(async () => {
    if (applicationId === undefined) return await setAccountSuspension(deps, accountId, reason);
    const key = { accountId, id: applicationId };
    const app = await (reason === null
      ? removeSuspension(deps, key, 'OPERATOR')
      : addSuspension(deps, key, { cause: 'OPERATOR', reason }));
    if (!app) throw noSuchApp();
    return { suspended: app.status === 'SUSPENDED' };
  });
}

/** Returns the change of an account that makes the stream apply its suspension and deletion, and the sweep apply them once more. */
export function reapplyChange(account: Account, now: Date) {
  const { suspensionVersion: version } = account;
  const reapplyAt = timestampAfter(now, REAPPLY_AFTER_MS);
  const { set, when } = replaceDueReasons(account, { reapplyAt });
  return { set: { ...set, suspensionVersion: (version ?? 0) + 1 }, when: { ...when, ...versionIs(version) } };
}

/** Changes the account only: the stream applies the effects. */
async function setAccountSuspension(
  deps: SuspensionDeps,
  id: string,
  reason: string | null,
): Promise<{ suspended: boolean }> {
  const account = await deps.table.get(Account, { id });
  if (!account) throw new ApiError('not_found', 'Account not found.');
  const { suspension: before } = account;
  const suspended = reason !== null;
  if (before?.reason === (reason ?? undefined)) return { suspended };
  const now = deps.now();
  const { set, when } = reapplyChange(account, now);
  const suspension = { reason, since: before?.since ?? now.toISOString() };
  const resumed = { set: { ...set, resumedAt: now.toISOString() }, remove: ['suspension'] };
  const update = suspended ? { set: { ...set, suspension } } : resumed;
  return await deps.commit(
    [change(Account, { id }, { ...update, when }, concurrentUpdate)],
    { suspended },
    {
      action: suspended ? 'account.suspended' : 'account.resumed',
      accountId: id,
      subjectId: id,
      ...(before ? { before } : {}),
      after: suspended ? suspension : {},
    },
  );
}

/**
 * Applies an account's suspension and requested deletion, or their end: to its keys and logins, which are refused; to its applications; to its
 * webhook endpoints, whose deliveries are held; and to its web and email hosting. Each write requires that the account is unchanged since it
 * was read, so that of concurrent runs the one with the latest state wins. Idempotent.
 */
export async function applySuspension(deps: SuspensionDeps, accountId: string): Promise<void> {
  await retryOnConflict(async () => {
    const account = await deps.table.get(Account, { id: accountId });
    if (!account) return;
    const { suspension, suspensionVersion, deletion } = account;
    const guard = [check(Account, { id: accountId }, versionIs(suspensionVersion), concurrentUpdate)];
    const marks = { suspended: suspension?.reason, closesAt: deletion?.endsAt };
    for (const subject of account.logins ?? []) await markLogin(deps, subject, accountId, marks, guard);
    await markKeys(deps, accountId, marks, guard);
    for await (const { id } of deps.table.each(App, appsOf(accountId))) {
      const key = { accountId, id };
      if (suspension) await addSuspension(deps, key, { cause: 'ACCOUNT', reason: suspendedWith(suspension) }, guard);
      else await removeSuspension(deps, key, 'ACCOUNT', guard);
    }
    for (const { id, suspension: own } of await deps.table.all(Webhook, webhooksOf(accountId))) {
      // An operator may suspend or resume the endpoint meanwhile.
      const hold = setFields(deps, { heldSince: suspension?.since ?? own?.since }, guard, {
        'suspension.since': unchanged(own?.since),
      });
      await hold(Webhook, { accountId, id });
    }
    await reconcileHosting(deps, account, guard);
  });
}

async function markKeys(deps: SuspensionDeps, accountId: string, marks: Marks, guard: readonly Write[]): Promise<void> {
  const setMarks = setFields(deps, marks, guard);
  for await (const { hashes, revokedAt } of deps.table.each(ApiKey, apiKeysOf(accountId))) {
    // A revoked key is refused anyway, and an account may have very many.
    if (revokedAt !== null) continue;
    for (const hash of [hashes.secret, hashes.public]) await setMarks(Credential, { hash });
  }
}

/** Makes hosting accounts due that their servers have not suspended or resumed yet. */
async function reconcileHosting(deps: SuspensionDeps, { id: accountId, suspension }: Account, guard: readonly Write[]) {
  const other = suspension ? 'ACTIVE' : 'SUSPENDED';
  for (const { id } of await deps.table.all(Subscription, subscriptionsOf(accountId))) {
    const hosting = await deps.table.get(HostingAccount, { accountId, id });
    // A hosting account whose server is unavailable is retried with backoff anyway.
    if (hosting?.status !== other || hosting.failures > 0) continue;
    const update = { set: schedule(HostingAccount, deps.now()), when: { status: { is: other } } } as const;
    const soon = change(HostingAccount, { accountId, id }, update, concurrentUpdate);
    await deps.table.transact([soon, ...guard]);
  }
}

const suspendedWith = ({ reason }: { reason: string }) => `The account is suspended: ${reason}`;

/** The reason of an account's suspension, and the time of its deletion. */
type Marks = Pick<Membership, 'suspended' | 'closesAt'>;

/** Sets the reason of an account's suspension and the time of its deletion in a login's membership, or removes them. */
async function markLogin(
  deps: SuspensionDeps,
  subject: string,
  accountId: string,
  marks: Marks,
  guard: readonly Write[],
): Promise<void> {
  const login = await deps.table.get(Login, { subject });
  const membership = login && membershipOf(login, accountId);
  if (!login || !membership) return;
  if (membership.suspended === marks.suspended && membership.closesAt === marks.closesAt) return;
  const marked = membershipsOf(login).map((each) => (each.accountId === accountId ? { ...each, ...marks } : each));
  await deps.table.transact([...setMemberships(login, marked), ...guard]);
}

/**
 * Returns a function that sets fields of an item if they differ, and removes the fields whose value is undefined.
 * @param when conditions on the item, if the values depend on it
 */
const setFields =
  (
    deps: SuspensionDeps,
    fields: Record<string, string | undefined>,
    guard: readonly Write[],
    when: Record<string, Condition> = {},
  ) =>
  async <T, K>(entity: Entity<T, K>, key: K): Promise<void> => {
    const item: unknown = await deps.table.get(entity, key);
    if (typeof item !== 'object' || item === null) return;
    const changed = Object.entries(fields).filter(([field, value]) => Reflect.get(item, field) !== value);
    if (changed.length === 0) return;
    const set = Object.fromEntries(changed.filter(([, value]) => value !== undefined));
    const remove = changed.flatMap(([field, value]) => (value === undefined ? [field] : []));
    await deps.table.transact([change(entity, key, { set, remove, when }, concurrentUpdate), ...guard]);
  };

/** Accounts whose suspension is due to be applied again, whose grace period ends, or whose automatic top-up was postponed. */
export const accountQueue: DueQueue<typeof Account, Deps> = {
  queue: 'ACCOUNT',
  entity: Account,
  timeoutMs: 30_000,
  async act(deps, account) {
    const { id, reapplyAt, topUpAt } = account;
    const isDue = (time: string | undefined) => time !== undefined && time <= deps.now().toISOString();
    if (isDue(reapplyAt)) {
      await applySuspension(deps, id);
      const update = replaceDueReasons(account, { reapplyAt: undefined });
      // On a conflict the account has changed in the meantime, and stays due or has a new due time.
      await tryChange(deps, Account, { id }, update);
    }
    await reviewPlanLimit(deps, id);
    if (isDue(topUpAt)) await considerAutoTopUp(deps, id);
  },
};
