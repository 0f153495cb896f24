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
import { decideRemoval, isSame, notRemoved } from './removal.ts';
import { requiredOf, type Sharing, sharersOf } from './shared-accounts.ts';

export type ConvergeDeps = Deps & { panel: Panel };

/** Makes an account, unless another run of the same was a moment earlier. */
async function createAccount(
  { panel }: ConvergeDeps,
  server: PanelServer,
  account: Omit<NewPanelAccount, 'password'>,
): Promise<void> {
  // Never used: owners enter the panel through sessions that the platform requests. Nor can it be reset: the account has
  // no contact address, which could be that of a member who has left.
  const password = randomBytes(24).toString('base64url');
  try {
    await panel.create(server, { ...account, password });
  } catch (error) {
    if (!(error instanceof PanelFailure) || error.fault !== 'refused') throw error;
    if ((await panel.find(server, account.username))?.domain !== account.domain) throw error;
  }
}

/** No check runs longer, so that afterwards the server makes no account that one asked for. In milliseconds. */
const CREATION_MS = TIMEOUTS_S.panel.function * 1000;

/** Says, before an account is made on the server, that it may be there soon. Throws a conflict where it has ended, or is another one by now. */
const announceCreation = (deps: Deps, account: HostingAccount): Promise<void> => {
  const set = { creatingUntil: timestampAfter(deps.now(), CREATION_MS) };
  const what = { set, when: { ...isSame(account), ...notRemoved } };
  return deps.table.transact([change(HostingAccount, account, what, concurrentUpdate)]);
};

interface Converged {
  /** The server's treatment of the account's mail. */
  mail?: HostingAccount['mail'];
  /** True where the account should not be there, and is not yet. */
  mayCome?: boolean;
}

/**
 * Makes the account on the server what it should be. Whatever was done before is found done. Throws a conflict where another subscription
 * has adopted the account that was to be removed, or the account has ended.
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
  const found = await deps.panel.find(server, username);
  if (found && found.domain !== domain) {
    throw new PanelFailure('refused', `${username} is the account of ${found.domain}`);
  }
  const { status, plan } = requiredOf([subscription, ...sharers], deps.now());
  if (state === 'LOST' || account.removing || status === 'REMOVED') {
    // Another check may be making it.
    if (!found) return { mayCome: (account.creatingUntil ?? '') > deps.now().toISOString() };
    if (!account.removing) await decideRemoval(deps, subscription, account, sharing);
    await deps.panel.remove(server, username);
    return {};
  }
  const served = { domain, state, status, plan, found, isShared: sharers.length > 0 };
  return { mail: await serve(deps, server, account, served) };
}

/** Decided about an account that its server should have. */
interface Served {
  domain: string;
  state: DomainState;
  status: PanelAccount['status'];
  plan: string;
  found: Pick<PanelAccount, 'plan' | 'status'> | undefined;
  /** True if several subscriptions have the account. */
  isShared: boolean;
}

/** Makes the account, or changes what differs. Returns the server's treatment of its mail. */
async function serve(
  deps: ConvergeDeps,
  server: PanelServer,
  account: HostingAccount,
  { domain, state, status, plan, found, isShared }: Served,
): Promise<HostingAccount['mail']> {
  const { accountId, username, mail: before } = account;
  // Other customers' mail for a domain that is not proven must not end here: the server sends it where its DNS says.
  const mail = state === 'PROVEN' ? 'LOCAL' : 'REMOTE';
  if (!found) {
    await announceCreation(deps, account);
    await createAccount(deps, server, { username, domain, mail, plan });
  }
  const owner = await deps.table.get(Account, { id: accountId });
  const wanted = owner?.suspension ? 'SUSPENDED' : status;
  // Before what a server may refuse: what is paid is served, and what is not paid is not.
  if (wanted !== (found?.status ?? 'ACTIVE')) await setStatus(deps, server, username, wanted, owner);
  // An unproven domain's is routed each time: its owner may have changed that on the server while the domain was proven.
  const isRouted = !found || (mail === before && state === 'PROVEN');
  const routed = isRouted || (await routeMail(deps, server, { username, domain, mail, wanted }));
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
  const why = owner?.suspension ? 'The account is suspended.' : 'The subscription is not paid.';
  return panel.suspend(server, username, why);
};

/** Has the server treat an account's mail as it should. @returns false where it refuses that while the account is suspended */
async function routeMail(
  { panel }: ConvergeDeps,
  server: PanelServer,
  { username, domain, mail, wanted }: Pick<NewPanelAccount, 'username' | 'domain' | 'mail'> & { wanted: string },
): Promise<boolean> {
  try {
    await panel.routeMail(server, username, domain, mail);
    return true;
  } catch (error) {
    const isRefused = error instanceof PanelFailure && error.fault === 'refused';
    if (!isRefused || wanted !== 'SUSPENDED') throw error;
    return false;
  }
}
