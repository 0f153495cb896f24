import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { DistributionTenant } from '../../table/entities/custom-domains.ts';
import { replace, type Write } from '../../table/writes.ts';
import { concurrentUpdate } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, timestampAfter } from '../time.ts';

export interface TenantKey {
  host: string;
  /** The claim's token: a later claim of the same host has another tenant. */
  token: string;
}

/**
 * The result of a check: done, so that the reconciler checks next, or the seconds until this execution checks again.
 */
export interface CheckResult {
  done: boolean;
  waitSeconds: number;
}
export const DONE: CheckResult = { done: true, waitSeconds: 1 };

/** An execution keeps looking for this long at what is under way; then the reconciler does. */
const MAX_WATCH_MS = TIMEOUTS_S.tenant.watch * SECOND_MS;
/** An execution that is silent for this long is dead. */
export const HEARTBEAT_TIMEOUT_MS = 5 * MINUTE_MS;

const clamp = (least: number, value: number, most: number) => Math.min(most, Math.max(least, value));

/** Checks whether an execution may be creating the tenant right now. */
export const isCreateLeased = (deps: Pick<Deps, 'now'>, { createLeaseUntil }: DistributionTenant): boolean =>
  createLeaseUntil !== undefined && createLeaseUntil > deps.now().toISOString();

/** Returns the time of a tenant's next check, and whether this execution or the reconciler makes it. */
function nextCheckDelay(
  { status, since }: Pick<DistributionTenant, 'status' | 'since'>,
  now: number,
): CheckResult & { dueAt: string } {
  const waited = now - Date.parse(since);
  const recheckIn = (milliseconds: number) => ({ ...DONE, dueAt: timestampAfter(now, milliseconds) });
  switch (status) {
    // Most owners come back to it within minutes; some after days, some never.
    case 'WAITING':
      return recheckIn(clamp(MINUTE_MS, waited, HOUR_MS));
    // Each attempt counts towards what the account may ask for in a year.
    case 'FAILED':
      return recheckIn(clamp(HOUR_MS, waited, 7 * DAY_MS));
    // Certificates are renewed by themselves, as long as the domain leads here.
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

/** A certificate that cannot be issued, or one that is in use and cannot be renewed because its domain points elsewhere. */
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
  const { dueAt, ...result } = nextCheckDelay({ status, since }, now.getTime());
  const { troubledSince, ...rest } = { ...tenant, ...changes, status };
  const next: DistributionTenant = {
    ...rest,
    ...(isInTrouble(rest) ? { troubledSince: troubledSince ?? now.toISOString() } : {}),
    // While another certificate is pending, the trouble is the same: it ends with a certificate that works.
    ...(status === 'PENDING' && troubledSince !== undefined ? { troubledSince } : {}),
    status,
    since,
    dueAt,
    checkedAt: now.toISOString(),
    version: tenant.version + 1,
  };
  const same = { token: { is: tenant.token }, version: { is: tenant.version } };
  return { tenant: next, result, write: replace(DistributionTenant, next, same, concurrentUpdate) };
}

/** Writes down what was found. */
export async function saveChanges(deps: Deps, tenant: DistributionTenant, changes: Changes): Promise<CheckResult> {
  const { write, result } = applyChanges(deps, tenant, changes);
  await deps.table.transact([write]);
  return result;
}
