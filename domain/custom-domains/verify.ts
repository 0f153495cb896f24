import type {
  checkCustomDomain as CheckRoute,
  getCustomDomain as GetRoute,
} from '../../contract/custom-domains/custom-domains.ts';
import { ApiError } from '../../contract/errors.ts';
import type { Input, Output } from '../../contract/route.ts';
import type { TxtRecords } from '../../providers/dns/txt-records.ts';
import { aliasTo } from '../../providers/edge/host-routes.ts';
import { App, type CustomDomain, Host } from '../../table/entities/apps.ts';
import { type DistributionTenant, HostClaim } from '../../table/entities/custom-domains.ts';
import { schedule, unschedule } from '../../table/schedule.ts';
import { change, create, remove, replace } from '../../table/writes.ts';
import { findApp } from '../apps/apps.ts';
import { edgeOf, type InCell } from '../apps/cells.ts';
import { commitAsPlatform } from '../audit/record.ts';
import { concurrentUpdate, ignoreConflict, tryChange } from '../conflict.ts';
import type { Caller, Deps } from '../deps.ts';
import { countToday, findAccount } from '../limits/limits.ts';
import type { DueQueue } from '../sweep/sweep.ts';
import { HOUR_MS, timestampAfter } from '../time.ts';
import { claimExpiresAt, FIRST_CHECK_DELAY_MS, findVerifiedHolder } from './claim.ts';
import { heldByOtherMessage, releasingMessage } from './messages.ts';
import {
  challengeName,
  findMissingProof,
  nextVerification,
  type OwnershipDeps,
  releasedAt,
  verifyAgain,
} from './ownership.ts';
import { newTenant, requestCheck } from './reconciliation.ts';
import { findTenant, releaseAsPlatform } from './release.ts';
import { findEnclosingDomains } from './zone-alias.ts';

/** Maximum delay between two checks of an unverified claim, in milliseconds. The delay grows with the age of the claim. */
const MAX_RECHECK_DELAY_MS = HOUR_MS;

export const noSuchCustomDomain = () => new ApiError('not_found', 'This application has no custom domain.');

/** Returns true for a host in a zone that the platform serves for the account. */
async function isInManagedZone(deps: Pick<Deps, 'table'>, accountId: string, host: string): Promise<boolean> {
  const [domain] = await findEnclosingDomains(deps, accountId, host);
  return domain?.dnsProvider === 'PLATFORM';
}

/** Returns the custom domain of an application as the dashboard shows it. Throws 404 without one. */
export async function viewCustomDomain(
  deps: Pick<Deps, 'table'> & InCell<'edgeEndpoint'>,
  app: App,
  tenant: DistributionTenant | undefined,
): Promise<Output<typeof CheckRoute>> {
  const { accountId, customDomain } = app;
  if (!customDomain) throw noSuchCustomDomain();
  const { edgeEndpoint } = await deps.cellOf(edgeOf(app));
  const { host, status, token, problem = null, checkedAt, unprovenSince } = customDomain;
  const claimedUntil = status === 'PENDING' ? claimExpiresAt(customDomain) : unprovenSince && releasedAt(unprovenSince);
  return {
    data: {
      domain: host,
      status,
      managed: await isInManagedZone(deps, accountId, host),
      challenge: { type: 'TXT', name: challengeName(host), value: token },
      target: { type: tenant?.apex ? 'ALIAS' : 'CNAME', name: host, value: edgeEndpoint },
      problem,
      checkedAt,
      claimedUntil: claimedUntil ?? null,
      certificate: viewCertificate(tenant),
    },
  };
}

function viewCertificate(tenant: DistributionTenant | undefined): Output<typeof CheckRoute>['data']['certificate'] {
  if (!tenant || tenant.status === 'CLOSING') return null;
  const { status, problem, checkedAt } = tenant;
  return { status, problem, checkedAt };
}

const ifStillPending = ({ token }: CustomDomain) =>
  ({
    'customDomain.token': { is: token },
    'customDomain.status': { is: 'PENDING' },
    status: { isNot: 'DELETING' },
  }) as const;

/**
 * Marks a claim as verified, in one transaction; the stream then routes the domain and starts the reconciliation of its tenant. Of
 * concurrent claims the first one wins.
 *
 * @param held the item of the host, if any. An unverified claim from before {@link HostClaim} existed is replaced
 */
async function acceptClaim(deps: Deps, app: App, domain: CustomDomain, held: Host | undefined): Promise<App> {
  const { accountId, id: applicationId } = app;
  const { host } = domain;
  const { problem: _, ...rest } = domain;
  const now = deps.now();
  const customDomain: CustomDomain = { ...rest, status: 'VERIFIED', checkedAt: now.toISOString() };
  const update = { set: { customDomain }, remove: unschedule(App), when: ifStillPending(domain) };
  const verified = { host, accountId, applicationId, verifiedAt: now.toISOString(), dueAt: nextVerification(now) };
  const isStillUnverified = {
    applicationId: { is: held?.applicationId ?? '' },
    releasing: 'absent',
    verifiedAt: 'absent',
  } as const;
  const account = await findAccount(deps, accountId);
  const writes = [
    change(App, app, update, concurrentUpdate),
    held ? replace(Host, verified, isStillUnverified, concurrentUpdate) : create(Host, verified, concurrentUpdate),
    remove(HostClaim, { host, accountId }),
    newTenant(deps, { ...app, ...edgeOf(app) }, customDomain),
    countToday(deps, account, 'certificatesPerDay'),
  ];
  await commitAsPlatform(deps, writes, undefined, {
    action: 'custom-domain.verified',
    accountId,
    subjectId: applicationId,
    before: { status: domain.status },
    after: { domain: host, status: 'VERIFIED' },
  });
  return { ...app, customDomain };
}

/** Returns undefined if the account has used up its certificates of the day: the claim is checked again later. */
async function unlessLimited<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'rate_limited') return undefined;
    throw error;
  }
}

/** Verifies a claimed domain immediately if its owner has registered it with the platform. */
export async function acceptRegisteredDomain(deps: Deps, app: App): Promise<void> {
  const { accountId, customDomain } = app;
  if (customDomain?.status !== 'PENDING') return;
  const [domains, held] = await Promise.all([
    findEnclosingDomains(deps, accountId, customDomain.host),
    deps.table.get(Host, { host: customDomain.host }),
  ]);
  // If another application holds the host, the first check decides.
  if (domains.length === 0 || (held && held.applicationId !== app.id)) return;
  // On a conflict, the claim was accepted already or the application was deleted.
  await unlessLimited(ignoreConflict(acceptClaim(deps, app, customDomain, held)));
}

/**
 * Returns the reason why a proven claim cannot have its host yet; undefined if it can. A holder that still has proof keeps the host.
 * A holder without proof loses it: the host is released for the claim.
 */
async function findObstacle(deps: OwnershipDeps, held: Host | undefined, app: App): Promise<string | undefined> {
  if (!held || held.applicationId === app.id) return undefined;
  if (held.releasing) return releasingMessage(held.host);
  const holder = await findVerifiedHolder(deps, held);
  if (!holder?.customDomain) return undefined;
  const missing = await findMissingProof(deps, holder.accountId, holder.customDomain);
  if (!missing?.isDefinite) return heldByOtherMessage(held.host);
  await ignoreConflict(releaseAsPlatform(deps, holder));
  return releasingMessage(held.host);
}

/** Checks an unverified claim: accepts it, stores its problem, or releases it once it has expired. */
async function checkClaim(deps: OwnershipDeps, app: App, domain: CustomDomain): Promise<App> {
  const missing = await findMissingProof(deps, app.accountId, domain);
  const held = missing ? undefined : await deps.table.get(Host, { host: domain.host });
  const obstacle = missing ? undefined : await findObstacle(deps, held, app);
  if (!missing && !obstacle) return await acceptClaim(deps, app, domain, held);
  const now = deps.now();
  if (now.toISOString() > claimExpiresAt(domain)) {
    await releaseAsPlatform(deps, app);
    return app;
  }
  const waited = now.getTime() - Date.parse(domain.claimedAt);
  // A host that is being released is free within minutes.
  const delay = obstacle
    ? FIRST_CHECK_DELAY_MS
    : Math.min(Math.max(waited, FIRST_CHECK_DELAY_MS), MAX_RECHECK_DELAY_MS);
  const problem = obstacle ?? missing?.problem ?? '';
  const customDomain: CustomDomain = { ...domain, problem, checkedAt: now.toISOString() };
  const next = schedule(App, timestampAfter(now, delay));
  const update = { set: { customDomain, ...next }, when: ifStillPending(domain) };
  await deps.table.transact([change(App, app, update, concurrentUpdate)]);
  return { ...app, customDomain };
}

/** GET /dashboard/v1/apps/{id}/domain: null, and not an error, for an application without a custom domain. */
export async function getCustomDomain(
  deps: Deps & InCell<'edgeEndpoint'>,
  caller: Caller,
  { id }: Input<typeof GetRoute>,
): Promise<Output<typeof GetRoute>> {
  const app = await findApp(deps, caller, id);
  return app.customDomain ? viewCustomDomain(deps, app, await findTenant(deps, app)) : { data: null };
}

async function verifyHostAgain(deps: OwnershipDeps, host: string): Promise<void> {
  const held = await deps.table.get(Host, { host });
  if (held) await ignoreConflict(verifyAgain(deps, held));
}

/** POST /dashboard/v1/apps/{id}/domain/check: runs the reconciler's check now. */
export async function checkCustomDomain(
  deps: Deps & InCell<'edgeEndpoint'> & { txt: TxtRecords },
  caller: Caller,
  { id }: Input<typeof CheckRoute>,
): Promise<Output<typeof CheckRoute>> {
  const app = await findApp(deps, caller, id);
  const { customDomain } = app;
  if (customDomain?.status === 'PENDING') await ignoreConflict(checkClaim(deps, app, customDomain));
  else if (customDomain?.unprovenSince) await verifyHostAgain(deps, customDomain.host);
  else {
    const tenant = await findTenant(deps, app);
    return viewCustomDomain(deps, app, tenant && (await requestCheck(deps, tenant)));
  }
  const checked = await findApp(deps, caller, id);
  return viewCustomDomain(deps, checked, await findTenant(deps, checked));
}

/**
 * Returns a function that routes a verified domain to the application's default address, and returns true if the domain belongs to the
 * application. Otherwise it leaves the route alone: the stream may redeliver a change after the domain was released, or claimed by
 * another application.
 */
const routesBy =
  (write: 'point' | 'pointIfUnset') =>
  async ({ table, cellOf }: Pick<Deps, 'table'> & InCell<'hostRoutes'>, app: App): Promise<boolean> => {
    const { id, hosts, customDomain } = app;
    const [defaultHost] = hosts;
    if (!customDomain || defaultHost === undefined) return false;
    const claim = await table.get(Host, { host: customDomain.host });
    if (claim?.applicationId !== id || claim.releasing) return false;
    const { hostRoutes } = await cellOf(edgeOf(app));
    await hostRoutes[write]([customDomain.host], aliasTo(defaultHost), id);
    return true;
  };
export const routeCustomDomain = /* @__PURE__ */ routesBy('point');
/** Like {@link routeCustomDomain}, but leaves an existing route, even one to another target. */
export const routeCustomDomainIfUnset = /* @__PURE__ */ routesBy('pointIfUnset');

/**
 * Removes the route of a released domain. The route of a domain with a tenant ends with the tenant; a domain that was
 * claimed again keeps the new route.
 */
export async function unrouteCustomDomain(
  deps: Pick<Deps, 'table'> & InCell<'hostRoutes'>,
  app: App,
  host: string,
): Promise<void> {
  if (await deps.table.get(Host, { host })) return;
  const { hostRoutes } = await deps.cellOf(edgeOf(app));
  await hostRoutes.remove([host], app.id);
}

/** Applications with an unverified custom domain: the claim is checked, or expires. */
export const customDomainQueue: DueQueue<typeof App, Deps & { txt: TxtRecords }> = {
  queue: 'CUSTOM_DOMAIN',
  entity: App,
  // A check mostly waits for name servers.
  concurrency: 20,
  async act(deps, app) {
    const { customDomain } = app;
    if (customDomain?.status !== 'PENDING') return;
    const checking = ignoreConflict(checkClaim(deps, app, customDomain));
    if (await unlessLimited(checking.then(() => true))) return;
    const next = schedule(App, timestampAfter(deps.now(), MAX_RECHECK_DELAY_MS));
    const update = { set: next, when: ifStillPending(customDomain) };
    await tryChange(deps, App, app, update);
  },
};
