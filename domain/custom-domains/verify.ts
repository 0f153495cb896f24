import type {
  checkCustomDomain as CheckRoute,
  getCustomDomain as GetRoute,
} from '../../contract/custom-domains/custom-domains.ts';
import { ApiError } from '../../contract/errors.ts';
import type { Input, Output } from '../../contract/route.ts';
import type { TxtRecords } from '../../providers/dns/txt-records.ts';
import { aliasTo, type HostRoutes } from '../../providers/edge/host-routes.ts';
import { App, type CustomDomain, Host } from '../../table/entities/apps.ts';
import { DistributionTenant } from '../../table/entities/custom-domains.ts';
import { schedule, unschedule } from '../../table/schedule.ts';
import { change, remove, type Write } from '../../table/writes.ts';
import { findApp } from '../apps/apps.ts';
import { concurrentUpdate, ignoreConflict } from '../conflict.ts';
import type { Caller, Deps } from '../deps.ts';
import { countToday, findAccount } from '../limits/limits.ts';
import type { DueQueue } from '../sweep/sweep.ts';
import { claimExpiresAt, FIRST_CHECK_DELAY_MS } from './claim.ts';
import { newTenant, requestCheck } from './reconciliation.ts';
import { findEnclosingDomains } from './zone-alias.ts';

/** An unproven domain is looked at again after as long as it has waited, but not later than this, in milliseconds. */
const MAX_RECHECK_DELAY_MS = 3600_000;

const challengeName = (host: string) => `_hosting-challenge.${host}`;

/** The endpoint that custom domains must point to. */
export interface EdgeEndpoint {
  edgeEndpoint: string;
}

export const noDomain = () => new ApiError('not_found', 'This application has no domain of its own.');

export function viewCustomDomain(
  { customDomain }: App,
  tenant: DistributionTenant | undefined,
  { edgeEndpoint }: EdgeEndpoint,
): Output<typeof GetRoute> {
  if (!customDomain) throw noDomain();
  const { host, status, token, problem = null, checkedAt } = customDomain;
  return {
    data: {
      domain: host,
      status,
      challenge: { type: 'TXT', name: challengeName(host), value: token },
      target: { type: tenant?.apex ? 'ALIAS' : 'CNAME', name: host, value: edgeEndpoint },
      ...{ problem, checkedAt, claimedUntil: status === 'PENDING' ? claimExpiresAt(customDomain) : null },
      certificate: viewCertificate(tenant),
    },
  };
}

function viewCertificate(tenant: DistributionTenant | undefined): Output<typeof GetRoute>['data']['certificate'] {
  if (!tenant || tenant.status === 'CLOSING') return null;
  const { status, problem, checkedAt } = tenant;
  return { status, problem, checkedAt };
}

/** Returns the tenant of an application's verified domain; reserved names have none. */
export async function findTenant(deps: Deps, { customDomain }: App): Promise<DistributionTenant | undefined> {
  if (customDomain?.status !== 'VERIFIED') return undefined;
  const tenant = await deps.table.get(DistributionTenant, { host: customDomain.host });
  return tenant?.token === customDomain.token ? tenant : undefined;
}

/** Returns the reason why a claim is not proven, or undefined when it is. */
async function findVerificationProblem({ host, token }: CustomDomain, txt: TxtRecords): Promise<string | undefined> {
  const name = challengeName(host);
  try {
    const texts = await txt.at(name);
    if (texts.includes(token)) return undefined;
    return texts.length > 0 ? `The TXT record ${name} has another value.` : `There is no TXT record ${name} yet.`;
  } catch {
    // Whose fault it is cannot be told from here, and the owner is who can do something about it.
    return `The name servers of ${host} do not answer.`;
  }
}

/** Ends an unverified claim: the name is free, and the application uses its default address. */
function releaseClaim(deps: Deps, app: App, { host, token }: CustomDomain): Write[] {
  const when = { 'customDomain.token': { is: token }, status: { isNot: 'DELETING' } };
  const set = { primaryDomain: `${app.slug}.${deps.settings.appsDomain}`, updatedAt: deps.now().toISOString() };
  return [
    change(App, app, { set, remove: ['customDomain', ...unschedule(App)], when }, concurrentUpdate),
    remove(Host, { host }, { applicationId: { is: app.id } }, concurrentUpdate),
  ];
}

/**
 * Checks whether the account has registered the domain, or a domain above it, with the platform: that proves ownership.
 */
const ownsRegisteredDomain = async (deps: Deps, accountId: string, host: string): Promise<boolean> =>
  (await findEnclosingDomains(deps, accountId, host)).length > 0;

const ifStillPending = ({ token }: CustomDomain) =>
  ({
    'customDomain.token': { is: token },
    'customDomain.status': { is: 'PENDING' },
    status: { isNot: 'DELETING' },
  }) as const;

/** Verifies a claim; the stream routes the domain and creates its tenant. */
async function acceptClaim(deps: Deps, app: App, domain: CustomDomain): Promise<App> {
  const { problem: _, ...rest } = domain;
  const customDomain: CustomDomain = { ...rest, status: 'VERIFIED', checkedAt: deps.now().toISOString() };
  const what = { set: { customDomain }, remove: unschedule(App), when: ifStillPending(domain) };
  const account = await findAccount(deps, app.accountId);
  await deps.table.transact([
    change(App, app, what, concurrentUpdate),
    newTenant(deps, app, customDomain),
    countToday(deps, account, 'certificatesPerDay'),
  ]);
  return { ...app, customDomain };
}

/** Returns undefined where the account has no certificates left today: the claim is checked again later. */
async function unlessLimited<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'rate_limited') return undefined;
    throw error;
  }
}

/** Verifies a claimed domain at once when its owner registered it with the platform. */
export async function acceptRegisteredDomain(deps: Deps, app: App): Promise<void> {
  const { accountId, customDomain } = app;
  if (customDomain?.status !== 'PENDING' || !(await ownsRegisteredDomain(deps, accountId, customDomain.host))) return;
  // On a conflict it was accepted before, or the application deleted.
  await unlessLimited(ignoreConflict(acceptClaim(deps, app, customDomain)));
}

/** Checks for the proof and stores the result. */
async function checkClaim(deps: Deps & { txt: TxtRecords }, app: App, domain: CustomDomain): Promise<App> {
  const isOwned = await ownsRegisteredDomain(deps, app.accountId, domain.host);
  const problem = isOwned ? undefined : await findVerificationProblem(domain, deps.txt);
  if (!problem) return await acceptClaim(deps, app, domain);
  const now = deps.now();
  if (now.toISOString() > claimExpiresAt(domain)) {
    await deps.table.transact(releaseClaim(deps, app, domain));
    return app;
  }
  const waited = now.getTime() - Date.parse(domain.claimedAt);
  const delay = Math.min(Math.max(waited, FIRST_CHECK_DELAY_MS), MAX_RECHECK_DELAY_MS);
  const customDomain: CustomDomain = { ...domain, problem, checkedAt: now.toISOString() };
  const next = schedule(App, new Date(now.getTime() + delay));
  const what = { set: { customDomain, ...next }, when: ifStillPending(domain) };
  await deps.table.transact([change(App, app, what, concurrentUpdate)]);
  return { ...app, customDomain };
}

/** GET /dashboard/v1/apps/{id}/domain */
export async function getCustomDomain(
  deps: Deps & EdgeEndpoint,
  caller: Caller,
  { id }: Input<typeof GetRoute>,
): Promise<Output<typeof GetRoute>> {
  const app = await findApp(deps, caller, id);
  return viewCustomDomain(app, await findTenant(deps, app), deps);
}

/** POST /dashboard/v1/apps/{id}/domain/check: runs the reconciler's check now. */
export async function checkCustomDomain(
  deps: Deps & EdgeEndpoint & { txt: TxtRecords },
  caller: Caller,
  { id }: Input<typeof CheckRoute>,
): Promise<Output<typeof CheckRoute>> {
  const app = await findApp(deps, caller, id);
  if (app.customDomain?.status !== 'PENDING') {
    const tenant = await findTenant(deps, app);
    return viewCustomDomain(app, tenant && (await requestCheck(deps, tenant)), deps);
  }
  await ignoreConflict(checkClaim(deps, app, app.customDomain));
  return await getCustomDomain(deps, caller, { id });
}

/**
 * Routes a verified domain to the application's default address, now and after each release. The stream may redeliver
 * the change after the domain was released or claimed by another application; its route then stays.
 */
export async function routeCustomDomain(
  { settings, table, hostRoutes }: Pick<Deps, 'settings' | 'table'> & { hostRoutes: HostRoutes },
  { id, slug, customDomain }: App,
): Promise<void> {
  if (!customDomain) return;
  const claim = await table.get(Host, { host: customDomain.host });
  if (claim?.applicationId !== id || claim.releasing) return;
  await hostRoutes.point([customDomain.host], aliasTo(`${slug}.${settings.appsDomain}`));
}

/**
 * Removes the route of a released domain. The route of a domain with a tenant ends with the tenant; a domain that was
 * claimed again keeps the new route.
 */
export async function unrouteCustomDomain(
  deps: Pick<Deps, 'table'> & { hostRoutes: HostRoutes },
  { customDomain }: App,
): Promise<void> {
  if (!customDomain || (await deps.table.get(Host, { host: customDomain.host }))) return;
  await deps.hostRoutes.remove([customDomain.host]);
}

/** Applications with a custom domain that is not verified yet: the claim is checked, or expires. */
export const customDomainQueue: DueQueue<typeof App, Deps & { txt: TxtRecords }> = {
  queue: 'CUSTOM_DOMAIN',
  entity: App,
  // Most of a check is waiting for name servers.
  concurrency: 20,
  async act(deps, app) {
    const { customDomain } = app;
    if (customDomain?.status !== 'PENDING') return;
    const checking = ignoreConflict(checkClaim(deps, app, customDomain));
    if (await unlessLimited(checking.then(() => true))) return;
    const next = schedule(App, new Date(deps.now().getTime() + MAX_RECHECK_DELAY_MS));
    const what = { set: next, when: ifStillPending(customDomain) };
    await ignoreConflict(deps.table.write(App, change(App, app, what, concurrentUpdate)));
  },
};
