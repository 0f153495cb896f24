import * as z from 'zod/mini';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import type { DnsResolver, DnsTarget } from '../../providers/dns/targets.ts';
import type { Certificate, Tenant } from '../../providers/edge/tenants.ts';
import { App, Host } from '../../table/entities/apps.ts';
import { DistributionTenant } from '../../table/entities/custom-domains.ts';
import { remove } from '../../table/writes.ts';
import type { CellProviders, InCell } from '../apps/cells.ts';
import { concurrentUpdate, ignoreConflict } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { MINUTE_MS, SECOND_MS, timestampAfter } from '../time.ts';
import {
  applyChanges,
  type CheckResult,
  DONE,
  isCreateLeased,
  saveChanges,
  type TenantKey,
} from './edge-tenant-state.ts';
import {
  certificateMessage,
  MAX_CERTIFICATE_NAME,
  nameServersSilentMessage,
  notPointingMessage,
  takenMessage,
  tooLongMessage,
} from './messages.ts';
import { startVerifications } from './ownership.ts';
import { routeCustomDomainIfUnset } from './verify.ts';
import { setZoneAlias } from './zone-alias.ts';

/**
 * Reconciliation of the distribution tenants of verified domains. One check moves a tenant as far as possible towards its desired
 * state. A check may be repeated, crash anywhere and run concurrently with another: tenants are found by name, and a lease guards
 * their creation.
 */
type TenantDeps = Deps & { dnsResolver: DnsResolver } & Pick<CellProviders, TenantProvider>;
type TenantProvider = 'edgeTenants' | 'hostRoutes' | 'edgeEndpoint';

/** Duration of the create lease in milliseconds: longer than a check can take, so that no creation outlives it. */
const CREATE_LEASE_MS = TIMEOUTS_S.tenant.lease * SECOND_MS;
/**
 * Age at which a pending certificate counts as slow, in milliseconds: most are issued within minutes. From then on, checks resolve
 * the domain to find the cause.
 */
const SLOW_ISSUANCE_MS = 10 * MINUTE_MS;

/** Returns the name of a claim's tenant. No two claims share one. */
const tenantName = ({ token }: TenantKey) => `door-${token}`;

/** Checks a tenant once. Throws the edge's errors, which the execution retries. */
export async function reconcileTenant(
  { cellOf, ...others }: Deps & { dnsResolver: DnsResolver } & InCell<TenantProvider>,
  { host, token }: TenantKey,
): Promise<CheckResult> {
  const tenantItem = await others.table.get(DistributionTenant, { host });
  if (tenantItem?.token !== token) return DONE;
  const deps: TenantDeps = { ...others, ...(await cellOf(tenantItem)) };
  if (tenantItem.status === 'CLOSING') return await checkAgainOnConflict(removeTenant(deps, tenantItem));
  if (!tenantItem.reverified) await startVerifications(deps, tenantItem);
  return await checkAgainOnConflict(advanceTenant(deps, { ...tenantItem, reverified: true }));
}

/** Returns the result of a step. After a concurrent update, this execution checks again. */
async function checkAgainOnConflict(step: Promise<CheckResult>): Promise<CheckResult> {
  return (await ignoreConflict(step)) ?? { done: false, waitSeconds: 2 };
}

/** Moves a tenant as far as possible towards serving its domain. */
async function advanceTenant(deps: TenantDeps, tenantItem: DistributionTenant): Promise<CheckResult> {
  const { host } = tenantItem;
  // Also for a tenant that already serves: the account may not have had the domain's zone when the tenant was created.
  const { isManaged, changed } = await setZoneAlias(deps, tenantItem, deps.edgeEndpoint);
  if (changed) return { done: false, waitSeconds: 5 };
  const name = tenantName(tenantItem);
  const tenant = await deps.edgeTenants.find(name);
  if (!tenant) return await createTenant(deps, tenantItem, isManaged);
  const { status, arn } = await readCertificate(deps, tenantItem);
  if (status === 'PENDING')
    return await saveChanges(deps, tenantItem, { status, problem: await pendingReason(deps, tenantItem) });
  if (status === 'ISSUED' && arn) {
    if (tenant.certificate !== arn && tenant.deployed) await deps.edgeTenants.attachCertificate(tenant, host, arn);
    const isServing = tenant.certificate === arn && tenant.deployed && tenant.active;
    const problem = isServing ? await findDepartureProblem(deps, tenantItem) : null;
    return await saveChanges(deps, tenantItem, isServing ? { ...SERVING, problem } : { status: 'PENDING', problem });
  }
  const problem = certificateMessage(host, status === 'ISSUED' ? 'FAILED' : status);
  // The owner sees the failure first; the next check requests another certificate.
  if (tenantItem.status !== 'FAILED') return await saveChanges(deps, tenantItem, { status: 'FAILED', problem });
  return await reissueCertificate(deps, tenantItem, tenant);
}

/** True if the certificate has been pending for long. */
const isSlow = ({ now }: Pick<Deps, 'now'>, { status, since }: DistributionTenant): boolean =>
  status === 'PENDING' && now().getTime() - Date.parse(since) >= SLOW_ISSUANCE_MS;

/** Returns the certificate that the tenant requested last. One that CloudFront does not show for long was deleted in ACM. */
async function readCertificate(
  deps: TenantDeps,
  tenantItem: DistributionTenant,
): Promise<Pick<Certificate, 'arn'> & { status: Certificate['status'] | 'DELETED' }> {
  const certificate = await deps.edgeTenants.certificate(tenantName(tenantItem));
  if (certificate) return certificate;
  // The owner sees a failure until the next check, which requests another certificate.
  const isDeleted = tenantItem.status === 'FAILED' || isSlow(deps, tenantItem);
  return { status: isDeleted ? 'DELETED' : 'PENDING', arn: undefined };
}

/** Explains a slow certificate to the owner if the domain points elsewhere or does not resolve; null otherwise. */
async function pendingReason(deps: TenantDeps, tenantItem: DistributionTenant): Promise<string | null> {
  if (!isSlow(deps, tenantItem)) return null;
  const target = await resolveTarget(deps, tenantItem);
  if (!target) return nameServersSilentMessage(tenantItem.host);
  return pointsElsewhere(deps, target) ? notPointingMessage(tenantItem.host, deps.edgeEndpoint, target) : null;
}

/** True for an alias to another name, or without any address. Addresses alone may result from an ALIAS record to the edge. */
const pointsElsewhere = ({ edgeEndpoint }: TenantDeps, { alias, addresses }: DnsTarget): boolean =>
  alias ? alias !== edgeEndpoint : addresses.length === 0;

/** Explains to the owner of a domain with a certificate that the domain no longer points here; null if it does. */
async function findDepartureProblem(deps: TenantDeps, { host }: DistributionTenant): Promise<string | null> {
  const target = await resolveTarget(deps, { host });
  return target && pointsElsewhere(deps, target) ? notPointingMessage(host, deps.edgeEndpoint, target) : null;
}

async function reissueCertificate(
  deps: TenantDeps,
  tenantItem: DistributionTenant,
  tenant: Tenant,
): Promise<CheckResult> {
  const result = await deps.edgeTenants.reissueCertificate(tenant, tenantItem.host);
  if (result === 'MADE') return await saveChanges(deps, tenantItem, certificateRequested(tenantItem));
  const target = await resolveTarget(deps, tenantItem);
  const problem = target
    ? notPointingMessage(tenantItem.host, deps.edgeEndpoint, target)
    : nameServersSilentMessage(tenantItem.host);
  return await saveChanges(deps, tenantItem, { problem });
}

/** Of all certificates only this one counts, so that the failed ones before it do not delay its replacement when it ends. */
const SERVING = { status: 'ISSUED', certificates: 1 } as const;

const certificateRequested = ({ certificates }: DistributionTenant) =>
  ({ status: 'PENDING', problem: null, certificates: certificates + 1 }) as const;

async function resolveTarget(
  { dnsResolver }: TenantDeps,
  { host }: Pick<DistributionTenant, 'host'>,
): Promise<DnsTarget | undefined> {
  try {
    return await dnsResolver.resolve(host);
  } catch {
    return undefined;
  }
}

/**
 * Creates the tenant once the domain resolves. Only CloudFront can tell whether the domain points here: an ALIAS or ANAME record
 * resolves to addresses, which differ by region.
 */
async function createTenant(
  deps: TenantDeps,
  tenantItem: DistributionTenant,
  isManaged: boolean,
): Promise<CheckResult> {
  if (isCreateLeased(deps, tenantItem)) return { done: false, waitSeconds: 5 };
  const { host } = tenantItem;
  if (host.length > MAX_CERTIFICATE_NAME)
    return await saveChanges(deps, tenantItem, { status: 'FAILED', problem: tooLongMessage(host) });
  const target = await resolveTarget(deps, tenantItem);
  if (!target)
    return await saveChanges(deps, tenantItem, { status: 'WAITING', problem: nameServersSilentMessage(host) });
  const { apex } = target;
  const notPointing = {
    status: 'WAITING',
    problem: notPointingMessage(host, deps.edgeEndpoint, target, isManaged),
    apex,
  } as const;
  if (!target.alias && target.addresses.length === 0) return await saveChanges(deps, tenantItem, notPointing);
  const createLeaseUntil = timestampAfter(deps.now(), CREATE_LEASE_MS);
  const { tenant: leased, write } = applyChanges(deps, tenantItem, { createLeaseUntil, apex });
  await deps.table.transact([write]);
  await ensureRoute(deps, tenantItem);
  const result = await deps.edgeTenants.create(tenantName(tenantItem), host);
  // If the call throws, the tenant may exist nevertheless, so the lease stays until it expires.
  const { createLeaseUntil: _, ...unleased } = leased;
  if (result === 'ELSEWHERE') return await saveChanges(deps, unleased, notPointing);
  if (result === 'TAKEN') return await saveChanges(deps, unleased, { status: 'FAILED', problem: takenMessage(host) });
  return await saveChanges(deps, unleased, certificateRequested(unleased));
}

/** Routes the domain in case the stream's event of its verification was lost. A removal waits for the lease of the creation, so it finds this route. */
async function ensureRoute(deps: TenantDeps, { accountId, applicationId: id }: DistributionTenant): Promise<void> {
  const app = await deps.table.get(App, { accountId, id });
  if (app) await routeCustomDomainIfUnset({ table: deps.table, cellOf: async () => deps }, app);
}

/** Removes a tenant step by step, and finally the claim of its host. */
async function removeTenant(deps: TenantDeps, tenantItem: DistributionTenant): Promise<CheckResult> {
  const { host, applicationId, version } = tenantItem;
  const tenant = await deps.edgeTenants.find(tenantName(tenantItem));
  if (!tenant || tenant.enabled) await deps.hostRoutes.remove([host], applicationId);
  if (tenant?.enabled) await deps.edgeTenants.disable(tenant, host);
  else if (tenant) await deps.edgeTenants.remove(tenant);
  if (tenant || isCreateLeased(deps, tenantItem)) return await saveChanges(deps, tenantItem, {});
  await setZoneAlias(deps, tenantItem, undefined);
  await deps.table.transact([
    remove(DistributionTenant, { host }, { version: { is: version } }, concurrentUpdate),
    remove(Host, { host }, { applicationId: { is: applicationId } }, concurrentUpdate),
  ]);
  return DONE;
}

export const TenantInput = z.object({ host: z.string(), token: z.string() });
