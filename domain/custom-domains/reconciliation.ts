import type { Executions } from '../../providers/workflows/executions.ts';
import type { CustomDomain } from '../../table/entities/apps.ts';
import { DistributionTenant } from '../../table/entities/custom-domains.ts';
import { create, replace, type Write } from '../../table/writes.ts';
import type { Placed } from '../apps/cells.ts';
import { concurrentUpdate, ignoreConflict, retryOnConflict } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { restartQueue } from '../sweep/restart-queue.ts';
import { DAY_MS, SECOND_MS, timestampAfter } from '../time.ts';
import {
  applyChanges,
  certificateBackoff,
  HEARTBEAT_TIMEOUT_MS,
  isCreateLeased,
  type TenantKey,
} from './edge-tenant-state.ts';

/** Returns the write that creates the tenant of a newly verified domain; the stream then starts its reconciliation. */
export function newTenant(
  deps: Pick<Deps, 'now'>,
  app: { accountId: string; id: string } & Placed,
  { host, token }: CustomDomain,
): Write {
  const now = deps.now();
  const since = now.toISOString();
  return create(DistributionTenant, {
    host,
    token,
    accountId: app.accountId,
    applicationId: app.id,
    status: 'WAITING',
    since,
    problem: null,
    ...(app.cellId === undefined ? {} : { cellId: app.cellId }),
    apex: false,
    certificates: 0,
    reverified: true,
    checkedAt: null,
    dueAt: timestampAfter(now, HEARTBEAT_TIMEOUT_MS),
    version: 1,
  });
}

/**
 * Starts the reconciliation of a tenant.
 * @param name the name of the execution. A lost execution is repeated under another name
 */
export const startReconciliation = (deps: { tenantExecutions: Executions }, { host, token }: TenantKey, name: string) =>
  deps.tenantExecutions.start(name, { host, token });

/** Returns the write that marks a tenant for removal. */
export const releaseTenant = (deps: Pick<Deps, 'now'>, tenant: DistributionTenant): Write =>
  applyChanges(deps, tenant, { status: 'CLOSING', problem: null }).write;

/**
 * Marks the tenant of a released domain for removal; the claim of the host ends with the tenant. May be repeated.
 * @returns false if there is no tenant, so that the caller must end the claim
 */
export async function closeTenant(deps: Deps, { host, token }: TenantKey): Promise<boolean> {
  return await retryOnConflict(async () => {
    const tenant = await deps.table.get(DistributionTenant, { host });
    if (tenant?.token !== token) return false;
    if (tenant.status !== 'CLOSING') await deps.table.transact([releaseTenant(deps, tenant)]);
    return true;
  });
}

/**
 * Returns the cooldown between two checks that the owner requests, in milliseconds. It is longer after a failed certificate, because
 * each check then requests another one.
 */
const recheckCooldown = ({ status, certificates }: DistributionTenant) =>
  status === 'FAILED' && certificates > 0 ? certificateBackoff(certificates, DAY_MS) : 10 * SECOND_MS;

/** Requests a check for the owner; the stream starts it. @returns the tenant after the request */
export async function requestCheck(deps: Deps, tenant: DistributionTenant): Promise<DistributionTenant> {
  const { status, problem, askedAt } = tenant;
  const hasLeft = status === 'ISSUED' && problem !== null;
  if (status !== 'WAITING' && status !== 'FAILED' && !hasLeft) return tenant;
  // A creation is a running check. A write here would make its result stale, and its lease would stay until it expires.
  if (isCreateLeased(deps, tenant)) return tenant;
  const now = deps.now().getTime();
  if (askedAt && now - Date.parse(askedAt) < recheckCooldown(tenant)) return tenant;
  const requested = { askedAt: timestampAfter(now, 0) };
  const isUnchanged = { token: { is: tenant.token }, version: { is: tenant.version } };
  const next = { ...tenant, ...requested, version: tenant.version + 1 };
  const writing = deps.table.transact([replace(DistributionTenant, next, isUnchanged, concurrentUpdate)]);
  // A conflict means that a check is running already.
  return (await ignoreConflict(writing.then(() => ({ ...tenant, ...requested })))) ?? tenant;
}

/** Tenants that are due for a check, or whose execution died: another execution starts. */
export const tenantQueue = restartQueue({
  queue: 'DOOR',
  entity: DistributionTenant,
  // Acting on a tenant only starts an execution.
  concurrency: 10,
  readsAccounts: true,
  afterMs: HEARTBEAT_TIMEOUT_MS,
  start: (deps: { tenantExecutions: Executions }, tenant, attempt) =>
    startReconciliation(deps, tenant, `${tenant.token}-${attempt}`),
});
