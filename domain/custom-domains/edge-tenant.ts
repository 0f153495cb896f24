import * as z from 'zod/mini';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import type { DnsResolver, DnsTarget } from '../../providers/dns/targets.ts';
import type { Tenant } from '../../providers/edge/tenants.ts';
import { Host } from '../../table/entities/apps.ts';
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
import { setZoneAlias } from './zone-alias.ts';

/**
 * Reconciliation of the distribution tenants of verified domains. One check moves a tenant as far as possible towards
 * its desired state. It may be repeated, crash anywhere and run twice at once: tenants are found by name, and a lease
 * precedes the creation.
 */
type TenantDeps = Deps & { dnsResolver: DnsResolver } & Pick<CellProviders, TenantProvider>;
type TenantProvider = 'edgeTenants' | 'hostRoutes' | 'edgeEndpoint';

/**
 * Lease of a tenant's creation: longer than a check can take, so that no creation
 * outlives it.
 */
const CREATE_LEASE_MS = TIMEOUTS_S.tenant.lease * SECOND_MS;
/**
 * Time after which a pending certificate is slow, in milliseconds: most are issued within minutes. The check then
 * resolves the domain again.
 */
const SLOW_ISSUANCE_MS = 10 * MINUTE_MS;

/** Returns the tenant's name. No two claims share one. */
const tenantName = ({ token }: TenantKey) => `door-${token}`;

/** Makes one check of a tenant. Throws the edge's own errors, which the execution retries. */
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

/** Returns the result of a step; where it lost a race, this execution checks again. */
async function checkAgainOnConflict(step: Promise<CheckResult>): Promise<CheckResult> {
  return (await ignoreConflict(step)) ?? { done: false, waitSeconds: 2 };
}

/** Moves a tenant towards service as far as possible. */
async function advanceTenant(deps: TenantDeps, tenantItem: DistributionTenant): Promise<CheckResult> {
  const { host } = tenantItem;
  // Also of one that serves: the account may have had no zone of its domain when the tenant was created.
  const { isManaged, changed } = await setZoneAlias(deps, tenantItem, deps.edgeEndpoint, concurrentUpdate);
  if (changed) return { done: false, waitSeconds: 5 };
  const name = tenantName(tenantItem);
  const tenant = await deps.edgeTenants.find(name);
  if (!tenant) return await createTenant(deps, tenantItem, isManaged);
  const { status, arn } = (await deps.edgeTenants.certificate(name)) ?? { status: 'PENDING', arn: undefined };
  if (status === 'PENDING')
    return await saveChanges(deps, tenantItem, { status, problem: await pendingReason(deps, tenantItem) });
  if (status === 'ISSUED' && arn) {
    if (tenant.certificate !== arn && tenant.deployed) await deps.edgeTenants.attachCertificate(tenant, host, arn);
    const opened = tenant.certificate === arn && tenant.deployed && tenant.active;
    const problem = opened ? await departureProblem(deps, tenantItem) : null;
    return await saveChanges(deps, tenantItem, { status: opened ? 'ISSUED' : 'PENDING', problem });
  }
  const problem = certificateMessage(host, status === 'ISSUED' ? 'FAILED' : status);
  // The owner sees the failure first; the next check requests another certificate.
  if (tenantItem.status !== 'FAILED') return await saveChanges(deps, tenantItem, { status: 'FAILED', problem });
  return await reissueCertificate(deps, tenantItem, tenant);
}

/** Explains why a certificate is still pending, where the cause is that the domain points elsewhere. */
async function pendingReason(deps: TenantDeps, tenantItem: DistributionTenant): Promise<string | null> {
  if (tenantItem.status !== 'PENDING' || deps.now().getTime() - Date.parse(tenantItem.since) < SLOW_ISSUANCE_MS)
    return null;
  const target = await resolveTarget(deps, tenantItem);
  if (!target) return nameServersSilentMessage(tenantItem.host);
  return pointsElsewhere(deps, target) ? notPointingMessage(tenantItem.host, deps.edgeEndpoint, target) : null;
}

/** True for an alias to another name, or no address at all. Bare addresses may be those of an ALIAS to the edge. */
const pointsElsewhere = ({ edgeEndpoint }: TenantDeps, { alias, addresses }: DnsTarget): boolean =>
  alias ? alias !== edgeEndpoint : addresses.length === 0;

/** Returns what to say about a domain with a certificate that has left: its visitors do not come here any more. */
async function departureProblem(deps: TenantDeps, { host }: DistributionTenant): Promise<string | null> {
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
 * Creates the tenant once the domain resolves. Only CloudFront can tell whether it points here: an ALIAS or ANAME shows
 * as addresses, which differ by place.
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
  const result = await deps.edgeTenants.create(tenantName(tenantItem), host);
  // An attempt that throws may have created the tenant all the same: the lease then lasts to its end.
  const { createLeaseUntil: _, ...free } = leased;
  if (result === 'ELSEWHERE') return await saveChanges(deps, free, notPointing);
  if (result === 'TAKEN') return await saveChanges(deps, free, { status: 'FAILED', problem: takenMessage(host) });
  return await saveChanges(deps, free, certificateRequested(free));
}

/** Removes a tenant and, with its last part, the claim of its host. */
async function removeTenant(deps: TenantDeps, tenantItem: DistributionTenant): Promise<CheckResult> {
  const { host, applicationId, version } = tenantItem;
  const tenant = await deps.edgeTenants.find(tenantName(tenantItem));
  if (!tenant || tenant.enabled) await deps.hostRoutes.remove([host]);
  if (tenant?.enabled) await deps.edgeTenants.disable(tenant, host);
  else if (tenant) await deps.edgeTenants.remove(tenant);
  if (tenant || isCreateLeased(deps, tenantItem)) return await saveChanges(deps, tenantItem, {});
  await setZoneAlias(deps, tenantItem, undefined, concurrentUpdate);
  await deps.table.transact([
    remove(DistributionTenant, { host }, { version: { is: version } }, concurrentUpdate),
    remove(Host, { host }, { applicationId: { is: applicationId } }, concurrentUpdate),
  ]);
  return DONE;
}

export const TenantInput = z.object({ host: z.string(), token: z.string() });
