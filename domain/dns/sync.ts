import type { Dns, DnsChange, RecordSet } from '../../providers/dns/dns.ts';
import type { ZoneSyncQueue } from '../../providers/dns/sync-queue.ts';
import { DnsRecord, recordsOf, Zone } from '../../table/entities/dns.ts';
import { DomainName } from '../../table/entities/registrar.ts';
import { schedule, unschedule } from '../../table/schedule.ts';
import { tryChange } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import type { DomainIds } from '../registrar/tasks.ts';
import type { DueQueue } from '../sweep/sweep.ts';
import { timestampAfter } from '../time.ts';
import { LEASE_ATTRIBUTES, retryDelay, withLease, type ZoneProblem } from './lease.ts';
import { fitsRecordSet, toZoneFileValue } from './zone-file.ts';

/** Returns the key of a record set: there is one set per name and type. */
const setKey = ({ name, type }: { name: string; type: string }) => `${name} ${type}`;

/** Groups a domain's records into record sets. A set has one time to live: the shortest of its records. */
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

/** Types of the owner's records that determine where a name points to. */
const TARGET_TYPES = ['A', 'AAAA', 'CNAME', 'NS'];

/** Returns the record sets of a zone's aliases. The owner's records for a name take precedence over its alias. */
export function toAliasSets(aliases: Readonly<Record<string, string>>, ownerSets: readonly RecordSet[]): RecordSet[] {
  const taken = new Set(ownerSets.flatMap(({ name, type }) => (TARGET_TYPES.includes(type) ? [name] : [])));
  return Object.entries(aliases).flatMap(([name, alias]) =>
    taken.has(name) ? [] : ['A', 'AAAA'].map((type) => ({ name, type, ttl: 0, values: [], alias })),
  );
}

const sameSet = (a: RecordSet, b: RecordSet): boolean =>
  a.ttl === b.ttl &&
  a.alias === b.alias &&
  JSON.stringify([...a.values].sort()) === JSON.stringify([...b.values].sort());

/**
 * Returns the changes from the current record sets to the desired ones. Deletions come first, because a CNAME may replace another
 * record.
 */
export function diffRecordSets(current: readonly RecordSet[], desired: readonly RecordSet[]): DnsChange[] {
  const known = new Map(current.map((set) => [setKey(set), set]));
  const desiredKeys = new Set(desired.map(setKey));
  return [
    ...current.filter((set) => !desiredKeys.has(setKey(set))).map((set) => ({ action: 'DELETE' as const, set })),
    ...desired
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
 * Syncs a zone's records to the name servers. One execution at a time syncs a zone and keeps the lease until all changes are written,
 * including changes made meanwhile; so an execution that finds the lease taken has nothing to do. Nothing is written to a released zone
 * (domain/dns/release.ts).
 */
export async function syncZone(deps: SyncDeps, ids: DomainIds): Promise<ZoneSyncResult> {
  const synced = await withLease(deps, ids, async (first, lease) => {
    let changed = 0;
    for (let zone: Zone | undefined = first; zone; zone = await deps.table.get(Zone, ids)) {
      if (zone.lease?.holder !== lease['lease.holder'].is)
        throw new Error(`the sync of zone ${ids.domainId} took longer than its lease`);
      const { version, releasedAt } = zone;
      if (!releasedAt) changed += await syncRecords(deps, zone);
      // Without a hosted zone, the records are synced once the domain is registered.
      const set = zone.hostedZoneId && !releasedAt ? { mirrored: version } : {};
      const remove = [...LEASE_ATTRIBUTES, ...(releasedAt ? [] : unschedule(Zone))];
      const done = { set, remove, when: { version: { is: version }, ...lease } };
      if (await tryChange(deps, Zone, ids, done)) return changed;
    }
    // The zone was deleted together with its domain, whose registration failed.
    return changed;
  });
  if (!synced) return { changed: 0 };
  return 'problem' in synced ? { changed: 0, problem: synced.problem } : { changed: synced.result };
}

/**
 * Writes the difference between the table and the name servers. Does nothing if the name belongs to another domain by now: the name
 * servers then have that domain's records.
 *
 * @returns the number of changed record sets
 */
async function syncRecords(deps: Pick<SyncDeps, 'table' | 'dns'>, zone: Zone): Promise<number> {
  const { hostedZoneId, name, version, mirrored, domainId, aliases = {} } = zone;
  if (!hostedZoneId || mirrored >= version) return 0;
  const holder = await deps.table.get(DomainName, { name });
  if (holder?.domainId !== domainId) return 0;
  const [records, current] = await Promise.all([
    deps.table.all(DnsRecord, recordsOf(domainId)),
    deps.dns.recordSets(hostedZoneId, name),
  ]);
  // Records that predate the limits may form a set that the name servers refuse. It must not block the other sets.
  const ownerSets = toRecordSets(name, records).filter(({ values }) => fitsRecordSet(values));
  const changes = diffRecordSets(current, [...ownerSets, ...toAliasSets(aliases, ownerSets)]);
  if (changes.length > 0) await deps.dns.change(hostedZoneId, changes);
  return changes.length;
}

/** Queues the sync of a zone. */
export const enqueueZoneSync = (deps: { zoneSyncQueue: ZoneSyncQueue }, { accountId, domainId }: Zone): Promise<void> =>
  deps.zoneSyncQueue.send([{ accountId, domainId }]);

/** Zones whose message was lost, whose sync failed, or which were released. They are enqueued again with backoff until they are done. */
export const zoneQueue: DueQueue<typeof Zone, Pick<Deps, 'table' | 'now'> & { zoneSyncQueue: ZoneSyncQueue }> = {
  queue: 'ZONE',
  entity: Zone,
  async act(deps, zone, { dueAt }) {
    await enqueueZoneSync(deps, zone);
    const next = schedule(Zone, timestampAfter(deps.now(), retryDelay(zone.failures ?? 0)));
    const update = { set: next, when: { dueAt: { is: dueAt } } };
    // A conflict means that the zone was synced in the meantime: it is no longer due, or has a new due time.
    await tryChange(deps, Zone, zone, update);
  },
};
