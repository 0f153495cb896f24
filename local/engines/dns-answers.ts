import { type Answer, AUTHORITATIVE_ANSWER, type CaaData, type Packet } from 'dns-packet';
import type { RecordSet, Zone } from '../emulators/route53/route53.ts';

/** Finds the zone that answers for a name in lower case. */
export type ZoneOf = (name: string) => Zone | undefined;

export const RCODE = { NOERROR: 0, FORMERR: 1, SERVFAIL: 2, NXDOMAIN: 3, NOTIMP: 4, REFUSED: 5 } as const;

/** How many aliases are followed: a circle of them must end. */
const ALIASES_MOST = 8;

const host = (text: string): string => text.replace(/\.$/, '');

/** `"a" "b\"c\050"` → its strings as bytes. */
function textsOf(value: string): Buffer[] {
  return [...value.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, inside = '']) => {
    const bytes = [...inside.matchAll(/\\(\d{3})|\\(.)|([\s\S])/g)].map(([, octal, escaped, plain]) =>
      octal ? Number.parseInt(octal, 8) : (escaped ?? plain ?? '').charCodeAt(0),
    );
    return Buffer.from(bytes);
  });
}

/** A record of a zone file's notation as a packet has it. */
function recordOf(type: string, name: string, ttl: number, value: string): Answer {
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
      return { type, name, ttl, data: textsOf(value) };
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

/** What aliases lead to is on this machine. */
const HERE: Record<string, string> = { A: '127.0.0.1', AAAA: '::1' };
const ALIAS_TTL = 60;

/** @param name as it was asked for, its case kept */
const recordsOf = ({ type, ttl, values, alias }: RecordSet, name: string): Answer[] =>
  alias === undefined
    ? values.map((value) => recordOf(type, name, ttl, value))
    : [recordOf(type, name, ALIAS_TTL, HERE[type] ?? '')];

/** The sets of a name: its own, or those of the `*` that stands for it. Undefined where there is no such name. */
function setsOf(zone: Zone, name: string): RecordSet[] | undefined {
  const own = zone.sets.filter((set) => set.name === name);
  if (own.length > 0) return own;
  // A name that only others stand under is there, and empty.
  const exists = (at: string) => zone.sets.some((set) => set.name === at || set.name.endsWith(`.${at}`));
  if (exists(name)) return [];
  let above = name;
  do above = above.slice(above.indexOf('.') + 1);
  while (!exists(above));
  const wild = zone.sets.filter((set) => set.name === `*.${above}`);
  return wild.length > 0 ? wild : undefined;
}

/** The name servers that a part of the zone was given to, if the name is in such a part. */
function delegationOf(zone: Zone, name: string): RecordSet | undefined {
  return zone.sets.find(
    (set) => set.type === 'NS' && set.name !== zone.name && (name === set.name || name.endsWith(`.${set.name}`)),
  );
}

type Resolved = Pick<Packet, 'answers' | 'authorities' | 'flags'>;

/** What the zones say to one question (RFC 1034, 4.3.2): records, aliases followed, a referral, or that there is nothing. */
export function resolve(zoneOf: ZoneOf, asked: string, type: string): Resolved {
  const zone = zoneOf(asked.toLowerCase());
  if (!zone) return { flags: RCODE.REFUSED };
  const answers: Answer[] = [];
  const soa = zone.sets.filter((set) => set.type === 'SOA').flatMap((set) => recordsOf(set, zone.name));
  let name = asked;
  for (let followed = 0; followed <= ALIASES_MOST; followed += 1) {
    const key = name.toLowerCase();
    const delegation = delegationOf(zone, key);
    if (delegation) {
      const flags = answers.length > 0 ? AUTHORITATIVE_ANSWER : 0;
      return { answers, authorities: recordsOf(delegation, delegation.name), flags };
    }
    const sets = setsOf(zone, key);
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
    // Outside of this zone the asker goes on by itself.
    if (zoneOf(name.toLowerCase()) !== zone) return { answers, flags: AUTHORITATIVE_ANSWER };
  }
  return { answers, flags: AUTHORITATIVE_ANSWER };
}

/** Whether a name leads to a target: by an alias of its zone, or as another word for it over however many steps. */
export const leadsTo = (zoneOf: ZoneOf, name: string, target: string): boolean =>
  zoneOf(name)?.sets.some((set) => set.name === name && set.alias === target) ||
  (resolve(zoneOf, name, 'A').answers ?? []).some(
    (answer) => answer.type === 'CNAME' && answer.data.toLowerCase() === target,
  );
