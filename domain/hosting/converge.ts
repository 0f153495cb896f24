import { randomBytes } from 'node:crypto';
import {
  type NewPanelAccount,
  type Panel,
  PanelFailure,
  type PanelServer,
} from '../../providers/hosting-panel/panel.ts';
import { Account } from '../../table/entities/accounts.ts';
import type { Subscription } from '../../table/entities/billing.ts';
import type { HostingAccount } from '../../table/entities/hosting.ts';
import type { Deps } from '../deps.ts';
import type { DomainState } from './domains.ts';
import { decideRemoval } from './removal.ts';
import { requiredOf, type Sharing, sharersOf } from './shared-accounts.ts';

export type ConvergeDeps = Deps & { panel: Panel };

/** Makes an account, unless another run of the same was a moment earlier. */
async function createAccount({ panel }: ConvergeDeps, server: PanelServer, account: NewPanelAccount): Promise<void> {
  try {
    await panel.create(server, account);
  } catch (error) {
    if (!(error instanceof PanelFailure) || error.fault !== 'refused') throw error;
    if ((await panel.find(server, account.username))?.domain !== account.domain) throw error;
  }
}

/**
 * Makes the account on the server what it should be. Whatever was done before is found done. Throws a conflict where another subscription
 * has adopted the account that was to be removed.
 */
export async function converge(
  deps: ConvergeDeps,
  server: PanelServer,
  account: HostingAccount,
  [subscription, sharing]: [Subscription, readonly Sharing[]],
  state: DomainState,
): Promise<HostingAccount['mail']> {
  const { accountId, hostingDomain } = subscription;
  const { username, mail: before } = account;
  const sharers = sharersOf(account, sharing).map((each) => each.subscription);
  const required = requiredOf([subscription, ...sharers], deps.now());
  const domain = hostingDomain ?? '';
  const owner = await deps.table.get(Account, { id: accountId });
  const allowed = required.status === 'ACTIVE' && owner?.suspension ? 'SUSPENDED' : required.status;
  const wanted = state === 'LOST' || account.removing ? 'REMOVED' : allowed;
  // Other customers' mail for a domain that is not proven must not end here: the server sends it where its DNS says.
  const mail = state === 'PROVEN' ? 'LOCAL' : 'REMOTE';
  const found = await deps.panel.find(server, username);
  if (found && found.domain !== hostingDomain) {
    throw new PanelFailure('refused', `${username} is the account of ${found.domain}`);
  }
  if (wanted === 'REMOVED') {
    if (!found) return undefined;
    if (!account.removing) await decideRemoval(deps, subscription, account, sharing);
    await deps.panel.remove(server, username);
    return undefined;
  }
  if (!found) {
    await createAccount(deps, server, {
      username,
      ...{ domain, mail },
      plan: required.plan,
      contactEmail: owner?.email ?? '',
      // The password is never used: owners enter the panel through sessions that the platform requests.
      password: randomBytes(24).toString('base64url'),
    });
  }
  const status = found?.status ?? 'ACTIVE';
  const why = owner?.suspension ? 'The account is suspended.' : 'The subscription is not paid.';
  // Before what a server may refuse: what is paid is served, and what is not paid is not.
  if (wanted === 'SUSPENDED' && status !== wanted) await deps.panel.suspend(server, username, why);
  if (wanted === 'ACTIVE' && status !== wanted) await deps.panel.unsuspend(server, username);
  const routed = !found || mail === before || (await routeMail(deps, server, { username, domain, mail, wanted }));
  if (found && sharers.length > 0 && found.plan !== required.plan)
    await deps.panel.changePlan(server, username, required.plan);
  return routed ? mail : before;
}

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
