import { randomBytes } from 'node:crypto';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import {
  type NewPanelAccount,
  type Panel,
  type PanelAccount,
  PanelFailure,
  type PanelServer,
} from '../../providers/hosting-panel/panel.ts';
import { Account } from '../../table/entities/accounts.ts';
import type { Subscription } from '../../table/entities/billing.ts';
import { HostingAccount } from '../../table/entities/hosting.ts';
import { change } from '../../table/writes.ts';
import { concurrentUpdate } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { timestampAfter } from '../time.ts';
import type { DomainState } from './domains.ts';
import { decideRemoval, notRemoved, sameAccount } from './removal.ts';
import { requiredState, type Sharing, sharersOf } from './shared-accounts.ts';

export type ConvergeDeps = Deps & { panel: Panel };

/** Creates an account on the server, unless a concurrent run has just created it. */
async function createAccount(
  { panel }: ConvergeDeps,
  server: PanelServer,
  account: Omit<NewPanelAccount, 'password'>,
): Promise<void> {
  // The password is never used: owners enter the panel through sessions that the platform requests. It cannot be reset, because
  // the account has no contact address, which could belong to a member who has left.
  const password = randomBytes(24).toString('base64url');
  try {
    await panel.create(server, { ...account, password });
  } catch (error) {
    if (!(error instanceof PanelFailure) || error.fault !== 'refused') throw error;
    if ((await panel.find(server, account.username))?.domain !== account.domain) throw error;
  }
}

/** Longest run of a check: after this time the server creates no account that the check requested. In milliseconds. */
const MAX_CREATION_MS = TIMEOUTS_S.panel.function * 1000;

/** Stores that the server is about to create the account, before it is asked to. Throws a conflict if the account has ended or was replaced. */
const announceCreation = (deps: Deps, account: HostingAccount): Promise<void> => {
  const set = { creatingUntil: timestampAfter(deps.now(), MAX_CREATION_MS) };
  const update = { set, when: { ...sameAccount(account), ...notRemoved } };
  return deps.table.transact([change(HostingAccount, account, update, concurrentUpdate)]);
};

/** Returns true while the server may create the account because an earlier or concurrent check asked it to. */
const mayBeCreated = ({ creatingUntil = '' }: HostingAccount, now: Date): boolean => creatingUntil > now.toISOString();

interface Converged {
  /** Mail routing of the account on the server. */
  mail?: HostingAccount['mail'];
  /** True if the account should not exist and does not, but a concurrent check may still create it. */
  mayAppear?: boolean;
  /** True if another account has the user name of an account that was never created. Nothing was changed. */
  isNameTaken?: boolean;
}

/**
 * Brings the account on the server to its required state. Idempotent. Throws a conflict if another subscription has adopted an account that
 * was to be removed, or if the account has ended.
 */
export async function converge(
  deps: ConvergeDeps,
  server: PanelServer,
  account: HostingAccount,
  [subscription, sharing]: [Subscription, readonly Sharing[]],
  state: DomainState,
): Promise<Converged> {
  const domain = subscription.hostingDomain ?? '';
  const { username } = account;
  const sharers = sharersOf(account, sharing).map((each) => each.subscription);
  const now = deps.now();
  const found = await deps.panel.find(server, username);
  if (found && found.domain !== domain) {
    // If the server may still create the account, a change of its name would leave it on the server.
    if (account.status === 'PENDING' && !mayBeCreated(account, now)) return { isNameTaken: true };
    throw new PanelFailure('refused', `${username} is the account of ${found.domain}`);
  }
  const { status, plan } = requiredState([subscription, ...sharers], now);
  if (state === 'LOST' || account.removing || status === 'REMOVED') {
    // Another check may be creating it.
    if (!found) return { mayAppear: mayBeCreated(account, now) };
    if (!account.removing) await decideRemoval(deps, subscription, account, sharing);
    await deps.panel.remove(server, username);
    return {};
  }
  const requirements = { domain, state, status, plan, found, isShared: sharers.length > 0 };
  return { mail: await applyRequirements(deps, server, account, requirements) };
}

/** Required state of an account that should exist on its server. */
interface Requirements {
  domain: string;
  state: DomainState;
  status: PanelAccount['status'];
  plan: string;
  found: Pick<PanelAccount, 'plan' | 'status'> | undefined;
  /** True if several subscriptions share the account. */
  isShared: boolean;
}

/** Creates the account, or changes what differs. Returns its mail routing on the server. */
async function applyRequirements(
  deps: ConvergeDeps,
  server: PanelServer,
  account: HostingAccount,
  { domain, state, status, plan, found, isShared }: Requirements,
): Promise<HostingAccount['mail']> {
  const { accountId, username, mail: before } = account;
  // Until the domain is proven, the server must not keep other customers' mail for it: it sends such mail to the domain's MX hosts.
  const mail = state === 'PROVEN' ? 'LOCAL' : 'REMOTE';
  if (!found) {
    await announceCreation(deps, account);
    await createAccount(deps, server, { username, domain, mail, plan });
  }
  const owner = await deps.table.get(Account, { id: accountId });
  const desired = owner?.suspension ? 'SUSPENDED' : status;
  // The status comes before the changes that a server may refuse, because payment must decide whether the account is active.
  if (desired !== (found?.status ?? 'ACTIVE')) await setStatus(deps, server, username, desired, owner);
  // The mail of an unproven domain is routed each time: its owner may have changed the routing while the domain was proven.
  const isRouted = !found || (mail === before && state === 'PROVEN');
  const routed = isRouted || (await routeMail(deps, server, { username, domain, mail, desired }));
  if (found && isShared && found.plan !== plan) await deps.panel.changePlan(server, username, plan);
  return routed ? mail : before;
}

const setStatus = (
  { panel }: ConvergeDeps,
  server: PanelServer,
  username: string,
  status: PanelAccount['status'],
  owner: Account | undefined,
): Promise<void> => {
  if (status === 'ACTIVE') return panel.unsuspend(server, username);
  const reason = owner?.suspension ? 'The account is suspended.' : 'The subscription is not paid.';
  return panel.suspend(server, username, reason);
};

/** Sets an account's mail routing on the server. @returns false if the server refuses because the account is suspended */
async function routeMail(
  { panel }: ConvergeDeps,
  server: PanelServer,
  { username, domain, mail, desired }: Pick<NewPanelAccount, 'username' | 'domain' | 'mail'> & { desired: string },
): Promise<boolean> {
  try {
    await panel.routeMail(server, username, domain, mail);
    return true;
  } catch (error) {
    const isRefused = error instanceof PanelFailure && error.fault === 'refused';
    if (!isRefused || desired !== 'SUSPENDED') throw error;
    return false;
  }
}
