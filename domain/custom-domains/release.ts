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
 * Returns the writes that give up an application's hold on a host. A host with a tenant ends with its removal, by the
 * tenant's reconciliation.
 */
export async function releaseHost(
  deps: Deps,
  { accountId, id }: Pick<App, 'accountId' | 'id'>,
  host: string,
  tenant: DistributionTenant | undefined,
): Promise<Write[]> {
  const claim = remove(HostClaim, { host, accountId });
  const held = await deps.table.get(Host, { host });
  if (held?.applicationId !== id) return [claim];
  const mine = { applicationId: { is: id } };
  if (!tenant) return [claim, remove(Host, { host }, mine, concurrentUpdate)];
  const releasing = { set: { releasing: true }, remove: unschedule(Host), when: mine };
  return [claim, releaseTenant(deps, tenant), change(Host, { host }, releasing, concurrentUpdate)];
}

/**
 * Returns the writes that take the custom domain from an application, which uses its default address again. They
 * require the claim that was read.
 */
export async function releaseCustomDomain(deps: Deps, app: App): Promise<Write[]> {
  const { customDomain, hosts } = app;
  if (!customDomain) return [];
  const { host, token, status } = customDomain;
  const set = { primaryDomain: hosts[0] ?? app.primaryDomain, updatedAt: deps.now().toISOString() };
  const same = {
    'customDomain.token': { is: token },
    'customDomain.status': { is: status },
    status: { isNot: 'DELETING' },
  };
  const scheduled = status === 'PENDING' ? unschedule(App) : [];
  return [
    change(App, app, { set, remove: ['customDomain', ...scheduled], when: same }, concurrentUpdate),
    ...(await releaseHost(deps, app, host, await findTenant(deps, app))),
  ];
}

/** Releases an application's custom domain because its claim does not hold, whatever the request under way. */
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

/** Ends the claim of one verified host. May be repeated. */
const endClaim = ({ host, accountId, applicationId }: Host, deps: Deps) =>
  retryOnConflict(async () => {
    const app = await deps.table.get(App, { accountId, id: applicationId });
    if (app?.customDomain?.host === host && app.status !== 'DELETING') await releaseAsPlatform(deps, app);
  });

/**
 * Ends all verified claims of a domain and of the names below it, except those of an account that has it registered
 * here: at the end of a registration, and when the name is registered again. A claim that was verified after `since`
 * stays: the event may be delivered late, or again.
 */
export async function endClaimsUnder(deps: Deps, name: string, since: string): Promise<void> {
  for await (const host of eachBelow(deps, VERIFIED_HOSTS, name)) {
    if (host.releasing || (host.verifiedAt ?? '') >= since) continue;
    const [domain] = await findEnclosingDomains(deps, host.accountId, host.host);
    if (!domain) await endClaim(host, deps);
  }
}

/**
 * Ends the claims of a domain whose registration ended. One that has left the registrar may have its next owner's claims
 * already: those that were verified after the registrar last had it stay.
 */
export const endClaimsOfEnded = (deps: Deps, { name, absentSince, confirmedAt }: Domain): Promise<void> =>
  endClaimsUnder(deps, name, absentSince ? (confirmedAt ?? absentSince) : deps.now().toISOString());
