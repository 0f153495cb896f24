import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { DistributionTenant } from '../../table/entities/custom-domains.ts';
import { replace, type Write } from '../../table/writes.ts';
import { concurrentUpdate } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, timestampAfter } from '../time.ts';

export interface TenantKey {
  host: string;
  /** The token of the claim: a later claim of the same host has another tenant. */
  token: string;
}

/** The result of a check of a tenant. */
export interface CheckResult {
  /** True to end the execution: the reconciler starts the next check. */
  done: boolean;
  /** Seconds until this execution checks again, if it is not done. */
  waitSeconds: number;
}
export const DONE: CheckResult = { done: true, waitSeconds: 1 };

/** Time for which an execution polls a pending tenant, in milliseconds. After it, the reconciler checks at longer intervals. */
const MAX_WATCH_MS = TIMEOUTS_S.tenant.watch * SECOND_MS;
/** Time without a check after which an execution counts as dead, in milliseconds. */
export const HEARTBEAT_TIMEOUT_MS = 5 * MINUTE_MS;

const clamp = (min: number, value: number, max: number) => Math.min(max, Math.max(min, value));

/** Returns true if an execution may be creating the tenant right now. */
export const isCreateLeased = (deps: Pick<Deps, 'now'>, { createLeaseUntil }: DistributionTenant): boolean =>
  createLeaseUntil !== undefined && createLeaseUntil > deps.now().toISOString();

/**
 * Returns the wait after a failed certificate, in milliseconds: an hour, doubled with each certificate that the tenant requested
 * since it last served its domain. Each counts towards a yearly quota of the AWS account, and may fail within minutes.
 */
export const certificateBackoff = (certificates: number, maxMs: number): number =>
  clamp(HOUR_MS, HOUR_MS * 2 ** (certificates - 1), maxMs);

/** Returns the time of a tenant's next check, and whether this execution or the reconciler makes it. */
function nextCheckDelay(
  { status, since, certificates }: Pick<DistributionTenant, 'status' | 'since' | 'certificates'>,
  now: number,
): CheckResult & { dueAt: string } {
  const waited = now - Date.parse(since);
  const recheckIn = (milliseconds: number) => ({ ...DONE, dueAt: timestampAfter(now, milliseconds) });
  switch (status) {
    // Most owners change their DNS within minutes, others after days or never.
    case 'WAITING':
      return recheckIn(clamp(MINUTE_MS, waited, HOUR_MS));
    // Another certificate that fails restarts `waited`.
    case 'FAILED':
      return recheckIn(clamp(certificateBackoff(certificates, 7 * DAY_MS), waited, 7 * DAY_MS));
    // CloudFront renews certificates automatically as long as the domain points here.
    case 'ISSUED':
      return recheckIn(DAY_MS);
    default:
      if (waited > MAX_WATCH_MS) return recheckIn(clamp(HEARTBEAT_TIMEOUT_MS, waited / 4, HOUR_MS));
      return {
        done: false,
        waitSeconds: clamp(2, Math.round(waited / 5 / SECOND_MS), 60),
        dueAt: timestampAfter(now, HEARTBEAT_TIMEOUT_MS),
      };
  }
}

/** True for a certificate that cannot be issued, or that cannot be renewed because its domain points elsewhere. */
const isInTrouble = ({ status, problem }: Pick<DistributionTenant, 'status' | 'problem'>): boolean =>
  status === 'FAILED' || (status === 'ISSUED' && problem !== null);

type Changes = Partial<Pick<DistributionTenant, 'status' | 'problem' | 'apex' | 'certificates' | 'createLeaseUntil'>>;

/** Returns the tenant after a change, and the write of that change, which requires the version that was read. */
export function applyChanges(
  deps: Pick<Deps, 'now'>,
  tenant: DistributionTenant,
  changes: Changes,
): { tenant: DistributionTenant; result: CheckResult; write: Write } {
  const now = deps.now();
  const status = changes.status ?? tenant.status;
  const since = status === tenant.status ? tenant.since : now.toISOString();
  const { troubledSince, ...rest } = { ...tenant, ...changes, status };
  const { dueAt, ...result } = nextCheckDelay({ ...rest, since }, now.getTime());
  const next: DistributionTenant = {
    ...rest,
    ...(isInTrouble(rest) ? { troubledSince: troubledSince ?? now.toISOString() } : {}),
    // While another certificate is pending the trouble continues. It ends with a working certificate.
    ...(status === 'PENDING' && troubledSince !== undefined ? { troubledSince } : {}),
    status,
    since,
    dueAt,
    checkedAt: now.toISOString(),
    version: tenant.version + 1,
  };
  const isUnchanged = { token: { is: tenant.token }, version: { is: tenant.version } };
  return { tenant: next, result, write: replace(DistributionTenant, next, isUnchanged, concurrentUpdate) };
}

/** Stores the findings of a check. */
export async function saveChanges(deps: Deps, tenant: DistributionTenant, changes: Changes): Promise<CheckResult> {
  const { write, result } = applyChanges(deps, tenant, changes);
  await deps.table.transact([write]);
  return result;
}
