import type { Dns, DnsChange, RecordSet } from '../../providers/dns/dns.ts';
import type { ZoneSyncQueue } from '../../providers/dns/sync-queue.ts';
import { DnsRecord, recordsOf, Zone } from '../../table/entities/dns.ts';
import { DomainName } from '../../table/entities/registrar.ts';
import { schedule, unschedule } from '../../table/schedule.ts';
import { change } from '../../table/writes.ts';
import { concurrentUpdate, ignoreConflict } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import type { DueQueue } from '../sweep/sweep.ts';
import { timestampAfter } from '../time.ts';
import { LEASE_ATTRIBUTES, retryDelay, withLease, type ZoneIds, type ZoneProblem } from './lease.ts';
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

type SyncDeps = Pick<Deps, 'table' | 'now'> & { dns: Pick<Dns, 'recordSets' | 'change'> };

/** Result of a sync: the number of changed record sets, and what failed. */
export interface ZoneSyncResult {
  changed: number;
  problem?: ZoneProblem;
}

/**
 * Syncs a zone's records to the name servers. One execution syncs a zone at a time and keeps the lease until all
 * changes are written; an execution that finds the lease taken has nothing left to do, and the last of racing changes
 * wins. Of a released zone nothing is written (domain/dns/release.ts).
 */
export async function syncZone(deps: SyncDeps, of: ZoneIds): Promise<ZoneSyncResult> {
  const synced = await withLease(deps, of, async (first, held) => {
    let changed = 0;
    for (let zone: Zone | undefined = first; zone; zone = await deps.table.get(Zone, of)) {
      if (zone.lease?.holder !== held['lease.holder'].is)
        throw new Error(`the zone ${of.domainId} was held for too long`);
      const { version, releasedAt } = zone;
      if (!releasedAt) changed += await syncRecords(deps, zone);
      // Without a hosted zone it is done once the domain is registered.
      const set = zone.hostedZoneId && !releasedAt ? { mirrored: version } : {};
      const remove = [...LEASE_ATTRIBUTES, ...(releasedAt ? [] : unschedule(Zone))];
      const done = { set, remove, when: { version: { is: version }, ...held } };
      if (await ignoreConflict(deps.table.write(Zone, change(Zone, of, done, concurrentUpdate)))) return changed;
    }
    // A domain that was not registered after all has taken its zone along.
    return changed;
  });
  if (!synced) return { changed: 0 };
  return 'problem' in synced ? { changed: 0, problem: synced.problem } : { changed: synced.result };
}

/**
 * Writes the difference between the table and the name servers. The zone of a name that another domain has by now is
 * left alone: its owner's records are there.
 *
 * @returns how many sets were changed
 */
async function syncRecords(deps: Pick<SyncDeps, 'table' | 'dns'>, zone: Zone): Promise<number> {
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

/** Zones whose message was lost, whose sync failed, or which were released: they are enqueued again, with backoff, until they are done. */
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
