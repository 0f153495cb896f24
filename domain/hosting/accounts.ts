import * as z from 'zod/mini';
import type { TxtRecords } from '../../providers/dns/txt-records.ts';
import type { Secrets } from '../../providers/encryption/secrets.ts';
import { PanelFailure } from '../../providers/hosting-panel/panel.ts';
import type { Executions } from '../../providers/workflows/executions.ts';
import { Subscription } from '../../table/entities/billing.ts';
import { HostingAccount } from '../../table/entities/hosting.ts';
import type { AccountScopedId } from '../../table/entity.ts';
import { type Change, unchanged } from '../../table/expressions.ts';
import { schedule, unschedule } from '../../table/schedule.ts';
import { change, create } from '../../table/writes.ts';
import { concurrentUpdate, retryOnConflict, tryChange } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { restartQueue } from '../sweep/restart-queue.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, timestampAfter } from '../time.ts';
import { type ConvergeDeps, converge } from './converge.ts';
import { releaseHostingDomain, verifyHostingDomain } from './domains.ts';
import { HEARTBEAT_TIMEOUT_MS, newAccount, usernameFor } from './new-account.ts';
import { adopt, findAdoptable, isAwaitingRemoval, notRemoved, sameAccount } from './removal.ts';
import { chooseServer, findServer } from './servers.ts';
import { desiredStatus, findSharing, type Sharing } from './shared-accounts.ts';
import { countMailboxes } from './subscriptions.ts';

/** Interval between two comparisons of an account with its subscription, in milliseconds. */
const CHECK_INTERVAL_MS = DAY_MS;
/** Delay of the first check of an unproven domain; later checks become rarer. In milliseconds. */
const MIN_PROOF_DELAY_MS = 10 * MINUTE_MS;
/** Delay after a failed check: a minute, doubled with each failure up to an hour. */
const MIN_RETRY_DELAY_MS = MINUTE_MS;
const MAX_RETRY_DELAY_MS = HOUR_MS;

type PanelDeps = ConvergeDeps & { secrets: Secrets; txt: TxtRecords };

/** Result of a reconciliation. */
interface Reconciled {
  /** The problem that the server reported, or the reason why the account has no server. */
  problem?: string;
}

/** Starts the reconciliation of a changed hosting subscription. @param change names the change, so that a repeated call starts nothing new */
export const startReconciliation = (
  deps: { hosting: Executions },
  { accountId, id }: AccountScopedId,
  change: string,
) => deps.hosting.start(`${id}-${change}`, { accountId, subscriptionId: id });

/**
 * Returns true if a subscription's account must become another one of its domain: because it has no server yet, or because its server refused it
 * and has the other one. Of two accounts without a server, the one with the first id stays as it is.
 */
function mustAdopt(account: HostingAccount, other: HostingAccount): boolean {
  const { id, status, removing, problem, server, username } = account;
  if (status !== 'PENDING' || removing || username === other.username) return false;
  if (server === '') return other.server !== '' || other.id < id;
  return problem !== undefined && other.status !== 'PENDING';
}

/**
 * Returns the account of a subscription; creates it if an earlier version sold the subscription without one. If another subscription has an
 * account for the same domain, the new account adopts its server and user name. If both were placed at the same time, the account that the
 * server refused adopts the other's.
 * @returns the account and the ones that share its domain; no account for a subscription that has ended and never had one
 */
export const ensureAccount = (
  deps: Deps,
  subscription: Subscription,
): Promise<{ account?: HostingAccount; sharing: Sharing[] }> =>
  retryOnConflict(async () => {
    const { accountId, id } = subscription;
    const sharing = await findSharing(deps, subscription);
    const found = await deps.table.get(HostingAccount, { accountId, id });
    const adopted = findAdoptable(sharing);
    const adoption = adopted && { server: adopted.server, username: adopted.username };
    const isOver = desiredStatus(subscription, deps.now()) === 'REMOVED';
    if (!found && isOver) return { sharing };
    if (!found) {
      const account = { ...newAccount(deps, subscription), ...adoption };
      const creation = create(HostingAccount, account, concurrentUpdate);
      await deps.table.transact(adopted ? [creation, adopt(adopted)] : [creation]);
      return { account, sharing };
    }
    if (isOver || !adopted || !mustAdopt(found, adopted)) return { account: found, sharing };
    const when = { ...sameAccount(found), removing: 'absent', ...notRemoved } as const;
    const update = { set: { ...adoption }, when };
    await deps.table.transact([change(HostingAccount, found, update, concurrentUpdate), adopt(adopted)]);
    return { account: { ...found, ...adoption }, sharing };
  });

/** Returns an account with its server, which it chooses if the account has none; undefined while no server accepts new accounts. */
async function assignServer(
  deps: Deps,
  account: HostingAccount,
  domain: string,
  sharing: readonly Sharing[],
): Promise<HostingAccount | undefined> {
  if (account.server !== '') return account;
  const placed = sharing.filter((each) => each.account.server !== '');
  const server = findAdoptable(placed)?.server ?? (await chooseServer(deps, domain));
  if (server === undefined) return undefined;
  // A conflict means that another run chose a server, by the same rule, or that the account has ended.
  const update = { set: { server }, when: { server: { is: '' }, ...notRemoved } };
  await deps.table.transact([change(HostingAccount, account, update, concurrentUpdate)]);
  return { ...account, server };
}

/** Stores the account's state in the subscription, where lists read it. Throws a conflict if the account was replaced since it was read. */
const saveState = (
  deps: Deps,
  [subscription, account]: [Subscription, HostingAccount],
  panel: NonNullable<Subscription['panel']>,
  { set, when }: Pick<Change, 'set' | 'when'>,
): Promise<void> => {
  const update = { set: { ...set, status: panel.status, failures: 0 }, remove: ['problem'] };
  return deps.table.transact([
    change(Subscription, subscription, { set: { panel } }),
    change(HostingAccount, account, { ...update, when: { ...when, ...sameAccount(account) } }, concurrentUpdate),
  ]);
};

/** Stores the state that the account has on its server, and schedules the next check. Throws a conflict if another run has ended the account. */
async function saveServedState(
  deps: Deps,
  [subscription, account]: [Subscription, HostingAccount],
  panel: NonNullable<Subscription['panel']>,
  { mail, isProven }: { mail: HostingAccount['mail']; isProven: boolean },
): Promise<void> {
  const { status, currentPeriodEnd, createdAt } = subscription;
  const now = deps.now().getTime();
  // Most owners prove a domain soon after they buy its hosting, some never.
  const age = now - Date.parse(createdAt);
  const wait = isProven ? CHECK_INTERVAL_MS : Math.min(CHECK_INTERVAL_MS, Math.max(MIN_PROOF_DELAY_MS, age));
  const regular = timestampAfter(now, wait);
  const next = status === 'CANCELLED' && currentPeriodEnd < regular ? currentPeriodEnd : regular;
  const set = { ...(mail ? { mail } : {}), ...schedule(HostingAccount, next) };
  await saveState(deps, [subscription, account], panel, { set, when: notRemoved });
}

/** The state of a removed account, as lists show it. */
const REMOVED = { status: 'REMOVED' as const, mailboxes: 0 };

/**
 * Stores that a subscription no longer has an account, and releases its domain. The account stays due until both are done: if the process
 * dies in between, the next run finds the account removed and repeats the release.
 */
async function endAccount(deps: PanelDeps, subscription: Subscription, account: HostingAccount): Promise<Reconciled> {
  const due = schedule(HostingAccount, timestampAfter(deps.now(), HEARTBEAT_TIMEOUT_MS));
  // A conflict means that another run has begun to create the account on the server in the meantime.
  const when = { creatingUntil: unchanged(account.creatingUntil) };
  await saveState(deps, [subscription, account], REMOVED, { set: due, when });
  await releaseHostingDomain(deps, { ...subscription, panel: REMOVED });
  // A conflict means that another run is ending the account.
  const isOurs = { status: { is: 'REMOVED' }, dueAt: { is: due.dueAt } };
  await tryChange(deps, HostingAccount, account, { remove: unschedule(HostingAccount), when: isOurs });
  return {};
}

/** Releases the domain of an ended subscription without an account: it never had one, or it was deleted with the customer's account. */
async function endWithoutAccount(deps: PanelDeps, subscription: Subscription): Promise<Reconciled> {
  const write = change(Subscription, subscription, { set: { panel: REMOVED } }, concurrentUpdate);
  await deps.table.transact([write]);
  await releaseHostingDomain(deps, { ...subscription, panel: REMOVED });
  return {};
}

/** Records a server's failure or refusal, and schedules a retry. Throws a conflict if the account was removed. */
async function scheduleRetry(deps: Deps, account: HostingAccount, problem: string): Promise<void> {
  const wait = Math.min(MIN_RETRY_DELAY_MS * 2 ** account.failures, MAX_RETRY_DELAY_MS);
  const next = schedule(HostingAccount, timestampAfter(deps.now(), wait));
  const update = { set: { problem, failures: account.failures + 1, ...next }, when: notRemoved };
  await deps.table.write(HostingAccount, change(HostingAccount, account, update, concurrentUpdate));
}

/** Schedules a check after the one that currently works on the server. Records no failure: the other check records its own. */
async function scheduleRecheck(deps: Deps, account: HostingAccount): Promise<Reconciled> {
  const next = schedule(HostingAccount, timestampAfter(deps.now(), MIN_RETRY_DELAY_MS));
  await deps.table.write(
    HostingAccount,
    change(HostingAccount, account, { set: next, when: notRemoved }, concurrentUpdate),
  );
  return {};
}

/** Prepares a new account for a subscription that is active again after the removal of its account. The user name is a new one. */
async function restartAccount(deps: Deps, account: HostingAccount, removing: string): Promise<Reconciled> {
  const username = usernameFor(`${account.id} ${removing}`);
  const set = { username, server: '', status: 'PENDING', failures: 0, ...schedule(HostingAccount, deps.now()) };
  const update = { set, remove: ['removing', 'problem'], when: { removing: { is: removing }, ...notRemoved } };
  await deps.table.transact([change(HostingAccount, account, update, concurrentUpdate)]);
  return {};
}

/** Chooses another user name for an account that was never created, because the server has an account of that name for another domain. */
async function renameAccount(deps: Deps, account: HostingAccount): Promise<Reconciled> {
  const username = usernameFor(`${account.id} ${account.username}`);
  const set = { username, failures: 0, ...schedule(HostingAccount, deps.now()) };
  // A conflict means that another run is creating the account, or has replaced or ended it.
  const when = {
    ...sameAccount(account),
    status: { is: 'PENDING' },
    removing: 'absent',
    creatingUntil: unchanged(account.creatingUntil),
  } as const;
  const update = { set, remove: ['problem'], when };
  await deps.table.transact([change(HostingAccount, account, update, concurrentUpdate)]);
  return {};
}

/**
 * Brings the account on the server to the state that its subscription requires: creates, suspends, unsuspends or removes it.
 * Idempotent.
 */
export const reconcileHostingAccount = (deps: PanelDeps, ids: AccountScopedId): Promise<Reconciled> =>
  retryOnConflict(() => reconcileOnce(deps, ids));

async function reconcileOnce(deps: PanelDeps, ids: AccountScopedId): Promise<Reconciled> {
  const subscription = await deps.table.get(Subscription, ids);
  if (!subscription || subscription.plan.category === 'APP') return {};
  const { account: found, sharing } = await ensureAccount(deps, subscription);
  if (!found) return await endWithoutAccount(deps, subscription);
  if (found.status === 'REMOVED') return await endAccount(deps, subscription, found);
  // An account that never had a server has nothing to remove.
  if (desiredStatus(subscription, deps.now()) === 'REMOVED' && found.server === '')
    return await endAccount(deps, subscription, found);
  const account = await assignServer(deps, found, subscription.hostingDomain ?? '', sharing);
  if (!account) {
    const problem = 'no hosting server takes new accounts';
    await scheduleRetry(deps, found, problem);
    return { problem };
  }
  if (isAwaitingRemoval(account, sharing)) return await scheduleRecheck(deps, account);
  return await reconcileOnServer(deps, subscription, account, sharing);
}

/** Reconciles an account that has a server. Throws a conflict if another run was faster. */
async function reconcileOnServer(
  deps: PanelDeps,
  subscription: Subscription,
  account: HostingAccount,
  sharing: readonly Sharing[],
): Promise<Reconciled> {
  const isOver = desiredStatus(subscription, deps.now()) === 'REMOVED';
  const server = await findServer(deps, account.server);
  const state = await verifyHostingDomain(deps, subscription);
  try {
    const { mail, mayAppear, isNameTaken } = await converge(deps, server, account, [subscription, sharing], state);
    if (isNameTaken) return await renameAccount(deps, account);
    if (mayAppear) return await scheduleRecheck(deps, account);
    // An ended subscription counts as removed even while another subscription keeps the account.
    if (isOver || state === 'LOST') return await endAccount(deps, subscription, account);
    if (account.removing) return await restartAccount(deps, account, account.removing);
    const now = await deps.panel.read(server, account.username);
    if (!now) throw new PanelFailure('invalid-response', `${account.username} does not exist, although it was made`);
    const panel = { status: now.status, mailboxes: countMailboxes(now, subscription) };
    await saveServedState(deps, [subscription, account], panel, { mail, isProven: state === 'PROVEN' });
    return {};
  } catch (error) {
    if (!(error instanceof PanelFailure)) throw error;
    const problem = `${account.server}: ${error.fault}: ${error.message}`;
    await scheduleRetry(deps, account, problem);
    return { problem };
  }
}

/** Hosting accounts that are due for a check. The sweep starts an execution, and another one if that dies. */
export const hostingQueue = restartQueue({
  queue: 'HOSTING',
  entity: HostingAccount,
  afterMs: HEARTBEAT_TIMEOUT_MS,
  start: startReconciliation,
});

export const HostingInput = z.object({ accountId: z.string(), subscriptionId: z.string() });
