import { ApiError } from '../../contract/errors.ts';
import type { getHostingDomain as GetDomainRoute } from '../../contract/hosting/domains.ts';
import type { getHosting as GetRoute, listHosting as ListRoute } from '../../contract/hosting/hosting.ts';
import type { Input, Output } from '../../contract/route.ts';
import type { Secrets } from '../../providers/encryption/secrets.ts';
import { type Panel, type PanelAccount, PanelFailure } from '../../providers/hosting-panel/panel.ts';
import { hostingOf, Subscription } from '../../table/entities/billing.ts';
import { HostingAccount, HostingDomain } from '../../table/entities/hosting.ts';
import type { AccountScopedId } from '../../table/entity.ts';
import { change } from '../../table/writes.ts';
import type { Caller, Deps } from '../deps.ts';
import { hostingChallenge } from './domains.ts';
import { findServer } from './servers.ts';

/** The state of an account that does not exist yet. */
const NOT_CREATED = { status: 'PENDING', mailboxes: 0 } as const;

/** A subscription as lists show it: with what the server said of it last. */
function view(subscription: Subscription): Output<typeof ListRoute>['data'][number] {
  const { id, hostingDomain, status, billingCycle, currentPeriodEnd, plan, panel = NOT_CREATED } = subscription;
  return {
    ...{ id, hostingDomain: hostingDomain ?? '', status, panelStatus: panel.status, billingCycle, currentPeriodEnd },
    plan: { slug: plan.slug, name: plan.name, category: plan.category },
    mailboxes: panel.mailboxes,
  };
}

/** GET /v1/hosting: no server is asked, however many there are. */
export async function listHosting(
  deps: Deps,
  { accountId }: Caller,
  page: Input<typeof ListRoute>,
): Promise<Output<typeof ListRoute>> {
  const { items, hasMore } = await deps.table.list(Subscription, hostingOf(accountId), page);
  return { data: items.map(view), has_more: hasMore };
}

const noSuchHosting = () => new ApiError('not_found', 'Hosting subscription not found.');

const notAnswering = () =>
  new ApiError('server_error', 'The hosting server does not answer. It is safe to retry with backoff.', {
    status: 502,
  });

/** The account as it is on the server at this moment. Throws 502. */
async function readLive(
  deps: Deps & { panel: Panel; secrets: Secrets },
  { server, username }: HostingAccount,
): Promise<PanelAccount | undefined> {
  try {
    return await deps.panel.read(await findServer(deps, server), username);
  } catch (error) {
    if (error instanceof PanelFailure) throw notAnswering();
    throw error;
  }
}

/** GET /v1/hosting/{id}: read live from the server, within five seconds or not at all. */
export async function getHosting(
  deps: Deps & { panel: Panel; secrets: Secrets },
  { accountId }: Caller,
  { id }: Input<typeof GetRoute>,
): Promise<Output<typeof GetRoute>> {
  const of: AccountScopedId = { accountId, id };
  const [subscription, account] = await Promise.all([
    deps.table.get(Subscription, of),
    deps.table.get(HostingAccount, of),
  ]);
  if (!subscription || subscription.plan.category === 'APP') throw noSuchHosting();
  const hostingDomain = subscription.hostingDomain ?? '';
  const live = account?.server && account.status !== 'REMOVED' ? await readLive(deps, account) : undefined;
  if (!live) {
    const panelStatus = account?.status === 'REMOVED' ? 'REMOVED' : NOT_CREATED.status;
    return { data: { id, hostingDomain, panelStatus, usage: {}, mailboxes: [] } };
  }
  const panel = { status: live.status, mailboxes: live.mailboxes.length };
  // What lists say is put right on the way, where it has changed.
  if (subscription.panel?.status !== panel.status || subscription.panel.mailboxes !== panel.mailboxes) {
    await deps.table.updateReturningChanged(change(Subscription, of, { set: { panel } }));
  }
  const mailboxes = live.mailboxes.map(({ address, quotaMb }) => ({ address, quotaMb }));
  return { data: { id, hostingDomain, panelStatus: live.status, usage: live.usage, mailboxes } };
}

/** GET /dashboard/v1/hosting/{id}/domain: as the last reconciliation found it. */
export async function getHostingDomain(
  deps: Deps,
  { accountId }: Caller,
  { id }: Input<typeof GetDomainRoute>,
): Promise<Output<typeof GetDomainRoute>> {
  const subscription = await deps.table.get(Subscription, { accountId, id });
  if (!subscription?.hostingDomain || subscription.plan.category === 'APP') throw noSuchHosting();
  const domain = subscription.hostingDomain;
  const held = await deps.table.get(HostingDomain, { domain });
  const challenge = hostingChallenge(accountId, domain);
  if (held && held.accountId !== accountId) {
    const problem = 'Another account uses this domain. If it is yours, add the record.';
    return { data: { domain, status: 'PENDING', challenge, problem, checkedAt: null } };
  }
  const { provenAt, problem = null, checkedAt = null } = held ?? {};
  return { data: { domain, status: provenAt ? 'VERIFIED' : 'PENDING', challenge, problem, checkedAt } };
}
