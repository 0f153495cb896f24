import { NAME_SERVER_LIMITS } from '../../contract/dns/limits.ts';
import type { DnsRecord } from '../../table/entities/dns.ts';

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

/**
 * The host of a service that there is not: the content of an MX record of a name that accepts no mail, with priority 0 and alone (RFC 7505,
 * section 3), and the target of an SRV record (RFC 2782).
 */
export const NO_HOST = '.';

/** A record's value in the notation of zone files: names end in a dot, priorities stand inside, texts are quoted. */
export function toZoneFileValue({ type, content, prio }: Pick<DnsRecord, 'type' | 'content' | 'prio'>): string {
  switch (type) {
    case 'CNAME':
    case 'NS':
      return `${content}.`;
    case 'MX':
    case 'SRV': {
      const isNone = content.split(' ').at(-1) === NO_HOST;
      return `${prio} ${content}${isNone ? '' : '.'}`;
    }
    case 'TXT':
      return quoteText(content);
    default:
      return content;
  }
}

/** Returns true for values that the name servers accept as one record set. */
export const fitsRecordSet = (values: readonly string[]): boolean =>
  values.length <= NAME_SERVER_LIMITS.setValues &&
  values.every((value) => value.length <= NAME_SERVER_LIMITS.valueCharacters) &&
  values.reduce((sum, value) => sum + value.length, 0) <= NAME_SERVER_LIMITS.requestCharacters;
