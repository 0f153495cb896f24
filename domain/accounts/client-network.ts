import { isIPv6 } from 'node:net';

/** 16-bit groups in the network part of an IPv6 address, which has 64 bits. */
const NETWORK_GROUPS = 4;
const GROUPS = 8;

/** Parses the eight groups of an IPv6 address. Ignores its zone. */
function groupsOf(address: string): number[] {
  const [plain = ''] = address.split('%');
  // An address may end in an IPv4 address, which is two groups.
  const hexadecimal = plain.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, a, b, c, d) =>
    [Number(a) * 256 + Number(b), Number(c) * 256 + Number(d)].map((group) => group.toString(16)).join(':'),
  );
  const [before = '', after] = hexadecimal.split('::');
  const parse = (part: string) => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)));
  const [head, tail] = [parse(before), parse(after ?? '')];
  return [...head, ...Array<number>(Math.max(0, GROUPS - head.length - tail.length)).fill(0), ...tail];
}

/**
 * Returns the network by which a client's unauthenticated requests are counted: an IPv4 address, or the first 64 bits of
 * an IPv6 address. A household or a server usually has a whole /64 network, so a limit for a single IPv6 address would have no
 * effect. Other text is returned unchanged.
 */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const groups = groupsOf(address);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (isMapped)
    return groups
      .slice(6)
      .flatMap((group) => [group >> 8, group & 255])
      .join('.');
  return `${groups
    .slice(0, NETWORK_GROUPS)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}
