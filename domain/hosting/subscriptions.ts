import { ApiError, temporaryFailure } from '../../contract/errors.ts';
import type { getHostingDomain as GetDomainRoute } from '../../contract/hosting/domains.ts';
import type {
  getHosting as GetRoute,
  listHosting as ListRoute,
  createHostingSession as SessionRoute,
} from '../../contract/hosting/hosting.ts';
import type { Input, Output } from '../../contract/route.ts';
import type { TxtRecords } from '../../providers/dns/txt-records.ts';
import type { Secrets } from '../../providers/encryption/secrets.ts';
import { type Panel, type PanelAccount, PanelFailure, type PanelServer } from '../../providers/hosting-panel/panel.ts';
import { hostingOf, Subscription } from '../../table/entities/billing.ts';
import { HostingAccount, HostingDomain, HostingServer } from '../../table/entities/hosting.ts';
import type { AccountScopedId } from '../../table/entity.ts';
import { unchanged } from '../../table/expressions.ts';
import { change } from '../../table/writes.ts';
import { concurrentUpdate, ignoreConflict } from '../conflict.ts';
import type { Caller, Deps } from '../deps.ts';
import { pageBody } from '../pages.ts';
import { assertProven, hostingChallenge } from './domains.ts';
import { findServer } from './servers.ts';

/** The state of an account that does not exist yet. */
const NOT_CREATED = { status: 'PENDING', mailboxes: 0 } as const;

/** Returns the number of an account's mailboxes; the last known number if the server does not list them. */
export const countMailboxes = ({ mailboxes }: PanelAccount, { panel }: Subscription): number =>
  mailboxes?.length ?? panel?.mailboxes ?? 0;

/** Returns a subscription as lists show it, with the last known state of its account. */
function view(subscription: Subscription): Output<typeof ListRoute>['data'][number] {
  const { id, hostingDomain, status, billingCycle, currentPeriodEnd, plan, panel = NOT_CREATED } = subscription;
  return {
    id,
    hostingDomain: hostingDomain ?? '',
    status,
    panelStatus: panel.status,
    billingCycle,
    currentPeriodEnd,
    plan: { slug: plan.slug, name: plan.name, category: plan.category },
    mailboxes: panel.mailboxes,
  };
}

/** GET /v1/hosting: reads the table only, and calls no hosting server. */
export async function listHosting(
  deps: Deps,
  { accountId }: Caller,
  page: Input<typeof ListRoute>,
): Promise<Output<typeof ListRoute>> {
  return pageBody(await deps.table.list(Subscription, hostingOf(accountId), page), view);
}

const noSuchHosting = () => new ApiError('not_found', 'Hosting subscription not found.');

const notActive = () => new ApiError('conflict', 'The hosting account is not active on its server.');

const notAnswering = (cause?: PanelFailure) =>
  temporaryFailure('The hosting server does not answer.', { status: 502, cause });

/** Calls the server of an account. Throws 502. */
async function askServer<T>(
  deps: Deps & { panel: Panel; secrets: Secrets },
  { server }: HostingAccount,
  ask: (server: PanelServer) => Promise<T>,
): Promise<T> {
  try {
    return await ask(await findServer(deps, server));
  } catch (error) {
    if (error instanceof PanelFailure) throw notAnswering(error);
    throw error;
  }
}

/** Returns a hosting subscription and its account on a server, which may not exist yet. Throws 404. */
async function findHosting(
  deps: Deps,
  ids: AccountScopedId,
): Promise<{ subscription: Subscription; account: HostingAccount | undefined }> {
  const [subscription, account] = await Promise.all([
    deps.table.get(Subscription, ids),
    deps.table.get(HostingAccount, ids),
  ]);
  if (!subscription || subscription.plan.category === 'APP') throw noSuchHosting();
  return { subscription, account };
}

/** GET /v1/hosting/{id}: reads the server live. Throws 502 if it does not answer within five seconds. */
export async function getHosting(
  deps: Deps & { panel: Panel; secrets: Secrets },
  { accountId }: Caller,
  { id }: Input<typeof GetRoute>,
): Promise<Output<typeof GetRoute>> {
  const ids: AccountScopedId = { accountId, id };
  const { subscription, account } = await findHosting(deps, ids);
  const hostingDomain = subscription.hostingDomain ?? '';
  const live =
    account?.server && account.status !== 'REMOVED'
      ? await askServer(deps, account, (server) => deps.panel.read(server, account.username))
      : undefined;
  // The name of an account that does not exist yet may be that of another customer's account (accounts.ts, `renameAccount`).
  if (live?.domain !== hostingDomain) {
    // A subscription may end without ever having had an account.
    const isRemoved = [account?.status, subscription.panel?.status].includes('REMOVED');
    const panelStatus = isRemoved ? 'REMOVED' : NOT_CREATED.status;
    return { data: { id, hostingDomain, panelStatus, usage: {}, mailboxes: [] } };
  }
  const panel = { status: live.status, mailboxes: countMailboxes(live, subscription) };
  // The state that lists show is corrected if it has changed.
  if (subscription.panel?.status !== panel.status || subscription.panel.mailboxes !== panel.mailboxes) {
    const when = { 'panel.status': unchanged(subscription.panel?.status) };
    // On a conflict the reconciliation wrote first. Its state is more reliable: the account may have been removed.
    await ignoreConflict(
      deps.table.updateReturningChanged(change(Subscription, ids, { set: { panel }, when }, concurrentUpdate)),
    );
  }
  const mailboxes = (live.mailboxes ?? []).map(({ address, quotaMb }) => ({ address, quotaMb }));
  return { data: { id, hostingDomain, panelStatus: live.status, usage: live.usage, mailboxes } };
}

/**
 * POST /dashboard/v1/hosting/{id}/session: signs in to the control panel. Throws 404, 502, and 409 if the account is not active on
 * its server or its domain is not proven.
 */
export async function createHostingSession(
  deps: Deps & { panel: Panel; secrets: Secrets; txt: TxtRecords },
  { accountId }: Caller,
  { id }: Input<typeof SessionRoute>,
): Promise<Output<typeof SessionRoute>> {
  const { subscription, account } = await findHosting(deps, { accountId, id });
  if (account?.status !== 'ACTIVE') throw notActive();
  await assertProven(deps, subscription, account);
  const hostingDomain = subscription.hostingDomain ?? '';
  const session = await askServer(deps, account, (server) =>
    deps.panel.createSession(server, account.username, hostingDomain),
  );
  if (!session) throw notActive();
  const expiresAt = new Date(session.expiresAt).toISOString();
  return await deps.commit([], { data: { id, url: session.url, expiresAt } }, { after: { expiresAt } });
}

/** Returns the DNS records that point a domain to the server of its account: mail for every plan, the website for web hosting only. */
function recordsToServer(
  { plan, hostingDomain }: Subscription,
  server: Pick<HostingServer, 'address' | 'mailHost'>,
): Output<typeof GetDomainRoute>['data']['records'] {
  const name = hostingDomain ?? '';
  const { address, mailHost } = server;
  const web = plan.category === 'WEB' && address ? [name, `www.${name}`] : [];
  return [
    ...web.map((host) => ({ type: 'A', name: host, value: address ?? '', prio: null })),
    ...(mailHost ? [{ type: 'MX', name, value: mailHost, prio: 10 }] : []),
    ...(mailHost ? [{ type: 'TXT', name, value: `v=spf1 mx a:${mailHost} ~all`, prio: null }] : []),
  ];
}

/** GET /dashboard/v1/hosting/{id}/domain: the state that the last reconciliation found. */
export async function getHostingDomain(
  deps: Deps,
  { accountId }: Caller,
  { id }: Input<typeof GetDomainRoute>,
): Promise<Output<typeof GetDomainRoute>> {
  const subscription = await deps.table.get(Subscription, { accountId, id });
  if (!subscription?.hostingDomain || subscription.plan.category === 'APP') throw noSuchHosting();
  const domain = subscription.hostingDomain;
  const [held, account] = await Promise.all([
    deps.table.get(HostingDomain, { domain }),
    deps.table.get(HostingAccount, { accountId, id }),
  ]);
  const isServed = account !== undefined && account.status !== 'REMOVED' && account.server !== '';
  const server = isServed ? await deps.table.get(HostingServer, { name: account.server }) : undefined;
  const records = recordsToServer(subscription, server ?? {});
  const challenge = hostingChallenge(accountId, domain);
  if (held && held.accountId !== accountId) {
    const problem = 'Another account uses this domain. If it is yours, add the record.';
    return { data: { domain, status: 'PENDING', challenge, problem, checkedAt: null, records: [] } };
  }
  const { provenAt, problem = null, checkedAt = null } = held ?? {};
  return { data: { domain, status: provenAt ? 'VERIFIED' : 'PENDING', challenge, problem, checkedAt, records } };
}
