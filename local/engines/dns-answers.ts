import { type Answer, AUTHORITATIVE_ANSWER, type CaaData, type Packet } from 'dns-packet';
import type { RecordSet, Zone } from '../emulators/route53/zones.ts';

/** Finds the authoritative zone of a name in lower case. */
export type ZoneOf = (name: string) => Zone | undefined;

export const RCODE = { NOERROR: 0, FORMERR: 1, SERVFAIL: 2, NXDOMAIN: 3, NOTIMP: 4, REFUSED: 5 } as const;

/** Maximum number of CNAMEs that are followed, in case they are circular. */
const MAX_ALIASES = 8;

const host = (text: string): string => text.replace(/\.$/, '');

/** Parses `"a" "b\c\050"` into its strings as bytes. */
function parseTexts(value: string): Buffer[] {
  return [...value.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, inside = '']) => {
    const bytes = [...inside.matchAll(/\\(\d{3})|\\(.)|([\s\S])/g)].map(([, octal, escaped, plain]) =>
      octal ? Number.parseInt(octal, 8) : (escaped ?? plain ?? '').charCodeAt(0),
    );
    return Buffer.from(bytes);
  });
}

/** Converts a record from zone file notation to its packet form. */
function toRecord(type: string, name: string, ttl: number, value: string): Answer {
  const parts = value.split(' ');
  const number = (index: number) => Number(parts[index]);
  const at = (index: number) => host(parts[index] ?? '');
  switch (type) {
    case 'A':
    case 'AAAA':
      return { type, name, ttl, data: value };
    case 'CNAME':
    case 'NS':
      return { type, name, ttl, data: host(value) };
    case 'MX':
      return { type, name, ttl, data: { preference: number(0), exchange: at(1) } };
    case 'SRV':
      return { type, name, ttl, data: { priority: number(0), weight: number(1), port: number(2), target: at(3) } };
    case 'TXT':
      return { type, name, ttl, data: parseTexts(value) };
    case 'CAA': {
      const data = {
        flags: number(0),
        tag: (parts[1] ?? '') as CaaData['tag'],
        value: parts.slice(2).join(' ').slice(1, -1),
      };
      return { type, name, ttl, data };
    }
    case 'SOA': {
      const [serial, refresh, retry, expire, minimum] = parts.slice(2).map(Number);
      const data = { mname: at(0), rname: at(1), serial, refresh, retry, expire, minimum };
      return { type, name, ttl, data };
    }
    default:
      throw new Error(`no records of type ${type} here`);
  }
}

/** Aliases resolve to this machine. */
const LOOPBACK: Record<string, string> = { A: '127.0.0.1', AAAA: '::1' };
const ALIAS_TTL = 60;

/** @param name the name as queried, in its original case */
const recordsOf = ({ type, ttl, values, alias }: RecordSet, name: string): Answer[] =>
  alias === undefined
    ? values.map((value) => toRecord(type, name, ttl, value))
    : [toRecord(type, name, ALIAS_TTL, LOOPBACK[type] ?? '')];

/** Returns the record sets of a name, or those of the matching wildcard. Undefined if the name does not exist. */
function findSets(zone: Zone, name: string): RecordSet[] | undefined {
  const exact = zone.sets.filter((set) => set.name === name);
  if (exact.length > 0) return exact;
  // A name that exists only as the parent of others has no records.
  const exists = (node: string) => zone.sets.some((set) => set.name === node || set.name.endsWith(`.${node}`));
  if (exists(name)) return [];
  let encloser = name;
  do encloser = encloser.slice(encloser.indexOf('.') + 1);
  while (!exists(encloser));
  const wildcard = zone.sets.filter((set) => set.name === `*.${encloser}`);
  return wildcard.length > 0 ? wildcard : undefined;
}

/** Returns the NS set that delegates the part of the zone that contains the name, if any. */
function findDelegation(zone: Zone, name: string): RecordSet | undefined {
  return zone.sets.find(
    (set) => set.type === 'NS' && set.name !== zone.name && (name === set.name || name.endsWith(`.${set.name}`)),
  );
}

type Resolved = Pick<Packet, 'answers' | 'authorities' | 'flags'>;

/**
 * Answers one question from the zones (RFC 1034, 4.3.2): records with followed CNAMEs, a referral, or a negative
 * answer.
 */
export function resolve(zoneOf: ZoneOf, queriedName: string, type: string): Resolved {
  const zone = zoneOf(queriedName.toLowerCase());
  if (!zone) return { flags: RCODE.REFUSED };
  const answers: Answer[] = [];
  const soa = zone.sets.filter((set) => set.type === 'SOA').flatMap((set) => recordsOf(set, zone.name));
  let name = queriedName;
  for (let followed = 0; followed <= MAX_ALIASES; followed += 1) {
    const key = name.toLowerCase();
    const delegation = findDelegation(zone, key);
    if (delegation) {
      const flags = answers.length > 0 ? AUTHORITATIVE_ANSWER : 0;
      return { answers, authorities: recordsOf(delegation, delegation.name), flags };
    }
    const sets = findSets(zone, key);
    if (!sets) return { answers, authorities: soa, flags: AUTHORITATIVE_ANSWER | RCODE.NXDOMAIN };
    const found = sets.filter((set) => type === 'ANY' || set.type === type);
    if (found.length > 0) {
      answers.push(...found.flatMap((set) => recordsOf(set, name)));
      return { answers, flags: AUTHORITATIVE_ANSWER };
    }
    const alias = sets.find((set) => set.type === 'CNAME');
    if (!alias) return { answers, authorities: soa, flags: AUTHORITATIVE_ANSWER };
    answers.push(...recordsOf(alias, name));
    name = host(alias.values[0] ?? '');
    // The client resolves names outside this zone itself.
    if (zoneOf(name.toLowerCase()) !== zone) return { answers, flags: AUTHORITATIVE_ANSWER };
  }
  return { answers, flags: AUTHORITATIVE_ANSWER };
}

/** Returns true if a name points to a target: by an alias in its zone or through a chain of CNAMEs. */
export const resolvesTo = (zoneOf: ZoneOf, name: string, target: string): boolean =>
  zoneOf(name)?.sets.some((set) => set.name === name && set.alias === target) ||
  (resolve(zoneOf, name, 'A').answers ?? []).some(
    (answer) => answer.type === 'CNAME' && answer.data.toLowerCase() === target,
  );
