import { randomUUID } from 'node:crypto';
import type { Dns, DnsChange, RecordSet } from '../../providers/dns/dns.ts';
import type { ZoneSyncQueue } from '../../providers/dns/sync-queue.ts';
import { DnsRecord, recordsOf, Zone } from '../../table/entities/dns.ts';
import { unschedule } from '../../table/schedule.ts';
import { change } from '../../table/writes.ts';
import { concurrentUpdate, ignoreConflict } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import type { DueQueue } from '../sweep/sweep.ts';

/** Returns the key of a record set: name servers have one set per name and type. */
const setKey = ({ name, type }: { name: string; type: string }) => `${name} ${type}`;

/** Bytes outside of printable ASCII, the quote and the backslash are written by their number, in octal. */
const quoteBytes = (bytes: Buffer): string =>
  `"${[...bytes]
    .map((byte) =>
      byte < 0x20 || byte > 0x7e || byte === 0x22 || byte === 0x5c
        ? `\\${byte.toString(8).padStart(3, '0')}`
        : String.fromCharCode(byte),
    )
    .join('')}"`;

/** A text in quoted strings of at most 255 bytes. */
function quoteText(text: string): string {
  const bytes = Buffer.from(text);
  const parts: string[] = [];
  for (let from = 0; from < bytes.length; from += 255) parts.push(quoteBytes(bytes.subarray(from, from + 255)));
  return parts.join(' ');
}

/** A record's value in the notation of zone files: names end in a dot, priorities stand inside, texts are quoted. */
export function toZoneFileValue({ type, content, prio }: Pick<DnsRecord, 'type' | 'content' | 'prio'>): string {
  switch (type) {
    case 'CNAME':
    case 'NS':
      return `${content}.`;
    case 'MX':
    case 'SRV':
      return `${prio} ${content}.`;
    case 'TXT':
      return quoteText(content);
    default:
      return content;
  }
}

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
const LEASE_MS = 60_000;

/**
 * Syncs a zone's records to the name servers. One execution syncs a zone at a time and keeps the lease until all
 * changes are written; an execution that finds the lease taken has nothing left to do, and the last of racing changes
 * wins.
 *
 * @returns the number of changed record sets
 */
export async function syncZone(
  deps: Pick<Deps, 'table' | 'now'> & { dns: Dns },
  of: ZoneIds,
): Promise<{ changed: number }> {
  const now = deps.now().getTime();
  const holder = randomUUID();
  const take = { set: { lease: { holder, until: now + LEASE_MS } }, when: { 'lease.until': { absentOrBelow: now } } };
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
      const done = { set, remove: ['lease', ...unschedule(Zone)], when: { version: { is: version }, ...held } };
      if (await ignoreConflict(deps.table.write(Zone, change(Zone, of, done, concurrentUpdate)))) return { changed };
    }
  } catch (error) {
    await ignoreConflict(deps.table.write(Zone, change(Zone, of, { remove: ['lease'], when: held }, concurrentUpdate)));
    throw error;
  }
}

/** @returns how many sets were changed */
async function syncRecords(deps: Pick<Deps, 'table'> & { dns: Dns }, zone: Zone): Promise<number> {
  const { hostedZoneId, name, version, mirrored, domainId, aliases = {} } = zone;
  if (!hostedZoneId || mirrored >= version) return 0;
  const [records, there] = await Promise.all([
    deps.table.all(DnsRecord, recordsOf(domainId)),
    deps.dns.recordSets(hostedZoneId, name),
  ]);
  const own = toRecordSets(name, records);
  const changes = diffRecordSets(there, [...own, ...toAliasSets(aliases, own)]);
  if (changes.length > 0) await deps.dns.change(hostedZoneId, changes);
  return changes.length;
}

export const enqueueZoneSync = (deps: { mirrors: ZoneSyncQueue }, { accountId, domainId }: Zone): Promise<void> =>
  deps.mirrors.send([{ accountId, domainId }]);

/** Zones whose message was lost, or whose synchronization keeps failing: they are enqueued again until they are done. */
export const zoneQueue: DueQueue<typeof Zone, { mirrors: ZoneSyncQueue }> = {
  queue: 'ZONE',
  entity: Zone,
  act: enqueueZoneSync,
};
