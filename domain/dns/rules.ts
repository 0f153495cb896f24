import { isIPv4, isIPv6 } from 'node:net';
import { NAME_SERVER_LIMITS } from '../../contract/dns/limits.ts';
import type { addDnsRecord as AddRoute } from '../../contract/dns/records.ts';
import { entryOf } from '../../contract/enums.ts';
import { ApiError, invalidField } from '../../contract/errors.ts';
import { isDnsLabel, isDnsName, MAX_HOST_NAME_LENGTH } from '../../contract/host-names/host-names.ts';
import type { Input } from '../../contract/route.ts';
import type { DnsRecord } from '../../table/entities/dns.ts';
import { fitsRecordSet, NO_HOST, toZoneFileValue } from './zone-file.ts';

/**
 * Rules of DNS records. Contents are stored in a canonical form, so that equal records compare equal: names in
 * lower case without the trailing dot, IPv6 addresses in short form.
 */
export type RecordInput = Pick<Input<typeof AddRoute>, 'type' | 'name' | 'content' | 'ttl' | 'prio'>;
export type RecordFields = Pick<DnsRecord, 'type' | 'name' | 'content' | 'ttl' | 'prio'>;

/**
 * Returns a name relative to the domain. Instructions of other providers show absolute names, with or without a trailing dot. A name that
 * contains the domain is therefore absolute; a name with the domain twice is never intended.
 */
function toRelativeName(name: string, domain: string): string {
  const absolute = name.replace(/\.$/, '');
  if (absolute === domain) return '';
  return absolute.endsWith(`.${domain}`) ? absolute.slice(0, -domain.length - 1) : name;
}

/** Returns the name relative to the domain. Throws 400. */
function parseName(given: string, domain: string): string {
  const name = toRelativeName(given, domain);
  if (name === '') return name;
  const labels = name.split('.');
  for (const [index, label] of labels.entries()) {
    if (label === '*' && index === 0) continue;
    if (!isDnsLabel(label)) {
      throw invalidField(
        'name',
        'must be labels of letters, digits, - and _ (or * as the first), relative to the domain',
      );
    }
  }
  if (name.length + 1 + domain.length > MAX_HOST_NAME_LENGTH)
    throw invalidField('name', `is too long: with the domain at most ${MAX_HOST_NAME_LENGTH} characters`);
  return name;
}

/** Parses the host that a record points to. Throws 400. */
function parseTarget(text: string): string {
  const host = text.toLowerCase().replace(/\.$/, '');
  if (!isDnsName(host)) throw invalidField('content', 'must be a full host name, e.g. mail.example.net');
  return host;
}

/** Parses a server's host name, or {@link NO_HOST}. Throws 400. */
const parseServer = (text: string): string => (text === NO_HOST ? text : parseTarget(text));

const isNumber = (text: string, max: number) => /^(0|[1-9]\d{0,4})$/.test(text) && Number(text) <= max;

/** Parses `weight port target`; the priority is in `prio`. */
function parseSrv(text: string): string {
  const [weight = '', port = '', host = '', ...more] = text.split(' ');
  if (!isNumber(weight, 65_535) || !isNumber(port, 65_535) || more.length > 0 || host === '') {
    throw invalidField('content', 'must be "weight port target", e.g. 5 5060 sip.example.net');
  }
  return `${weight} ${port} ${parseServer(host)}`;
}

/** Tags that certificate authorities know (RFC 8659, 8657, 9495), and the syntax of their values. */
const CAA_VALUES: Record<string, RegExp> = {
  issue: /^[\x21-\x7e ]*$/,
  issuewild: /^[\x21-\x7e ]*$/,
  issuemail: /^[\x21-\x7e ]*$/,
  issuevmc: /^[\x21-\x7e ]*$/,
  iodef: /^(mailto:|https?:\/\/)[\x21-\x7e]+$/,
  contactemail: /^[\x21-\x7e]+@[\x21-\x7e]+$/,
  contactphone: /^[+\d][\d ()-]*$/,
};

/** Parses `flags tag "value"`, with or without quotes around the value. */
function parseCaa(text: string): string {
  const expected = 'must be flags tag "value", e.g. 0 issue "letsencrypt.org"';
  const [, flags = '', tag = '', quoted, bare] = /^(\d+) ([A-Za-z0-9]+) (?:"([^"\\]*)"|([^"\\\s]+))$/.exec(text) ?? [];
  const value = quoted ?? bare;
  const known = entryOf(CAA_VALUES, tag.toLowerCase());
  if (value === undefined || !isNumber(flags, 255)) throw invalidField('content', expected);
  if (!known) throw invalidField('content', `has an unknown tag; there are ${Object.keys(CAA_VALUES).join(', ')}`);
  if (!known.test(value)) throw invalidField('content', expected);
  return `${flags} ${tag.toLowerCase()} "${value}"`;
}

function parseTxt(content: string): string {
  if (/\p{Cc}/u.test(content) || !content.isWellFormed())
    throw invalidField('content', 'must be text without control characters');
  if (/^".*"$/.test(content)) throw invalidField('content', 'must be given without quotes around it: we add them');
  return content;
}

function parseIpv4(content: string): string {
  if (!isIPv4(content)) throw invalidField('content', 'must be an IPv4 address, e.g. 192.0.2.1');
  return content;
}

function parseIpv6(content: string): string {
  if (!isIPv6(content) || content.includes('%'))
    throw invalidField('content', 'must be an IPv6 address, e.g. 2001:db8::1');
  return new URL(`http://[${content}]`).hostname.slice(1, -1);
}

const CONTENTS: Record<DnsRecord['type'], (content: string) => string> = {
  A: parseIpv4,
  AAAA: parseIpv6,
  CNAME: parseTarget,
  NS: parseTarget,
  MX: parseServer,
  SRV: parseSrv,
  CAA: parseCaa,
  TXT: parseTxt,
};

/** Validates a record and returns its fields in canonical form. Throws 400 naming the field. */
export function parseRecord(input: RecordInput, domain: string): RecordFields {
  const { type, ttl, prio } = input;
  const name = parseName(input.name, domain);
  if (type === 'CNAME' && name === '') {
    throw invalidField('name', 'must be below the domain for a CNAME, which is not allowed at the zone apex');
  }
  if (type === 'NS' && name === '')
    throw invalidField(
      'name',
      "must be below the domain for an NS record: the domain's own name servers are the platform's",
    );
  if (type === 'NS' && name.startsWith('*')) throw invalidField('name', 'must not be * for an NS record');
  const ranked = type === 'MX' || type === 'SRV';
  if (ranked && prio === undefined) throw invalidField('prio', `is required for ${type}`);
  if (type === 'MX' && input.content.trim() === NO_HOST && prio !== 0) {
    throw invalidField('prio', 'must be 0 if the content is ., which means that the name accepts no mail');
  }
  const fields = { type, name, content: CONTENTS[type](input.content.trim()), ttl, prio: ranked ? (prio ?? 0) : 0 };
  if (type === 'CNAME' && fields.content === `${name}.${domain}`.toLowerCase())
    throw invalidField('content', 'must be another name than the record’s own');
  if (fields.content === '') throw invalidField('content', 'must not be empty');
  const { valueCharacters } = NAME_SERVER_LIMITS;
  if (toZoneFileValue(fields).length > valueCharacters) {
    throw invalidField(
      'content',
      `is too long for the name servers, which accept ${valueCharacters} characters; a quote, a backslash and each byte of a character outside of ASCII count as four`,
    );
  }
  return fields;
}

/** Throws 409 if a record duplicates or contradicts another record of the domain, or exceeds the limits of its record set. */
export function assertNoConflict(record: RecordFields, others: readonly DnsRecord[]): void {
  const sameName = others.filter(({ name }) => name === record.name);
  const same = (other: DnsRecord) =>
    other.type === record.type && other.content === record.content && other.prio === record.prio;
  if (sameName.some(same)) throw new ApiError('conflict', 'This record already exists.');
  const breaksCname = record.type === 'CNAME' ? sameName.length > 0 : sameName.some(({ type }) => type === 'CNAME');
  if (breaksCname) throw new ApiError('conflict', 'A CNAME cannot coexist with other records of the same name.');
  const set = [...sameName.filter(({ type }) => type === record.type), record];
  if (record.type === 'MX' && set.length > 1 && set.some(({ content }) => content === NO_HOST)) {
    throw new ApiError(
      'conflict',
      'An MX record of . (no mail) cannot coexist with other MX records of the same name.',
    );
  }
  if (!fitsRecordSet(set.map(toZoneFileValue))) {
    const { setValues, requestCharacters } = NAME_SERVER_LIMITS;
    throw new ApiError(
      'conflict',
      `The ${record.type} records of one name are limited to ${setValues}, with ${requestCharacters} characters in total. Delete some first, or use another name.`,
    );
  }
}
