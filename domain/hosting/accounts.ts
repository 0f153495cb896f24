import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { ApiError } from '../../contract/errors.ts';
import type { TxtRecords } from '../../providers/dns/txt-records.ts';
import type { Secrets } from '../../providers/encryption/secrets.ts';
import { PanelFailure } from '../../providers/hosting-panel/panel.ts';
import type { Executions } from '../../providers/workflows/executions.ts';
import { Subscription } from '../../table/entities/billing.ts';
import { HostingAccount, HostingServer } from '../../table/entities/hosting.ts';
import type { AccountScopedId } from '../../table/entity.ts';
import { type Change, unchanged } from '../../table/expressions.ts';
import { schedule, unschedule } from '../../table/schedule.ts';
import { change, create } from '../../table/writes.ts';
import { concurrentUpdate, ignoreConflict, retryOnConflict } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { restartQueue } from '../sweep/restart-queue.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, timestampAfter } from '../time.ts';
import { type ConvergeDeps, converge } from './converge.ts';
import { releaseHostingDomain, settleHostingDomain } from './domains.ts';
import { adopt, findAdoptable, isAwaitingRemoval, isSame, notRemoved } from './removal.ts';
import { chooseServer, findServer } from './servers.ts';
import { desiredStatus, findSharing, type Sharing, sharersOf } from './shared-accounts.ts';
import { countMailboxes } from './subscriptions.ts';

/** Interval between two comparisons of an account with its subscription, in milliseconds. */
const CHECK_INTERVAL_MS = DAY_MS;
/** The first check of a domain that is not proven, after which they become rarer, in milliseconds. */
const MIN_PROOF_DELAY_MS = 10 * MINUTE_MS;
const clamp = (least: number, value: number, most: number) => Math.min(most, Math.max(least, value));
/** After a check that came to nothing: a minute, doubled each time up to an hour. */
const MIN_RETRY_DELAY_MS = MINUTE_MS;
const MAX_RETRY_DELAY_MS = HOUR_MS;
/** An execution has this long before the reconciler starts another. */
const HEARTBEAT_TIMEOUT_MS = 10 * MINUTE_MS;

type PanelDeps = ConvergeDeps & { secrets: Secrets; txt: TxtRecords };

/**
 * cPanel's names have at most 16 characters, and the first eight of them must be the account's own: 41 bits of the
 * subscription's id.
 */
const usernameFor = (subscriptionId: string): string => {
  const digest = createHash('sha256').update(subscriptionId).digest();
  return `h${(digest.readBigUInt64BE() % 36n ** 7n).toString(36).padStart(7, '0')}`;
};

/** A change of a hosting subscription that its server must hear of. @param change names it: a replay is the same change */
export const startReconciliation = (
  deps: { hosting: Executions },
  { accountId, id }: AccountScopedId,
  change: string,
) => deps.hosting.start(`${id}-${change}`, { accountId, subscriptionId: id });

/**
 * Creates the account of a subscription where there is none yet, with the server and name of another subscription's account for its domain
 * where there is one. Where both were bought at once, the account that the server refused takes over the other.
 * @returns the account, and those that share its domain; no account for a subscription that is over and never had one
 */
const ensureAccount = (
  deps: Deps,
  subscription: Subscription,
): Promise<{ account?: HostingAccount; sharing: Sharing[] }> =>
  retryOnConflict(async () => {
    const { accountId, id } = subscription;
    const sharing = await findSharing(deps, subscription);
    const found = await deps.table.get(HostingAccount, { accountId, id });
    const adopted = findAdoptable(sharing);
    if (!found && desiredStatus(subscription, deps.now()) === 'REMOVED') return { sharing };
    if (!found) {
      const account: HostingAccount = {
        accountId,
        id,
        status: 'PENDING',
        failures: 0,
        server: adopted?.server ?? '',
        username: adopted?.username ?? usernameFor(id),
        dueAt: timestampAfter(deps.now(), HEARTBEAT_TIMEOUT_MS),
      };
      const made = create(HostingAccount, account, concurrentUpdate);
      await deps.table.transact(adopted ? [made, adopt(adopted)] : [made]);
      return { account, sharing };
    }
    const isRefused = found.status === 'PENDING' && found.problem !== undefined && !found.removing;
    const isTakingOver = isRefused && adopted && adopted.status !== 'PENDING' && adopted.username !== found.username;
    if (!isTakingOver) return { account: found, sharing };
    const set = { server: adopted.server, username: adopted.username };
    const when = { username: { is: found.username }, removing: 'absent', ...notRemoved } as const;
    await deps.table.transact([change(HostingAccount, found, { set, when }, concurrentUpdate), adopt(adopted)]);
    return { account: { ...found, ...set }, sharing };
  });

/** Returns an account with its server, which is chosen as soon as one takes new accounts; undefined until then. */
async function place(
  deps: Deps,
  account: HostingAccount,
  domain: string,
  sharing: readonly Sharing[],
): Promise<HostingAccount | undefined> {
  if (account.server !== '') return account;
  const placed = sharing.filter((each) => each.account.server !== '');
  const server = findAdoptable(placed)?.server ?? (await chooseServer(deps, domain));
  if (server === undefined) return undefined;
  // On a conflict another run chose one, by the same rule, or the account has ended.
  const what = { set: { server }, when: { server: { is: '' }, ...notRemoved } };
  await deps.table.transact([change(HostingAccount, account, what, concurrentUpdate)]);
  return { ...account, server };
}

/** Stores the account's state where lists read it. Throws a conflict where the account is another one by now. */
const saveState = (
  deps: Deps,
  [subscription, account]: [Subscription, HostingAccount],
  panel: NonNullable<Subscription['panel']>,
  { set, when }: Pick<Change, 'set' | 'when'>,
): Promise<void> => {
  const what = { set: { ...set, status: panel.status, failures: 0 }, remove: ['problem'] };
  return deps.table.transact([
    change(Subscription, subscription, { set: { panel } }),
    change(HostingAccount, account, { ...what, when: { ...when, ...isSame(account) } }, concurrentUpdate),
  ]);
};

/** Stores what the account is on its server, and schedules the next check. Throws a conflict where another run has ended it. */
async function saveServed(
  deps: Deps,
  of: [Subscription, HostingAccount],
  panel: NonNullable<Subscription['panel']>,
  { mail, isProven }: { mail: HostingAccount['mail']; isProven: boolean },
): Promise<void> {
  const [{ status, currentPeriodEnd, createdAt }] = of;
  const now = deps.now().getTime();
  // Most owners prove a domain soon after they bought its hosting, some never.
  const wait = isProven ? CHECK_INTERVAL_MS : clamp(MIN_PROOF_DELAY_MS, now - Date.parse(createdAt), CHECK_INTERVAL_MS);
  const tomorrow = timestampAfter(now, wait);
  const next = status === 'CANCELLED' && currentPeriodEnd < tomorrow ? currentPeriodEnd : tomorrow;
  const set = { ...(mail ? { mail } : {}), ...schedule(HostingAccount, next) };
  await saveState(deps, of, panel, { set, when: notRemoved });
}

/** The state of a removed account, as lists show it. */
const REMOVED = { status: 'REMOVED' as const, mailboxes: 0 };

/**
 * Stores that a subscription has no account any more, and frees its domain. The account stays due until then, for the case that the process
 * dies in between: what is found removed ends again.
 */
async function end(deps: PanelDeps, subscription: Subscription, account: HostingAccount): Promise<object> {
  const due = schedule(HostingAccount, timestampAfter(deps.now(), HEARTBEAT_TIMEOUT_MS));
  // On a conflict another run has begun to make the account on the server meanwhile.
  const when = { creatingUntil: unchanged(account.creatingUntil) };
  await saveState(deps, [subscription, account], REMOVED, { set: due, when });
  await releaseHostingDomain(deps, { ...subscription, panel: REMOVED });
  // On a conflict another run is at it.
  const isOurs = { status: { is: 'REMOVED' }, dueAt: { is: due.dueAt } };
  const done = change(HostingAccount, account, { remove: unschedule(HostingAccount), when: isOurs }, concurrentUpdate);
  await ignoreConflict(deps.table.write(HostingAccount, done));
  return {};
}

/** Frees the domain of a subscription that is over and has no account: it never had one, or that was deleted with the customer's account. */
async function endWithoutAccount(deps: PanelDeps, subscription: Subscription): Promise<object> {
  const write = change(Subscription, subscription, { set: { panel: REMOVED } }, concurrentUpdate);
  await deps.table.transact([write]);
  await releaseHostingDomain(deps, { ...subscription, panel: REMOVED });
  return {};
}

/** A server that is away or says no is no fault of ours: it is written down, and tried again later. Throws a conflict where the account was removed. */
async function scheduleRetry(deps: Deps, account: HostingAccount, problem: string): Promise<void> {
  const wait = Math.min(MIN_RETRY_DELAY_MS * 2 ** account.failures, MAX_RETRY_DELAY_MS);
  const next = schedule(HostingAccount, timestampAfter(deps.now(), wait));
  const what = { set: { problem, failures: account.failures + 1, ...next }, when: notRemoved };
  await deps.table.write(HostingAccount, change(HostingAccount, account, what, concurrentUpdate));
}

/** Waits for what another check does on the server, without a failure: what it meets is written down by that one. */
async function lookAgainSoon(deps: Deps, account: HostingAccount): Promise<object> {
  const next = schedule(HostingAccount, timestampAfter(deps.now(), MIN_RETRY_DELAY_MS));
  await deps.table.write(
    HostingAccount,
    change(HostingAccount, account, { set: next, when: notRemoved }, concurrentUpdate),
  );
  return {};
}

/** Gives a subscription that is served again a new account after its former one was removed, under a name that was never used. */
async function startOver(deps: Deps, account: HostingAccount, removing: string): Promise<object> {
  const username = usernameFor(`${account.id} ${removing}`);
  const set = { username, server: '', status: 'PENDING', failures: 0, ...schedule(HostingAccount, deps.now()) };
  const what = { set, remove: ['removing', 'problem'], when: { removing: { is: removing }, ...notRemoved } };
  await deps.table.transact([change(HostingAccount, account, what, concurrentUpdate)]);
  return {};
}

/**
 * Makes the account on the server agree with its subscription: made, suspended, taken up again, removed. Repeating it
 * changes nothing.
 * @returns what the server had against it, if anything
 */
export const reconcileHostingAccount = (deps: PanelDeps, of: AccountScopedId): Promise<{ problem?: string }> =>
  retryOnConflict(() => reconcileOnce(deps, of));

async function reconcileOnce(deps: PanelDeps, of: AccountScopedId): Promise<{ problem?: string }> {
  const subscription = await deps.table.get(Subscription, of);
  if (!subscription || subscription.plan.category === 'APP') return {};
  const { account: found, sharing } = await ensureAccount(deps, subscription);
  if (!found) return await endWithoutAccount(deps, subscription);
  if (found.status === 'REMOVED') return await end(deps, subscription, found);
  // One that never had a server has nothing there.
  if (desiredStatus(subscription, deps.now()) === 'REMOVED' && found.server === '')
    return await end(deps, subscription, found);
  const account = await place(deps, found, subscription.hostingDomain ?? '', sharing);
  if (!account) {
    const problem = 'no hosting server takes new accounts';
    await scheduleRetry(deps, found, problem);
    return { problem };
  }
  if (isAwaitingRemoval(account, sharing)) return await lookAgainSoon(deps, account);
  return await reconcilePlaced(deps, subscription, account, sharing);
}

/** Compares an account that has a server. Throws a conflict where another run was faster. */
async function reconcilePlaced(
  deps: PanelDeps,
  subscription: Subscription,
  account: HostingAccount,
  sharing: readonly Sharing[],
): Promise<{ problem?: string }> {
  const isOver = desiredStatus(subscription, deps.now()) === 'REMOVED';
  const server = await findServer(deps, account.server);
  const state = await settleHostingDomain(deps, subscription);
  try {
    const { mail, mayCome } = await converge(deps, server, account, [subscription, sharing], state);
    if (mayCome) return await lookAgainSoon(deps, account);
    // What is over is removed for its subscription, also while another one keeps the account.
    if (isOver || state === 'LOST') return await end(deps, subscription, account);
    if (account.removing) return await startOver(deps, account, account.removing);
    const now = await deps.panel.read(server, account.username);
    if (!now) throw new PanelFailure('nonsense', `${account.username} does not exist, although it was made`);
    const panel = { status: now.status, mailboxes: countMailboxes(now, subscription) };
    await saveServed(deps, [subscription, account], panel, { mail, isProven: state === 'PROVEN' });
    return {};
  } catch (error) {
    if (!(error instanceof PanelFailure)) throw error;
    const problem = `${account.server}: ${error.fault}: ${error.message}`;
    await scheduleRetry(deps, account, problem);
    return { problem };
  }
}

/** Hosting accounts whose next comparison has come: an execution is started, and another where that one dies. */
export const hostingQueue = restartQueue({
  queue: 'HOSTING',
  entity: HostingAccount,
  afterMs: HEARTBEAT_TIMEOUT_MS,
  start: startReconciliation,
});

/**
 * For operators: a subscription's account is on another server, where it was moved to by hand. Throws 404 for a server, or a hosting
 * account, that there is not.
 */
export async function moveHosting(deps: Deps, { server, ...of }: AccountScopedId & { server: string }): Promise<void> {
  const [known, subscription] = await Promise.all([
    deps.table.get(HostingServer, { name: server }),
    deps.table.get(Subscription, of),
  ]);
  if (!known) throw new ApiError('not_found', `Hosting server ${server} not found.`);
  if (!subscription || subscription.plan.category === 'APP') throw new ApiError('not_found', 'Hosting not found.');
  const removed = () => new ApiError('not_found', 'The hosting has ended, and its account is removed.');
  const { account: before, sharing } = await ensureAccount(deps, subscription);
  if (!before) throw removed();
  const moved = [before, ...sharersOf(before, sharing).map((each) => each.account)];
  const set = { server, ...schedule(HostingAccount, deps.now()) };
  const about = { action: 'hosting.moved', accountId: of.accountId, subjectId: of.id } as const;
  const what = { set, when: notRemoved };
  const writes = moved.map((each) => change(HostingAccount, each, what, removed));
  await deps.commit(writes, undefined, { ...about, before, after: { server } });
}

export const HostingInput = z.object({ accountId: z.string(), subscriptionId: z.string() });
export const MoveHostingInput = z.extend(HostingInput, { server: z.string() });
