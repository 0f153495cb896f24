import { randomUUID } from 'node:crypto';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { NameServersBusy } from '../../providers/dns/busy.ts';
import { Zone } from '../../table/entities/dns.ts';
import { schedule } from '../../table/schedule.ts';
import { change } from '../../table/writes.ts';
import { concurrentUpdate, ignoreConflict } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { HOUR_MS, MINUTE_MS } from '../time.ts';

export interface ZoneIds {
  accountId: string;
  domainId: string;
}

/** One process at a time writes a zone; one that dies has it for this long, in milliseconds: longer than a function lives. */
const LEASE_MS = TIMEOUTS_S.zoneSync.lease * 1000;

/**
 * A zone whose work failed is retried after this, doubled with each failure, in milliseconds: all zones share the requests of
 * Route 53 (`route53Rate` of contract/limits/aws-limits.ts).
 */
const FIRST_RETRY_MS = MINUTE_MS;
const MAX_RETRY_MS = 6 * HOUR_MS;
export const retryDelay = (failures: number) => Math.min(FIRST_RETRY_MS * 2 ** Math.max(0, failures - 1), MAX_RETRY_MS);

/** A zone whose turn the name servers had no time for is no failing one: it is retried after this, however often. */
const BUSY_RETRY_MS = MINUTE_MS;

/** Failures in a row, and the last one's error. */
export interface ZoneProblem {
  failures: number;
  error: unknown;
}

/** The condition of writes under a lease. */
export interface Held {
  'lease.holder': { is: string };
}

/** Attributes that an execution removes once it is done with a zone. */
export const LEASE_ATTRIBUTES = ['lease', 'failures', 'retryAt'] as const;

/**
 * Works on a zone under its lease, which the work's last write gives back. Work that fails is recorded and retried with backoff; until then
 * further messages for the zone do nothing.
 * @returns the result of the work, its failure, or undefined where another execution has the zone, or there is none
 */
export async function withLease<R>(
  deps: Pick<Deps, 'table' | 'now'>,
  of: ZoneIds,
  work: (zone: Zone, held: Held) => Promise<R>,
): Promise<{ result: R } | { problem: ZoneProblem } | undefined> {
  const now = deps.now().getTime();
  const holder = randomUUID();
  const when = { 'lease.until': { absentOrBelow: now }, retryAt: { absentOrBelow: now + 1 } } as const;
  const take = { set: { lease: { holder, until: now + LEASE_MS } }, when };
  const zone = await ignoreConflict(deps.table.write(Zone, change(Zone, of, take, concurrentUpdate)));
  if (!zone) return undefined;
  const held: Held = { 'lease.holder': { is: holder } };
  try {
    return { result: await work(zone, held) };
  } catch (error) {
    const isBusy = error instanceof NameServersBusy;
    const failures = (zone.failures ?? 0) + (isBusy ? 0 : 1);
    const retryAt = now + (isBusy ? BUSY_RETRY_MS : retryDelay(failures));
    const set = { failures, retryAt, ...schedule(Zone, new Date(retryAt)) };
    const what = { set, remove: ['lease'], when: { ...held } };
    await ignoreConflict(deps.table.write(Zone, change(Zone, of, what, concurrentUpdate)));
    return { problem: { failures, error } };
  }
}
