import { NAME_SERVER_LIMITS } from '../../contract/dns/limits.ts';
import type { DnsRecord } from '../../table/entities/dns.ts';

/** Quotes bytes. The quote, the backslash and bytes outside of printable ASCII become octal escapes. */
const quoteBytes = (bytes: Buffer): string =>
  `"${[...bytes]
    .map((byte) =>
      byte < 0x20 || byte > 0x7e || byte === 0x22 || byte === 0x5c
        ? `\\${byte.toString(8).padStart(3, '0')}`
        : String.fromCharCode(byte),
    )
    .join('')}"`;

/** Splits a text into quoted strings of at most 255 bytes. */
function quoteText(text: string): string {
  const bytes = Buffer.from(text);
  const parts: string[] = [];
  for (let from = 0; from < bytes.length; from += 255) parts.push(quoteBytes(bytes.subarray(from, from + 255)));
  return parts.join(' ');
}

/**
 * The host of a service that does not exist. As the content of a name's only MX record, with priority 0, it means that the name accepts no
 * mail (RFC 7505, section 3). It may also be the target of an SRV record (RFC 2782).
 */
export const NO_HOST = '.';

/** Returns a record's value in zone file notation: names end in a dot, the value includes the priority, texts are quoted. */
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

/** Returns true if the name servers accept the values as one record set. */
export const fitsRecordSet = (values: readonly string[]): boolean =>
  values.length <= NAME_SERVER_LIMITS.setValues &&
  values.every((value) => value.length <= NAME_SERVER_LIMITS.valueCharacters) &&
  values.reduce((sum, value) => sum + value.length, 0) <= NAME_SERVER_LIMITS.requestCharacters;
