import { randomUUID } from 'node:crypto';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import type { Dns, DnsChange, RecordSet } from '../../providers/dns/dns.ts';
import type { ZoneSyncQueue } from '../../providers/dns/sync-queue.ts';
import { DnsRecord, recordsOf, Zone } from '../../table/entities/dns.ts';
import { DomainName } from '../../table/entities/registrar.ts';
import { schedule, unschedule } from '../../table/schedule.ts';
import { change } from '../../table/writes.ts';
import { concurrentUpdate, ignoreConflict } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import type { DueQueue } from '../sweep/sweep.ts';
import { HOUR_MS, MINUTE_MS, timestampAfter } from '../time.ts';
import { fitsRecordSet, toZoneFileValue } from './zone-file.ts';

/** Returns the key of a record set: name servers have one set per name and type. */
const setKey = ({ name, type }: { name: string; type: string }) => `${name} ${type}`;

/** The sets that a domain's records make. One set has one time to live: the shortest of its records'. */
export function toRecordSets(domain: string, records: readonly DnsRecord[]): RecordSet[] {
  const sets = new Map<string, RecordSet>();
  for (const record of records) {
    const name = record.name ? `${record.name}.${domain}` : domain;
    const key = setKey({ name, type: record.type });
    const set = sets.get(key) ?? { name, type: record.type, ttl: record.ttl, values: [] };
    sets.set(key, { ...set, ttl: Math.min(set.ttl, record.ttl), values: [...set.values, toZoneFileValue(record)] });
  }
  return [...sets.values()];
}

/** An owner's records of these types say where a name leads. */
const TARGET_TYPES = ['A', 'AAAA', 'CNAME', 'NS'];

/** The sets that a zone's aliases make beside the owner's own; those come first. */
export function toAliasSets(aliases: Readonly<Record<string, string>>, own: readonly RecordSet[]): RecordSet[] {
  const led = new Set(own.flatMap(({ name, type }) => (TARGET_TYPES.includes(type) ? [name] : [])));
  return Object.entries(aliases).flatMap(([name, alias]) =>
    led.has(name) ? [] : ['A', 'AAAA'].map((type) => ({ name, type, ttl: 0, values: [], alias })),
  );
}

const sameSet = (a: RecordSet, b: RecordSet): boolean =>
  a.ttl === b.ttl &&
  a.alias === b.alias &&
  JSON.stringify([...a.values].sort()) === JSON.stringify([...b.values].sort());

/**
 * Returns the changes from the present record sets to the desired ones. Deletions come first, because a CNAME may take
 * the place of another record.
 */
export function diffRecordSets(there: readonly RecordSet[], wanted: readonly RecordSet[]): DnsChange[] {
  const known = new Map(there.map((set) => [setKey(set), set]));
  const asked = new Set(wanted.map(setKey));
  return [
    ...there.filter((set) => !asked.has(setKey(set))).map((set) => ({ action: 'DELETE' as const, set })),
    ...wanted
      .filter((set) => {
        const before = known.get(setKey(set));
        return !before || !sameSet(before, set);
      })
      .map((set) => ({ action: 'UPSERT' as const, set })),
  ];
}

export interface ZoneIds {
  accountId: string;
  domainId: string;
}

/** One process at a time writes a zone; one that dies has it for this long, in milliseconds: longer than a function lives. */
const LEASE_MS = TIMEOUTS_S.zoneSync.lease * 1000;

/**
 * A zone whose sync failed is retried after this, doubled with each failure, in milliseconds: all zones share the requests of
 * Route 53 (`route53Rate` of contract/limits/aws-limits.ts).
 */
const FIRST_RETRY_MS = MINUTE_MS;
const MAX_RETRY_MS = 6 * HOUR_MS;
const retryDelay = (failures: number) => Math.min(FIRST_RETRY_MS * 2 ** Math.max(0, failures - 1), MAX_RETRY_MS);

/** Result of a sync: the number of changed record sets, and what failed. */
export interface ZoneSyncResult {
  changed: number;
  problem?: { failures: number; error: unknown };
}

/**
 * Syncs a zone's records to the name servers. One execution syncs a zone at a time and keeps the lease until all
 * changes are written; an execution that finds the lease taken has nothing left to do, and the last of racing changes
 * wins. A sync that fails is recorded and retried with backoff; until then further messages for the zone do nothing.
 */
export async function syncZone(deps: Pick<Deps, 'table' | 'now'> & { dns: Dns }, of: ZoneIds): Promise<ZoneSyncResult> {
  const now = deps.now().getTime();
  const holder = randomUUID();
  const when = { 'lease.until': { absentOrBelow: now }, retryAt: { absentOrBelow: now + 1 } } as const;
  const take = { set: { lease: { holder, until: now + LEASE_MS } }, when };
  let zone = await ignoreConflict(deps.table.write(Zone, change(Zone, of, take, concurrentUpdate)));
  if (!zone) return { changed: 0 };
  const held = { 'lease.holder': { is: holder } };
  try {
    for (let changed = 0; ; zone = await deps.table.get(Zone, of)) {
      if (zone?.lease?.holder !== holder) throw new Error(`the zone ${of.domainId} was held for too long`);
      const { version } = zone;
      changed += await syncRecords(deps, zone);
      // Without a hosted zone it is done once the domain is registered.
      const set = zone.hostedZoneId ? { mirrored: version } : {};
      const done = {
        set,
        remove: ['lease', 'failures', 'retryAt', ...unschedule(Zone)],
        when: { version: { is: version }, ...held },
      };
      if (await ignoreConflict(deps.table.write(Zone, change(Zone, of, done, concurrentUpdate)))) return { changed };
    }
  } catch (error) {
    const failures = (zone?.failures ?? 0) + 1;
    const retryAt = now + retryDelay(failures);
    const set = { failures, retryAt, ...schedule(Zone, new Date(retryAt)) };
    const what = { set, remove: ['lease'], when: held };
    await ignoreConflict(deps.table.write(Zone, change(Zone, of, what, concurrentUpdate)));
    return { changed: 0, problem: { failures, error } };
  }
}

/**
 * Writes the difference between the table and the name servers. The zone of a name that another domain has by now is
 * left alone: its owner's records are there.
 *
 * @returns how many sets were changed
 */
async function syncRecords(deps: Pick<Deps, 'table'> & { dns: Dns }, zone: Zone): Promise<number> {
  const { hostedZoneId, name, version, mirrored, domainId, aliases = {} } = zone;
  if (!hostedZoneId || mirrored >= version) return 0;
  const holder = await deps.table.get(DomainName, { name });
  if (holder?.domainId !== domainId) return 0;
  const [records, there] = await Promise.all([
    deps.table.all(DnsRecord, recordsOf(domainId)),
    deps.dns.recordSets(hostedZoneId, name),
  ]);
  // A set that the name servers refuse, from before they were limited, must not keep the others from them.
  const own = toRecordSets(name, records).filter(({ values }) => fitsRecordSet(values));
  const changes = diffRecordSets(there, [...own, ...toAliasSets(aliases, own)]);
  if (changes.length > 0) await deps.dns.change(hostedZoneId, changes);
  return changes.length;
}

export const enqueueZoneSync = (deps: { zoneSyncQueue: ZoneSyncQueue }, { accountId, domainId }: Zone): Promise<void> =>
  deps.zoneSyncQueue.send([{ accountId, domainId }]);

/** Zones whose message was lost, or whose sync failed: they are enqueued again, with backoff, until they are done. */
export const zoneQueue: DueQueue<typeof Zone, Pick<Deps, 'table' | 'now'> & { zoneSyncQueue: ZoneSyncQueue }> = {
  queue: 'ZONE',
  entity: Zone,
  async act(deps, zone, { dueAt }) {
    await enqueueZoneSync(deps, zone);
    const next = schedule(Zone, timestampAfter(deps.now(), retryDelay(zone.failures ?? 0)));
    const what = { set: next, when: { dueAt: { is: dueAt } } };
    // One that was synced meanwhile is due no more, or has its next time.
    await ignoreConflict(deps.table.write(Zone, change(Zone, zone, what, concurrentUpdate)));
  },
};
