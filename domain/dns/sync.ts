import { randomUUID } from 'node:crypto';
import type { Dns, DnsChange, RecordSet } from '../../providers/dns/dns.ts';
import type { MirrorQueue } from '../../providers/dns/sync-queue.ts';
import { DnsRecord, recordsOf, Zone } from '../../table/entities/registrar.ts';
import { splitKey } from '../../table/keys.ts';
import { change } from '../../table/writes.ts';
import type { Deps } from '../deps.ts';
import { overtaken, unlessOvertaken } from '../overtaken.ts';

/** What the name servers are told of: one set for each name and type. */
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
function quoted(text: string): string {
  const bytes = Buffer.from(text);
  const parts: string[] = [];
  for (let from = 0; from < bytes.length; from += 255) parts.push(quoteBytes(bytes.subarray(from, from + 255)));
  return parts.join(' ');
}

/** A record's value in the notation of zone files: names end in a dot, priorities stand inside, texts are quoted. */
export function zoneValue({ type, content, prio }: Pick<DnsRecord, 'type' | 'content' | 'prio'>): string {
  switch (type) {
    case 'CNAME':
    case 'NS':
      return `${content}.`;
    case 'MX':
    case 'SRV':
      return `${prio} ${content}.`;
    case 'TXT':
      return quoted(content);
    default:
      return content;
  }
}

/** The sets that a domain's records make. One set has one time to live: the shortest of its records'. */
export function setsOf(domain: string, records: readonly DnsRecord[]): RecordSet[] {
  const sets = new Map<string, RecordSet>();
  for (const record of records) {
    const name = record.name ? `${record.name}.${domain}` : domain;
    const key = setKey({ name, type: record.type });
    const set = sets.get(key) ?? { name, type: record.type, ttl: record.ttl, values: [] };
    sets.set(key, { ...set, ttl: Math.min(set.ttl, record.ttl), values: [...set.values, zoneValue(record)] });
  }
  return [...sets.values()];
}

/** An owner's records of these types say where a name leads. */
const LEADING = ['A', 'AAAA', 'CNAME', 'NS'];

/** The sets that a zone's aliases make beside the owner's own; those come first. */
export function aliasSetsOf(aliases: Readonly<Record<string, string>>, own: readonly RecordSet[]): RecordSet[] {
  const led = new Set(own.flatMap(({ name, type }) => (LEADING.includes(type) ? [name] : [])));
  return Object.entries(aliases).flatMap(([name, alias]) =>
    led.has(name) ? [] : ['A', 'AAAA'].map((type) => ({ name, type, ttl: 0, values: [], alias })),
  );
}

const sameSet = (a: RecordSet, b: RecordSet): boolean =>
  a.ttl === b.ttl &&
  a.alias === b.alias &&
  JSON.stringify([...a.values].sort()) === JSON.stringify([...b.values].sort());

/** What turns the sets that are there into those that are wanted. What goes goes first: a CNAME may come in its place. */
export function differences(there: readonly RecordSet[], wanted: readonly RecordSet[]): DnsChange[] {
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
const LEASE = 60_000;

/**
 * Makes the name servers hold what the table holds. One at a time for each zone, and who holds it does not let go before
 * all changes are there: somebody else who finds it held has nothing left to do, and the last of racing changes wins.
 *
 * @returns how many sets were changed
 */
export async function mirrorZone(
  deps: Pick<Deps, 'table' | 'now'> & { dns: Dns },
  of: ZoneIds,
): Promise<{ changed: number }> {
  const now = deps.now().getTime();
  const holder = randomUUID();
  const take = { set: { lease: { holder, until: now + LEASE } }, when: { 'lease.until': { absentOrBelow: now } } };
  let zone = await unlessOvertaken(deps.table.write(Zone, change(Zone, of, take, overtaken)));
  if (!zone) return { changed: 0 };
  const held = { 'lease.holder': { is: holder } };
  try {
    for (let changed = 0; ; zone = await deps.table.get(Zone, of)) {
      if (zone?.lease?.holder !== holder) throw new Error(`the zone ${of.domainId} was held for too long`);
      const { version } = zone;
      changed += await bringUp(deps, zone);
      // Without a hosted zone it is done once the domain is registered.
      const set = zone.hostedZoneId ? { mirrored: version } : {};
      const done = { set, remove: ['lease', 'duePk', 'dueAt'], when: { version: { is: version }, ...held } };
      if (await unlessOvertaken(deps.table.write(Zone, change(Zone, of, done, overtaken)))) return { changed };
    }
  } catch (error) {
    await unlessOvertaken(deps.table.write(Zone, change(Zone, of, { remove: ['lease'], when: held }, overtaken)));
    throw error;
  }
}

/** @returns how many sets were changed */
async function bringUp(deps: Pick<Deps, 'table'> & { dns: Dns }, zone: Zone): Promise<number> {
  const { hostedZoneId, name, version, mirrored, domainId, aliases = {} } = zone;
  if (!hostedZoneId || mirrored >= version) return 0;
  const [records, there] = await Promise.all([
    deps.table.all(DnsRecord, recordsOf(domainId)),
    deps.dns.recordSets(hostedZoneId, name),
  ]);
  const own = setsOf(name, records);
  const changes = differences(there, [...own, ...aliasSetsOf(aliases, own)]);
  if (changes.length > 0) await deps.dns.change(hostedZoneId, changes);
  return changes.length;
}

export const mirrorLater = (deps: { mirrors: MirrorQueue }, { accountId, domainId }: Zone): Promise<void> =>
  deps.mirrors.send([{ accountId, domainId }]);

/** How many zones one run of the reconciler puts on their way again. */
const BATCH = 100;

/** Puts zones on their way again whose message was lost, or whose mirroring keeps failing. @returns how many */
export async function reconcileZones(deps: Pick<Deps, 'table' | 'now'> & { mirrors: MirrorQueue }): Promise<number> {
  const overdue = await deps.table.due('ZONE', deps.now().toISOString(), BATCH);
  await deps.mirrors.send(
    overdue.map(({ pk, sk }) => ({ accountId: splitKey(pk)[1] ?? '', domainId: splitKey(sk)[1] ?? '' })),
  );
  return overdue.length;
}
