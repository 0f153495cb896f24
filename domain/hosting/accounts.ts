import { createHash, randomBytes } from 'node:crypto';
import type { Secrets } from '../../providers/encryption/secrets.ts';
import {
  type NewPanelAccount,
  type Panel,
  PanelFailure,
  type PanelServer,
} from '../../providers/hosting-panel/panel.ts';
import type { Executions } from '../../providers/workflows/executions.ts';
import { Subscription } from '../../table/entities/billing.ts';
import { HostingAccount } from '../../table/entities/hosting.ts';
import { Account, type OfAccount } from '../../table/entities.ts';
import { splitKey } from '../../table/keys.ts';
import { change, create } from '../../table/writes.ts';
import type { Deps } from '../deps.ts';
import { Overtaken, overtaken, unlessOvertaken } from '../overtaken.ts';
import { chooseServer, findServer } from './servers.ts';

/** How often an account is compared with its subscription when nothing has happened, in milliseconds. */
const CHECK_EVERY = 24 * 3600_000;
/** After a check that came to nothing: a minute, doubled each time up to an hour. */
const FIRST_RETRY = 60_000;
const LONGEST_RETRY = 3600_000;
/** An execution has this long before the reconciler starts another. */
const PATIENCE = 600_000;

type PanelDeps = Deps & { panel: Panel; secrets: Secrets };

/**
 * cPanel's names have at most 16 characters, and the first eight of them must be the account's own: 41 bits of the
 * subscription's id.
 */
const usernameOf = (subscriptionId: string): string => {
  const digest = createHash('sha256').update(subscriptionId).digest();
  return `h${(digest.readBigUInt64BE() % 36n ** 7n).toString(36).padStart(7, '0')}`;
};

/** A change of a hosting subscription that its server must hear of. @param change names it: a replay is the same change */
export const startSettling = (deps: { hosting: Executions }, { accountId, id }: OfAccount, change: string) =>
  deps.hosting.start(`${id}-${change}`, { accountId, subscriptionId: id });

async function findAccount(deps: Deps, of: OfAccount): Promise<HostingAccount> {
  const found = await deps.table.get(HostingAccount, of);
  if (found) return found;
  const account: HostingAccount = {
    ...of,
    server: await chooseServer(deps, of.id),
    username: usernameOf(of.id),
    status: 'PENDING',
    failures: 0,
    checkAt: new Date(deps.now().getTime() + PATIENCE).toISOString(),
  };
  try {
    await deps.table.transact([create(HostingAccount, account, overtaken)]);
    return account;
  } catch (error) {
    if (!(error instanceof Overtaken)) throw error;
    return await findAccount(deps, of);
  }
}

/** What is paid for stays usable to the end of its period, cancelled or not (design, Billing). */
function wantedOf({ status, currentPeriodEnd }: Subscription, now: Date): 'ACTIVE' | 'SUSPENDED' | 'REMOVED' {
  if (status === 'CANCELLED') return Date.parse(currentPeriodEnd) > now.getTime() ? 'ACTIVE' : 'REMOVED';
  return status;
}

/** Makes an account, unless another run of the same was a moment earlier. */
async function make({ panel }: PanelDeps, server: PanelServer, account: NewPanelAccount): Promise<void> {
  try {
    await panel.create(server, account);
  } catch (error) {
    if (!(error instanceof PanelFailure) || error.fault !== 'refused') throw error;
    if ((await panel.find(server, account.username))?.domain !== account.domain) throw error;
  }
}

/** Makes the account on the server what it should be. Whatever was done before is found done. */
async function agree(
  deps: PanelDeps,
  server: PanelServer,
  { username }: HostingAccount,
  subscription: Subscription,
): Promise<void> {
  const { accountId, hostingDomain, plan } = subscription;
  const wanted = wantedOf(subscription, deps.now());
  const found = await deps.panel.find(server, username);
  if (found && found.domain !== hostingDomain) {
    throw new PanelFailure('refused', `${username} is the account of ${found.domain}`);
  }
  if (wanted === 'REMOVED') return found && deps.panel.remove(server, username);
  if (!found) {
    const owner = await deps.table.get(Account, { id: accountId });
    await make(deps, server, {
      username,
      domain: hostingDomain ?? '',
      plan: plan.slug,
      contactEmail: owner?.email ?? '',
      // Nobody knows it: the panel is entered through sessions that we ask for.
      password: randomBytes(24).toString('base64url'),
    });
  }
  const status = found?.status ?? 'ACTIVE';
  if (status === wanted) return;
  if (wanted === 'SUSPENDED') await deps.panel.suspend(server, username, 'The subscription is not paid.');
  else await deps.panel.unsuspend(server, username);
}

/** What is known of the account from now on: where lists find it, and when the next check is. */
async function remember(
  deps: Deps,
  subscription: Subscription,
  panel: NonNullable<Subscription['panel']>,
): Promise<void> {
  const { accountId, id, status, currentPeriodEnd } = subscription;
  const tomorrow = new Date(deps.now().getTime() + CHECK_EVERY).toISOString();
  const checkAt = status === 'CANCELLED' && currentPeriodEnd < tomorrow ? currentPeriodEnd : tomorrow;
  const gone = panel.status === 'REMOVED';
  await deps.table.transact([
    change(Subscription, { accountId, id }, { set: { panel } }),
    change(
      HostingAccount,
      { accountId, id },
      {
        set: { status: panel.status, failures: 0, ...(gone ? {} : { checkAt, duePk: 'HOSTING', dueAt: checkAt }) },
        remove: ['problem', ...(gone ? ['checkAt', 'duePk', 'dueAt'] : [])],
      },
    ),
  ]);
}

/** A server that is away or says no is no fault of ours: it is written down, and tried again later. */
async function putOff(deps: Deps, account: HostingAccount, problem: string): Promise<void> {
  const wait = Math.min(FIRST_RETRY * 2 ** account.failures, LONGEST_RETRY);
  const checkAt = new Date(deps.now().getTime() + wait).toISOString();
  const set = { problem, failures: account.failures + 1, checkAt, duePk: 'HOSTING', dueAt: checkAt };
  await deps.table.write(HostingAccount, change(HostingAccount, account, { set }));
}

/**
 * Makes the account on the server agree with its subscription: made, suspended, taken up again, removed. Repeating it
 * changes nothing.
 * @returns what the server had against it, if anything
 */
export async function settleHosting(deps: PanelDeps, of: OfAccount): Promise<{ problem?: string }> {
  const subscription = await deps.table.get(Subscription, of);
  if (!subscription || subscription.plan.category === 'APP') return {};
  const account = await findAccount(deps, of);
  if (account.status === 'REMOVED') return {};
  const server = await findServer(deps, account.server);
  try {
    await agree(deps, server, account, subscription);
    const now = await deps.panel.read(server, account.username);
    await remember(deps, subscription, { status: now?.status ?? 'REMOVED', mailboxes: now?.mailboxes.length ?? 0 });
    return {};
  } catch (error) {
    if (!(error instanceof PanelFailure)) throw error;
    const problem = `${account.server}: ${error.fault}: ${error.message}`;
    await putOff(deps, account, problem);
    return { problem };
  }
}

/** How many due accounts one run of the reconciler sees to. */
const BATCH = 100;

/** Has every account looked at whose time has come. @returns how many */
export async function reconcileHosting(deps: Deps & { hosting: Executions }): Promise<number> {
  const now = deps.now();
  const due = await deps.table.due('HOSTING', now.toISOString(), BATCH);
  for (const { pk, sk, dueAt } of due) {
    const [, accountId = ''] = splitKey(pk);
    const [, id = ''] = splitKey(sk);
    const of = { accountId, id };
    await startSettling(deps, of, String(Date.parse(dueAt)));
    const next = new Date(now.getTime() + PATIENCE).toISOString();
    const moved = change(HostingAccount, of, { set: { dueAt: next }, when: { dueAt: { is: dueAt } } }, overtaken);
    // Settled meanwhile it has its next time.
    await unlessOvertaken(deps.table.write(HostingAccount, moved));
  }
  return due.length;
}

/** For operators: a subscription's account is on another server, where it was moved to by hand. */
export async function moveHosting(deps: Deps, { server, ...of }: OfAccount & { server: string }): Promise<void> {
  await findAccount(deps, of);
  const checkAt = deps.now().toISOString();
  const set = { server, checkAt, duePk: 'HOSTING', dueAt: checkAt };
  await deps.table.write(HostingAccount, change(HostingAccount, of, { set }));
}
