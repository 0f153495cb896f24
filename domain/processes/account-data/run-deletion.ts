import type { Users } from '../../../providers/login/users.ts';
import { AccountDeletion } from '../../../table/entities/account-data.ts';
import { Account, Login } from '../../../table/entities/accounts.ts';
import { AiAccount, AiEntry } from '../../../table/entities/ai.ts';
import { App, appsOf } from '../../../table/entities/apps.ts';
import {
  Invoice,
  InvoiceByStatus,
  invoicesByStatus,
  Subscription,
  subscriptionsOf,
} from '../../../table/entities/billing.ts';
import { Zone, zoneChanged } from '../../../table/entities/dns.ts';
import { HostingAccount } from '../../../table/entities/hosting.ts';
import { Domain, domainsOf } from '../../../table/entities/registrar.ts';
import { DAY, epoch } from '../../../table/entity.ts';
import { unchanged } from '../../../table/expressions.ts';
import { schedule, unschedule } from '../../../table/schedule.ts';
import { change, create, remove, type Write } from '../../../table/writes.ts';
import { membershipOf, membershipsOf, setMemberships } from '../../accounts/membership.ts';
import { closeWindowsOf } from '../../ai/closing.ts';
import { newCreditEntry } from '../../ai/entries.ts';
import { windowsOf } from '../../ai/windows.ts';
import { deleteApp } from '../../apps/apps.ts';
import { commitAsPlatform } from '../../audit/record.ts';
import { formatRand } from '../../billing/money.ts';
import { cancelSubscription } from '../../billing/subscriptions.ts';
import { voidUnpaidInvoice } from '../../billing/unpaid-invoices.ts';
import { Wallet } from '../../billing/wallet.ts';
import { concurrentUpdate, ignoreConflict, retryOnConflict, tryChange, tryTransact } from '../../conflict.ts';
import type { Deps } from '../../deps.ts';
import { notRemoved } from '../../hosting/removal.ts';
import { expireLater, scheduleCheck } from '../../registrar/schedule.ts';
import { createBudget } from '../../sweep/budget.ts';
import type { DueQueue } from '../../sweep/sweep.ts';
import { HOUR_MS, MINUTE_MS, timestampAfter } from '../../time.ts';
import { applySuspension, reapplyChange } from '../suspension.ts';
import { creditCentsOf, refundOf } from './deletion.ts';
import { anonymizingChange, readAccountPartition, removeItems, retentionEndEpoch } from './remove-items.ts';

/**
 * The deletion of an account after its grace period (docs/decisions/0056-customers-data.md). Every step is idempotent and depends only on the
 * current state: after a crash, the next run continues a minute later. The deletion waits for the processes that remove applications with
 * their databases and domains, and hosting, and that complete tasks at the registrar and AI calls.
 */

export type DeletionDeps = Deps & { users: Pick<Users, 'remove'> };

/** Time for which one run removes items, in milliseconds. */
const SLICE_MS = 20_000;
/** Days for which a deleted login stays in the table: longer than its access tokens are valid, so that none opens a new account. */
const DELETED_LOGIN_DAYS = 2;
const SUSPENSION_REASON = 'It is being deleted, as its owner requested.';

/** Begins a deletion after its grace period. Afterwards it cannot be cancelled, and keys and logins are refused. @returns true if it began */
async function beginDeletion(deps: DeletionDeps, { accountId, endsAt }: AccountDeletion): Promise<boolean> {
  const account = await deps.table.get(Account, { id: accountId });
  if (account?.deletion?.endsAt !== endsAt) return false;
  const now = deps.now();
  const refundCents = refundOf(account, await deps.table.get(AiAccount, { accountId }));
  const { set, when } = reapplyChange(account, now);
  const suspension = { reason: SUSPENSION_REASON, since: now.toISOString() };
  const running = { status: 'RUNNING', refundCents, ...schedule(AccountDeletion, now) };
  const writes = [
    change(Account, { id: accountId }, { set: { ...set, suspension }, when }, concurrentUpdate),
    change(AccountDeletion, { accountId }, { set: running, when: { status: { is: 'GRACE' } } }, concurrentUpdate),
  ];
  const about = { action: 'account.deletion-begun', accountId, subjectId: accountId } as const;
  const begun = commitAsPlatform(deps, writes, true, { ...about, after: { refund: formatRand(refundCents) } });
  return (await ignoreConflict(begun)) ?? false;
}

/** Ends subscriptions and their hosting immediately, and voids unpaid invoices. @returns true once all hosting is removed */
async function endSubscriptions(deps: DeletionDeps, accountId: string): Promise<boolean> {
  const caller = { accountId, keyId: '' };
  const now = deps.now().toISOString();
  let isGone = true;
  for (const { id, status, currentPeriodEnd } of await deps.table.all(Subscription, subscriptionsOf(accountId))) {
    if (status !== 'CANCELLED') await cancelSubscription(deps, caller, { id });
    const hosting = await deps.table.get(HostingAccount, { accountId, id });
    const isServed = hosting !== undefined && hosting.status !== 'REMOVED';
    // A removed hosting account that is still due has a domain that is not free yet.
    if (isServed || hosting?.dueAt !== undefined) isGone = false;
    if (currentPeriodEnd <= now) continue;
    // Other cancelled subscriptions stay usable until the end of the paid period. These end now.
    const checkNow = { set: schedule(HostingAccount, now), when: notRemoved };
    const writes = [
      change(Subscription, { accountId, id }, { set: { currentPeriodEnd: now, ...schedule(Subscription, now) } }),
      ...(isServed ? [change(HostingAccount, { accountId, id }, checkNow, concurrentUpdate)] : []),
    ];
    // On a conflict the hosting has ended in the meantime, and the next run ends its subscription.
    await tryTransact(deps, writes);
  }
  const unpaid = await deps.table.all(InvoiceByStatus, invoicesByStatus(accountId, 'UNPAID'));
  for (const { id } of unpaid) await voidUnpaidInvoice(deps, accountId, id);
  return isGone;
}

/** Deletes the applications with all their resources. @returns true once they are deleted */
async function deleteApps(deps: DeletionDeps, accountId: string): Promise<boolean> {
  // The list lags some milliseconds behind, so another run may already be deleting the application.
  for await (const { id } of deps.table.each(App, appsOf(accountId)))
    if ((await deps.table.get(App, { accountId, id }))?.status !== 'DELETING')
      await deleteApp(deps, { accountId, keyId: '' }, { id });
  for await (const { entity } of readAccountPartition(deps.table, accountId)) if (entity === App.type) return false;
  return true;
}

/** Returns true while a domain's registrar task is in progress or about to begin: it needs the registrant, and is refunded if rejected. */
async function hasTask({ table }: DeletionDeps, { accountId, status, task, renewal }: Domain): Promise<boolean> {
  if (status === 'PENDING' || task) return true;
  if (status !== 'ACTIVE' || !renewal) return false;
  // The task begins shortly after the payment.
  return (await table.get(Invoice, { accountId, id: renewal.invoiceId }))?.status === 'PAID';
}

/**
 * Stops the renewal of registered domains and removes their registrants. The domains expire at the end of their term, and the table deletes
 * ended ones.
 * @returns true once this is done for all domains
 */
async function stopRenewals(deps: DeletionDeps, accountId: string): Promise<boolean> {
  let done = true;
  const emptyRegistrant = {
    name: '',
    email: '',
    contactNumber: '',
    address1: '',
    city: '',
    province: '',
    postalCode: '',
    country: '',
  };
  for await (const domain of deps.table.each(Domain, domainsOf(accountId))) {
    const { id, status, owner } = domain;
    const isBusy = await hasTask(deps, domain);
    if (isBusy) done = false;
    if (isBusy || owner.name === '') continue;
    const next =
      status === 'ACTIVE' ? scheduleCheck({ ...domain, autoRenew: false }, deps.now()) : expireLater(deps.now());
    const set = { autoRenew: false, owner: emptyRegistrant, ...next };
    const when = { status: { is: status }, task: 'absent' as const };
    // On a conflict the domain has changed since it was listed. The next run reads it again.
    if (!(await tryChange(deps, Domain, { accountId, id }, { set, when }))) done = false;
  }
  return done;
}

/** Closes the windows of the account's AI calls that can be closed by now, so that the balance includes them. @returns true once none is open */
async function closeAiWindows(deps: DeletionDeps, accountId: string): Promise<boolean> {
  const isIdle = async () => {
    const credits = await deps.table.get(AiAccount, { accountId });
    return !credits || (windowsOf(credits).length === 0 && Object.keys(credits.holds).length === 0);
  };
  if (await isIdle()) return true;
  await closeWindowsOf(deps, accountId);
  return await isIdle();
}

/** Requests a sync of the zones after their records were removed. */
async function syncEmptiedZones(deps: DeletionDeps, accountId: string): Promise<void> {
  for await (const { id } of deps.table.each(Domain, domainsOf(accountId))) {
    const zoneKey = { accountId, domainId: id };
    const zone = await deps.table.get(Zone, zoneKey);
    const update = { set: zone ? zoneChanged(deps.now(), zone) : {}, add: { version: 1 } };
    if (zone) await deps.table.transact([change(Zone, zoneKey, update)]);
  }
}

/**
 * Deletes the account's users at the issuer of logins. Users who are members of other accounts only leave this account. Access tokens of
 * deleted users are refused until they expire.
 */
async function deleteLogins(deps: DeletionDeps, { id: accountId, logins = [] }: Account): Promise<void> {
  const leave = async (subject: string): Promise<void> => {
    const login = await deps.table.get(Login, { subject });
    if (!login || !membershipOf(login, accountId)) return;
    const others = membershipsOf(login).filter((each) => each.accountId !== accountId);
    if (others.length > 0) return await deps.table.transact(setMemberships(login, others));
    await deps.users.remove(subject);
    const expiresAtEpoch = epoch(deps.now()) + DELETED_LOGIN_DAYS * DAY;
    const update = { set: { suspended: SUSPENSION_REASON, expiresAtEpoch }, remove: ['email', 'name', 'accountName'] };
    // The login may have accepted an invitation in the meantime. A member without a login could not be removed.
    const when = { membershipsVersion: unchanged(login.membershipsVersion) };
    await deps.table.transact([change(Login, { subject }, { ...update, when }, concurrentUpdate)]);
  };
  for (const subject of logins) await retryOnConflict(() => leave(subject));
}

/** Returns the writes that remove the AI account and its balance, with a ledger entry after which the ledger's sum is zero. */
function closeCredits(deps: DeletionDeps, { accountId, balanceMicroRand }: AiAccount): Write[] {
  const entry = newCreditEntry(deps, accountId, 'ADJUSTMENT', -balanceMicroRand);
  const record = { ...entry, expiresAtEpoch: retentionEndEpoch(deps.now()) };
  return [
    remove(AiAccount, { accountId }, { balanceMicroRand: { is: balanceMicroRand } }, concurrentUpdate),
    ...(balanceMicroRand === 0 ? [] : [create(AiEntry, record)]),
  ];
}

/**
 * Moves the AI credits to the wallet, whose balance is then the refund, and marks the account as deleted. Its id, ledgers and invoices stay
 * for as long as the law requires. If the balance changes in the meantime, the next run repeats this.
 */
async function finish(deps: DeletionDeps, accountId: string): Promise<void> {
  const [account, credits] = await Promise.all([
    deps.table.get(Account, { id: accountId }),
    deps.table.get(AiAccount, { accountId }),
  ]);
  if (!account) return;
  // The bank may have opened a dispute during this run.
  if (isDisputed(account)) return await continueAt(deps, accountId, timestampAfter(deps.now(), HOUR_MS));
  const now = deps.now();
  const wallet = new Wallet(account, undefined, now.toISOString());
  const creditCents = creditCentsOf(credits);
  if (creditCents > 0) wallet.move('ADJUSTMENT', creditCents, 'AI credits of the deleted account');
  const refundCents = Math.max(0, wallet.balanceCents);
  const { set, remove: personal } = anonymizingChange(deps, accountId);
  const done = { status: 'DELETED', refundCents, deletedAt: now.toISOString(), expiresAtEpoch: retentionEndEpoch(now) };
  const running = { remove: ['removal', ...unschedule(AccountDeletion)], when: { status: { is: 'RUNNING' } } };
  const writes = [
    ...wallet.writes({ set, remove: [...personal, 'deletion'] }),
    ...(credits ? closeCredits(deps, credits) : []),
    change(AccountDeletion, { accountId }, { set: done, ...running }, concurrentUpdate),
  ];
  const about = { action: 'account.deleted', accountId, subjectId: accountId } as const;
  await ignoreConflict(
    commitAsPlatform(deps, writes, undefined, { ...about, after: { refund: formatRand(refundCents) } }),
  );
}

/** Returns true while a card payment of the account is disputed. The bank takes weeks to decide to whom the money belongs. */
const isDisputed = ({ frozenCents = 0 }: Account): boolean => frozenCents > 0;

/** Starts the processes that remove the account's resources. @returns true once they are done */
async function tearDownResources(deps: DeletionDeps, accountId: string): Promise<boolean> {
  await applySuspension(deps, accountId);
  const isHostingGone = await endSubscriptions(deps, accountId);
  const areAppsGone = await deleteApps(deps, accountId);
  const areDomainsDone = await stopRenewals(deps, accountId);
  const areCallsClosed = await closeAiWindows(deps, accountId);
  return isHostingGone && areAppsGone && areDomainsDone && areCallsClosed;
}

/** Schedules the next run, which continues from the position `removal`. */
async function continueAt(
  deps: DeletionDeps,
  accountId: string,
  at: string | Date,
  removal?: AccountDeletion['removal'],
): Promise<void> {
  const set = { ...(removal && { removal }), ...schedule(AccountDeletion, at) };
  const next = { set, when: { status: { is: 'RUNNING' } } };
  await tryChange(deps, AccountDeletion, { accountId }, next);
}

async function advanceDeletion(deps: DeletionDeps, deletion: AccountDeletion): Promise<void> {
  const { accountId, status, removal } = deletion;
  const budget = createBudget(deps, SLICE_MS);
  const account = await deps.table.get(Account, { id: accountId });
  if (!account?.deletion) {
    const update = { remove: unschedule(AccountDeletion), when: { status: { is: status } } };
    await tryChange(deps, AccountDeletion, { accountId }, update);
    return;
  }
  if (status === 'GRACE' && !(await beginDeletion(deps, deletion))) return;
  if (!removal && !(await tearDownResources(deps, accountId)))
    return await continueAt(deps, accountId, timestampAfter(deps.now(), MINUTE_MS));
  if (isDisputed(account)) return await continueAt(deps, accountId, timestampAfter(deps.now(), HOUR_MS));
  if (!removal) await deleteLogins(deps, account);
  const position = await removeItems(deps, deletion, budget);
  if (position) return await continueAt(deps, accountId, deps.now(), position);
  await syncEmptiedZones(deps, accountId);
  await finish(deps, accountId);
}

/** Accounts whose grace period is over, or whose deletion is in progress. */
export const deletionQueue: DueQueue<typeof AccountDeletion, DeletionDeps> = {
  queue: 'ACCOUNT_DELETION',
  entity: AccountDeletion,
  timeoutMs: SLICE_MS + 15_000,
  act: advanceDeletion,
};
