import { App, Host } from '../../table/entities/apps.ts';
import { DistributionTenant, HostClaim } from '../../table/entities/custom-domains.ts';
import type { Domain } from '../../table/entities/registrar.ts';
import { unschedule } from '../../table/schedule.ts';
import { change, remove, type Write } from '../../table/writes.ts';
import { commitAsPlatform } from '../audit/record.ts';
import { concurrentUpdate, retryOnConflict } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { eachBelow, VERIFIED_HOSTS } from './names-below.ts';
import { releaseTenant } from './reconciliation.ts';
import { findEnclosingDomains } from './zone-alias.ts';

/** Returns the tenant of an application's verified domain; reserved names have none. */
export async function findTenant(
  deps: Pick<Deps, 'table'>,
  { customDomain }: App,
): Promise<DistributionTenant | undefined> {
  if (customDomain?.status !== 'VERIFIED') return undefined;
  const tenant = await deps.table.get(DistributionTenant, { host: customDomain.host });
  return tenant?.token === customDomain.token ? tenant : undefined;
}

/**
 * Returns the writes that release an application's host. A host with a tenant is only marked as releasing; the tenant's
 * reconciliation removes both.
 */
async function releaseHost(
  deps: Deps,
  { accountId, id }: Pick<App, 'accountId' | 'id'>,
  host: string,
  tenant: DistributionTenant | undefined,
): Promise<Write[]> {
  const claim = remove(HostClaim, { host, accountId });
  const held = await deps.table.get(Host, { host });
  if (held?.applicationId !== id) return [claim];
  const isStillHeld = { applicationId: { is: id } };
  if (!tenant) return [claim, remove(Host, { host }, isStillHeld, concurrentUpdate)];
  const releasing = { set: { releasing: true }, remove: unschedule(Host), when: isStillHeld };
  return [claim, releaseTenant(deps, tenant), change(Host, { host }, releasing, concurrentUpdate)];
}

/**
 * Returns the writes that remove an application's custom domain, so that it uses its default address again. They throw
 * `ConcurrentUpdateError` if the claim changed since it was read.
 */
export async function releaseCustomDomain(deps: Deps, app: App): Promise<Write[]> {
  const { customDomain, hosts } = app;
  if (!customDomain) return [];
  const { host, token, status } = customDomain;
  const set = { primaryDomain: hosts[0] ?? app.primaryDomain, updatedAt: deps.now().toISOString() };
  const isSameClaim = {
    'customDomain.token': { is: token },
    'customDomain.status': { is: status },
    status: { isNot: 'DELETING' },
  };
  const scheduled = status === 'PENDING' ? unschedule(App) : [];
  return [
    change(App, app, { set, remove: ['customDomain', ...scheduled], when: isSameClaim }, concurrentUpdate),
    ...(await releaseHost(deps, app, host, await findTenant(deps, app))),
  ];
}

/** Releases an application's custom domain whose claim is no longer valid. The audit log names the platform as the actor, even during a request. */
export async function releaseAsPlatform(deps: Deps, app: App): Promise<void> {
  if (!app.customDomain) return;
  const { host, status } = app.customDomain;
  await commitAsPlatform(deps, await releaseCustomDomain(deps, app), undefined, {
    action: 'custom-domain.removed',
    accountId: app.accountId,
    subjectId: app.id,
    before: { domain: host, status },
  });
}

/** Ends the claim of a verified host. May be repeated. */
const endClaim = ({ host, accountId, applicationId }: Host, deps: Deps) =>
  retryOnConflict(async () => {
    const app = await deps.table.get(App, { accountId, id: applicationId });
    if (app?.customDomain?.host === host && app.status !== 'DELETING') await releaseAsPlatform(deps, app);
  });

/**
 * Ends all verified claims of a domain and of the names below it, except those of the account that has registered it here. Called at
 * the end of a registration, and when the name is registered again. Claims that were verified after `since` stay, because the
 * event may be delivered late or again.
 */
export async function endClaimsUnder(deps: Deps, name: string, since: string): Promise<void> {
  for await (const host of eachBelow(deps, VERIFIED_HOSTS, name)) {
    if (host.releasing || (host.verifiedAt ?? '') >= since) continue;
    const [domain] = await findEnclosingDomains(deps, host.accountId, host.host);
    if (!domain) await endClaim(host, deps);
  }
}

/**
 * Ends the claims of a domain whose registration ended. If the domain has left the registrar, its next owner may have claims
 * already, so claims stay that were verified after the registrar last confirmed the domain.
 */
export const endClaimsOfEnded = (deps: Deps, { name, absentSince, confirmedAt }: Domain): Promise<void> =>
  endClaimsUnder(deps, name, absentSince ? (confirmedAt ?? absentSince) : deps.now().toISOString());
