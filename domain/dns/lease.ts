import { randomUUID } from 'node:crypto';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { NameServersBusy } from '../../providers/dns/busy.ts';
import { Zone } from '../../table/entities/dns.ts';
import { schedule } from '../../table/schedule.ts';
import { tryChange } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import type { DomainIds } from '../registrar/tasks.ts';
import { HOUR_MS, MINUTE_MS } from '../time.ts';

/** Duration of a zone's lease, in milliseconds: longer than a function's timeout. Only the holder of the lease writes to the zone. */
const LEASE_MS = TIMEOUTS_S.zoneSync.lease * 1000;

/**
 * Delay before failed work on a zone is retried, doubled with each failure, in milliseconds. All zones share Route 53's request rate
 * (`route53Rate` of contract/limits/aws-limits.ts).
 */
const FIRST_RETRY_MS = MINUTE_MS;
const MAX_RETRY_MS = 6 * HOUR_MS;
/** Returns the delay in milliseconds after a number of consecutive failures. */
export const retryDelay = (failures: number) => Math.min(FIRST_RETRY_MS * 2 ** Math.max(0, failures - 1), MAX_RETRY_MS);

/** Delay before a zone is retried for which the request rate was exhausted, in milliseconds. This is no failure, so it does not grow. */
const BUSY_RETRY_MS = MINUTE_MS;

/** Consecutive failures and the last error. */
export interface ZoneProblem {
  failures: number;
  error: unknown;
}

/** The condition of writes that require the lease. */
export type LeaseCondition = { 'lease.holder': { is: string } };

/** Attributes that an execution removes when it has finished its work on a zone. */
export const LEASE_ATTRIBUTES = ['lease', 'failures', 'retryAt'] as const;

/**
 * Runs work on a zone under its lease, which the work's last write releases. A failure is recorded and retried with backoff; until then
 * further messages for the zone do nothing.
 * @returns the result of the work or its failure; undefined if another execution holds the lease or the zone does not exist
 */
export async function withLease<R>(
  deps: Pick<Deps, 'table' | 'now'>,
  ids: DomainIds,
  work: (zone: Zone, lease: LeaseCondition) => Promise<R>,
): Promise<{ result: R } | { problem: ZoneProblem } | undefined> {
  const now = deps.now().getTime();
  const holder = randomUUID();
  const when = { 'lease.until': { absentOrBelow: now }, retryAt: { absentOrBelow: now + 1 } } as const;
  const acquire = { set: { lease: { holder, until: now + LEASE_MS } }, when };
  const zone = await tryChange(deps, Zone, ids, acquire);
  if (!zone) return undefined;
  const lease: LeaseCondition = { 'lease.holder': { is: holder } };
  try {
    return { result: await work(zone, lease) };
  } catch (error) {
    const isBusy = error instanceof NameServersBusy;
    const failures = (zone.failures ?? 0) + (isBusy ? 0 : 1);
    const retryAt = now + (isBusy ? BUSY_RETRY_MS : retryDelay(failures));
    const set = { failures, retryAt, ...schedule(Zone, new Date(retryAt)) };
    const update = { set, remove: ['lease'], when: lease };
    await tryChange(deps, Zone, ids, update);
    return { problem: { failures, error } };
  }
}
