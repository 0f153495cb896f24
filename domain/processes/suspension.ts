import { ApiError } from '../../contract/errors.ts';
import { Account, ApiKey, apiKeysOf, Credential, Login } from '../../table/entities/accounts.ts';
import { App, appsOf } from '../../table/entities/apps.ts';
import { Subscription, subscriptionsOf } from '../../table/entities/billing.ts';
import { HostingAccount } from '../../table/entities/hosting.ts';
import { Webhook, webhooksOf } from '../../table/entities/webhooks.ts';
import type { Entity } from '../../table/entity.ts';
import { unchanged } from '../../table/expressions.ts';
import { schedule } from '../../table/schedule.ts';
import { change, check, type Write } from '../../table/writes.ts';
import { type Membership, membershipOf, membershipsOf, setMemberships } from '../accounts/membership.ts';
import { noSuchApp } from '../apps/apps.ts';
import { addSuspension, removeSuspension } from '../apps/suspension.ts';
import { replaceDueReasons } from '../billing/account-due.ts';
import { considerAutoTopUp } from '../billing/auto-top-up.ts';
import { concurrentUpdate, ignoreConflict, retryOnConflict } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import type { DueQueue } from '../sweep/sweep.ts';
import { timestampAfter } from '../time.ts';
import { reviewPlanLimit } from './plan-limit.ts';

/** Suspension of accounts and applications by operators (docs/decisions/0031-suspension.md). */

/** An account, or one of its applications; the reason, which its owner reads, or null to lift. */
interface Suspension {
  accountId: string;
  applicationId?: string;
  reason: string | null;
}

type Lists = Pick<Deps, 'table' | 'now' | 'commit'>;

/**
 * Time after which the effects of a suspension are applied again, in milliseconds: requests that were under way and lists that
 * lag behind have come to an end by then.
 */
const REAPPLY_AFTER_MS = 60_000;

const versionIs = (version: number | undefined) => ({ suspensionVersion: unchanged(version) });

/** Suspends or lifts, for operators. Repeating it changes nothing. Throws 404. */
export async function setSuspension(
  deps: Lists,
  { accountId, applicationId, reason }: Suspension,
): Promise<{ suspended: boolean }> {
  return await retryOnConflict(async () => {
    if (applicationId === undefined) return await setAccountSuspension(deps, accountId, reason);
    const of = { accountId, id: applicationId };
    const app = await (reason === null
      ? removeSuspension(deps, of, 'OPERATOR')
      : addSuspension(deps, of, { cause: 'OPERATOR', reason }));
    if (!app) throw noSuchApp();
    return { suspended: app.status === 'SUSPENDED' };
  });
}

/** Returns the change of an account by which its suspension and its deletion are applied to what it has, soon and once more. */
export function reapplying(account: Account, now: Date) {
  const { suspensionVersion: version } = account;
  const reapplyAt = timestampAfter(now, REAPPLY_AFTER_MS);
  const { set, when } = replaceDueReasons(account, { reapplyAt });
  return { set: { ...set, suspensionVersion: (version ?? 0) + 1 }, when: { ...when, ...versionIs(version) } };
}

/** Changes the account only: the stream applies what follows. */
async function setAccountSuspension(deps: Lists, id: string, reason: string | null): Promise<{ suspended: boolean }> {
  const account = await deps.table.get(Account, { id });
  if (!account) throw new ApiError('not_found', 'Account not found.');
  const { suspension: before } = account;
  const suspended = reason !== null;
  if (before?.reason === (reason ?? undefined)) return { suspended };
  const now = deps.now();
  const { set, when } = reapplying(account, now);
  const suspension = { reason, since: before?.since ?? now.toISOString() };
  const resumed = { set: { ...set, resumedAt: now.toISOString() }, remove: ['suspension'] };
  const what = suspended ? { set: { ...set, suspension } } : resumed;
  return await deps.commit(
    [change(Account, { id }, { ...what, when }, concurrentUpdate)],
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
 * Applies an account's suspension and requested deletion, or their end: to its keys and logins, which are refused, to its
 * applications, to its webhook endpoints, whose deliveries wait, and to its web and email hosting. Each write requires that the account is as it was read, so
 * that of several runs the last state wins. May be repeated at any time.
 */
export async function applySuspension(deps: Lists, accountId: string): Promise<void> {
  await retryOnConflict(async () => {
    const account = await deps.table.get(Account, { id: accountId });
    if (!account) return;
    const { suspension, suspensionVersion, deletion } = account;
    const guard = [check(Account, { id: accountId }, versionIs(suspensionVersion), concurrentUpdate)];
    const marks = { suspended: suspension?.reason, closesAt: deletion?.endsAt };
    for (const subject of account.logins ?? []) await markLogin(deps, subject, accountId, marks, guard);
    await markKeys(deps, accountId, marks, guard);
    for await (const { id } of deps.table.each(App, appsOf(accountId))) {
      const of = { accountId, id };
      if (suspension) await addSuspension(deps, of, { cause: 'ACCOUNT', reason: suspendedWith(suspension) }, guard);
      else await removeSuspension(deps, of, 'ACCOUNT', guard);
    }
    for (const { id, suspension: own } of await deps.table.all(Webhook, webhooksOf(accountId)))
      await mark(deps, { heldSince: suspension?.since ?? own?.since }, guard)(Webhook, { accountId, id });
    await reconcileHosting(deps, account, guard);
  });
}

async function markKeys(deps: Lists, accountId: string, marks: Marks, guard: readonly Write[]): Promise<void> {
  const setMarks = mark(deps, marks, guard);
  for await (const { hashes, revokedAt } of deps.table.each(ApiKey, apiKeysOf(accountId))) {
    // A revoked key is refused anyway, and an account may have very many.
    if (revokedAt !== null) continue;
    for (const hash of [hashes.secret, hashes.public]) await setMarks(Credential, { hash });
  }
}

/** Has hosting accounts soon compared with their account, whose suspension or its end their servers have not followed. */
async function reconcileHosting(deps: Lists, { id: accountId, suspension }: Account, guard: readonly Write[]) {
  const other = suspension ? 'ACTIVE' : 'SUSPENDED';
  for (const { id } of await deps.table.all(Subscription, subscriptionsOf(accountId))) {
    const hosting = await deps.table.get(HostingAccount, { accountId, id });
    // One whose server is away is tried again anyway, ever more rarely.
    if (hosting?.status !== other || hosting.failures > 0) continue;
    const what = { set: schedule(HostingAccount, deps.now()), when: { status: { is: other } } } as const;
    const soon = change(HostingAccount, { accountId, id }, what, concurrentUpdate);
    await deps.table.transact([soon, ...guard]);
  }
}

const suspendedWith = ({ reason }: { reason: string }) => `The account is suspended: ${reason}`;

/** The reason of an account's suspension, and the time of its deletion. */
type Marks = Pick<Membership, 'suspended' | 'closesAt'>;

/** Gives a login's membership in an account the reason of its suspension and the time of its deletion, or removes them. */
async function markLogin(
  deps: Lists,
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

/** Returns a function that gives fields of items their values, or removes those without one, where they have others. */
const mark =
  (deps: Lists, fields: Record<string, string | undefined>, guard: readonly Write[]) =>
  async <T, K>(entity: Entity<T, K>, of: K): Promise<void> => {
    const item: unknown = await deps.table.get(entity, of);
    if (typeof item !== 'object' || item === null) return;
    const other = Object.entries(fields).filter(([field, value]) => Reflect.get(item, field) !== value);
    if (other.length === 0) return;
    const set = Object.fromEntries(other.filter(([, value]) => value !== undefined));
    const remove = other.flatMap(([field, value]) => (value === undefined ? [field] : []));
    await deps.table.transact([change(entity, of, { set, remove }, concurrentUpdate), ...guard]);
  };

/** Accounts whose suspension is applied again, whose applications beyond the plan's limit are suspended, or whose automatic top-up was held back. */
export const accountQueue: DueQueue<typeof Account, Deps> = {
  queue: 'ACCOUNT',
  entity: Account,
  timeoutMs: 30_000,
  async act(deps, account) {
    const { id, reapplyAt, topUpAt } = account;
    const isOver = (time: string | undefined) => time !== undefined && time <= deps.now().toISOString();
    if (isOver(reapplyAt)) {
      await applySuspension(deps, id);
      const what = replaceDueReasons(account, { reapplyAt: undefined });
      // On a conflict the account changed meanwhile, and is due at another time, or in the next run.
      await ignoreConflict(deps.table.transact([change(Account, { id }, what, concurrentUpdate)]));
    }
    await reviewPlanLimit(deps, id);
    if (isOver(topUpAt)) await considerAutoTopUp(deps, id);
  },
};
