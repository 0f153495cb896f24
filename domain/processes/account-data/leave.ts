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
import { DAY } from '../../../table/entity.ts';
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
import { concurrentUpdate, ignoreConflict, retryOnConflict } from '../../conflict.ts';
import type { Deps } from '../../deps.ts';
import { notRemoved } from '../../hosting/removal.ts';
import { expireLater, scheduleCheck } from '../../registrar/schedule.ts';
import { createBudget } from '../../sweep/budget.ts';
import type { DueQueue } from '../../sweep/sweep.ts';
import { HOUR_MS, MINUTE_MS, timestampAfter } from '../../time.ts';
import { applySuspension, reapplyChange } from '../suspension.ts';
import { creditCentsOf, refundOf } from './deletion.ts';
import { anonymous, recordsEnd, removeRest, storedIn } from './removal.ts';

/**
 * The deletion of an account after its grace period (docs/decisions/0056-customers-data.md). Every step may be repeated and looks
 * at what there is: a run that dies leaves the rest to the next, a minute later. What other processes take down — applications
 * with their databases and domains, hosting, tasks at the registrar, AI calls — is waited for.
 */

export type LeaveDeps = Deps & { users: Pick<Users, 'remove'> };

/** Time for which one run removes items, and the next continues. */
const SLICE_MS = 20_000;
/** Days for which a deleted login is remembered: longer than an access token is valid, so that none opens a new account. */
const LOGIN_KEPT_DAYS = 2;
const SUSPENDED = 'It is being deleted, as its owner requested.';

const epochOf = (date: Date) => Math.floor(date.getTime() / 1000);

/** Begins the deletion whose grace period is over: keys and logins are refused, and it cannot be cancelled. */
async function begin(deps: LeaveDeps, { accountId, endsAt }: AccountDeletion): Promise<boolean> {
  const account = await deps.table.get(Account, { id: accountId });
  if (account?.deletion?.endsAt !== endsAt) return false;
  const now = deps.now();
  const refundCents = refundOf(account, await deps.table.get(AiAccount, { accountId }));
  const { set, when } = reapplyChange(account, now);
  const suspension = { reason: SUSPENDED, since: now.toISOString() };
  const running = { status: 'RUNNING', refundCents, ...schedule(AccountDeletion, now) };
  const writes = [
    change(Account, { id: accountId }, { set: { ...set, suspension }, when }, concurrentUpdate),
    change(AccountDeletion, { accountId }, { set: running, when: { status: { is: 'GRACE' } } }, concurrentUpdate),
  ];
  const about = { action: 'account.deletion-begun', accountId, subjectId: accountId } as const;
  const begun = commitAsPlatform(deps, writes, true, { ...about, after: { refund: formatRand(refundCents) } });
  return (await ignoreConflict(begun)) ?? false;
}

/** Ends subscriptions at once, hosting with them; unpaid invoices become void. @returns whether hosting is removed */
async function endSubscriptions(deps: LeaveDeps, accountId: string): Promise<boolean> {
  const caller = { accountId, keyId: '' };
  const now = deps.now().toISOString();
  let gone = true;
  for (const { id, status, currentPeriodEnd } of await deps.table.all(Subscription, subscriptionsOf(accountId))) {
    if (status !== 'CANCELLED') await cancelSubscription(deps, caller, { id });
    const hosting = await deps.table.get(HostingAccount, { accountId, id });
    const isServed = hosting !== undefined && hosting.status !== 'REMOVED';
    // Removed and still due: its domain is not free yet.
    if (isServed || hosting?.dueAt !== undefined) gone = false;
    if (currentPeriodEnd <= now) continue;
    // What is paid usually stays usable: not here.
    const soon = { set: schedule(HostingAccount, now), when: notRemoved };
    const writes = [
      change(Subscription, { accountId, id }, { set: { currentPeriodEnd: now, ...schedule(Subscription, now) } }),
      ...(isServed ? [change(HostingAccount, { accountId, id }, soon, concurrentUpdate)] : []),
    ];
    // On a conflict the hosting has ended meanwhile: the next run ends its subscription.
    await ignoreConflict(deps.table.transact(writes));
  }
  const unpaid = await deps.table.all(InvoiceByStatus, invoicesByStatus(accountId, 'UNPAID'));
  for (const { id } of unpaid) await voidUnpaidInvoice(deps, accountId, id);
  return gone;
}

/** Deletes the applications, with all that belongs to them. @returns whether they are gone */
async function deleteApps(deps: LeaveDeps, accountId: string): Promise<boolean> {
  // Another run may have deleted it: the list is some milliseconds behind.
  for await (const { id } of deps.table.each(App, appsOf(accountId)))
    if ((await deps.table.get(App, { accountId, id }))?.status !== 'DELETING')
      await deleteApp(deps, { accountId, keyId: '' }, { id });
  for await (const { entity } of storedIn(deps.table, accountId)) if (entity === App.type) return false;
  return true;
}

/** True while the registrar works on a domain, or will: the task needs the registrant, and one that is refused is refunded. */
async function isUnderWay({ table }: LeaveDeps, { accountId, status, task, renewal }: Domain): Promise<boolean> {
  if (status === 'PENDING' || task) return true;
  if (status !== 'ACTIVE' || !renewal) return false;
  // Its task begins a moment after the payment.
  return (await table.get(Invoice, { accountId, id: renewal.invoiceId }))?.status === 'PAID';
}

/**
 * Registered domains run out at the end of their term and are not renewed; their registrants are forgotten here. The table deletes those that
 * have ended.
 * @returns whether that is so of all of them
 */
async function letDomainsRunOut(deps: LeaveDeps, accountId: string): Promise<boolean> {
  let done = true;
  const blank = {
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
    const underWay = await isUnderWay(deps, domain);
    if (underWay) done = false;
    if (underWay || owner.name === '') continue;
    const next =
      status === 'ACTIVE' ? scheduleCheck({ ...domain, autoRenew: false }, deps.now()) : expireLater(deps.now());
    const set = { autoRenew: false, owner: blank, ...next };
    const when = { status: { is: status }, task: 'absent' as const };
    const write = change(Domain, { accountId, id }, { set, when }, concurrentUpdate);
    // On a conflict the domain is not as it was listed: the next run looks again.
    if (!(await ignoreConflict(deps.table.write(Domain, write)))) done = false;
  }
  return done;
}

/** Closes what AI calls of the account have opened, as time allows: then the balance has all of them. @returns whether none is open */
async function endAiCalls(deps: LeaveDeps, accountId: string): Promise<boolean> {
  const isIdle = async () => {
    const credits = await deps.table.get(AiAccount, { accountId });
    return !credits || (windowsOf(credits).length === 0 && Object.keys(credits.holds).length === 0);
  };
  if (await isIdle()) return true;
  await closeWindowsOf(deps, accountId);
  return await isIdle();
}

/** The records are removed: the name servers follow. */
async function emptyZones(deps: LeaveDeps, accountId: string): Promise<void> {
  for await (const { id } of deps.table.each(Domain, domainsOf(accountId))) {
    const of = { accountId, domainId: id };
    const zone = await deps.table.get(Zone, of);
    const changed = { set: zone ? zoneChanged(deps.now(), zone) : {}, add: { version: 1 } };
    if (zone) await deps.table.transact([change(Zone, of, changed)]);
  }
}

/**
 * Deletes the users at the issuer of logins; those that are members of other accounts only leave this one. Tokens of the deleted stay refused
 * until they have expired.
 */
async function deleteLogins(deps: LeaveDeps, { id: accountId, logins = [] }: Account): Promise<void> {
  const leave = async (subject: string): Promise<void> => {
    const login = await deps.table.get(Login, { subject });
    if (!login || !membershipOf(login, accountId)) return;
    const others = membershipsOf(login).filter((each) => each.accountId !== accountId);
    if (others.length > 0) return await deps.table.transact(setMemberships(login, others));
    await deps.users.remove(subject);
    const expiresAtEpoch = epochOf(deps.now()) + LOGIN_KEPT_DAYS * DAY;
    const gone = { set: { suspended: SUSPENDED, expiresAtEpoch }, remove: ['email', 'name', 'accountName'] };
    // It may have accepted an invitation meanwhile: a member without a login could not be removed.
    const when = { membershipsVersion: unchanged(login.membershipsVersion) };
    await deps.table.transact([change(Login, { subject }, { ...gone, when }, concurrentUpdate)]);
  };
  for (const subject of logins) await retryOnConflict(() => leave(subject));
}

/** Takes the AI credits out of their ledger, which then adds up to what there is: nothing. */
function closeCredits(deps: LeaveDeps, { accountId, balanceMicroRand }: AiAccount): Write[] {
  const entry = newCreditEntry(deps, accountId, 'ADJUSTMENT', -balanceMicroRand);
  const kept = { ...entry, expiresAtEpoch: recordsEnd(deps.now()) };
  return [
    remove(AiAccount, { accountId }, { balanceMicroRand: { is: balanceMicroRand } }, concurrentUpdate),
    ...(balanceMicroRand === 0 ? [] : [create(AiEntry, kept)]),
  ];
}

/**
 * Moves the AI credits to the wallet, which then is what the account gets back, and records that it is deleted. Its id, its ledgers and
 * its invoices stay as long as the law asks. If money moves meanwhile, the next run does it.
 */
async function finish(deps: LeaveDeps, accountId: string): Promise<void> {
  const [account, credits] = await Promise.all([
    deps.table.get(Account, { id: accountId }),
    deps.table.get(AiAccount, { accountId }),
  ]);
  if (!account) return;
  // A dispute may have been opened during this run.
  if (isDisputed(account)) return await continueAt(deps, accountId, timestampAfter(deps.now(), HOUR_MS));
  const now = deps.now();
  const wallet = new Wallet(account, undefined, now.toISOString());
  const creditCents = creditCentsOf(credits);
  if (creditCents > 0) wallet.move('ADJUSTMENT', creditCents, 'AI credits of the deleted account');
  const refundCents = Math.max(0, wallet.balanceCents);
  const { set, remove: personal } = anonymous(deps, accountId);
  const done = { status: 'DELETED', refundCents, deletedAt: now.toISOString(), expiresAtEpoch: recordsEnd(now) };
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

/** Returns true while the bank decides about a card payment of the account, which takes weeks: its money is the customer's or not. */
const isDisputed = ({ frozenCents = 0 }: Account): boolean => frozenCents > 0;

/** Ends what processes take down. @returns whether it is gone */
async function takeDown(deps: LeaveDeps, accountId: string): Promise<boolean> {
  await applySuspension(deps, accountId);
  const isHostingGone = await endSubscriptions(deps, accountId);
  const areAppsGone = await deleteApps(deps, accountId);
  const areDomainsIdle = await letDomainsRunOut(deps, accountId);
  const areCallsOver = await endAiCalls(deps, accountId);
  return isHostingGone && areAppsGone && areDomainsIdle && areCallsOver;
}

async function continueAt(
  deps: LeaveDeps,
  accountId: string,
  at: string | Date,
  removal?: AccountDeletion['removal'],
): Promise<void> {
  const set = { ...(removal && { removal }), ...schedule(AccountDeletion, at) };
  const next = { set, when: { status: { is: 'RUNNING' } } };
  await ignoreConflict(deps.table.transact([change(AccountDeletion, { accountId }, next, concurrentUpdate)]));
}

async function advanceDeletion(deps: LeaveDeps, deletion: AccountDeletion): Promise<void> {
  const { accountId, status, removal } = deletion;
  const budget = createBudget(deps, SLICE_MS);
  const account = await deps.table.get(Account, { id: accountId });
  if (!account?.deletion) {
    const over = { remove: unschedule(AccountDeletion), when: { status: { is: status } } };
    await ignoreConflict(deps.table.transact([change(AccountDeletion, { accountId }, over, concurrentUpdate)]));
    return;
  }
  if (status === 'GRACE' && !(await begin(deps, deletion))) return;
  if (!removal && !(await takeDown(deps, accountId)))
    return await continueAt(deps, accountId, timestampAfter(deps.now(), MINUTE_MS));
  if (isDisputed(account)) return await continueAt(deps, accountId, timestampAfter(deps.now(), HOUR_MS));
  if (!removal) await deleteLogins(deps, account);
  const left = await removeRest(deps, deletion, budget);
  if (left) return await continueAt(deps, accountId, deps.now(), left);
  await emptyZones(deps, accountId);
  await finish(deps, accountId);
}

/** Accounts whose grace period is over, or whose deletion is under way. */
export const deletionQueue: DueQueue<typeof AccountDeletion, LeaveDeps> = {
  queue: 'ACCOUNT_DELETION',
  entity: AccountDeletion,
  timeoutMs: SLICE_MS + 15_000,
  act: advanceDeletion,
};
