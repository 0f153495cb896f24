import { isDnsName } from '../../contract/host-names/host-names.ts';

/**
 * Addresses to which webhooks are never sent: everything that is not public unicast, and every form that embeds another address. Test
 * vectors: providers/webhooks/addresses.test.ts. Source: IANA special-purpose registries (RFC 6890 and successors). The ranges include the
 * cloud metadata services at `169.254.169.254` and `fd00:ec2::254`.
 */
export const NOT_PUBLIC: readonly (readonly [network: string, prefix: number, description: string])[] = [
  ['0.0.0.0', 8, 'this network'],
  ['10.0.0.0', 8, 'private'],
  ['100.64.0.0', 10, 'carrier-grade NAT'],
  ['127.0.0.0', 8, 'loopback'],
  ['169.254.0.0', 16, 'link-local, metadata'],
  ['172.16.0.0', 12, 'private'],
  ['192.0.0.0', 24, 'protocol assignments'],
  ['192.0.2.0', 24, 'documentation'],
  ['192.31.196.0', 24, 'AS112'],
  ['192.52.193.0', 24, 'AMT'],
  ['192.88.99.0', 24, '6to4 relay'],
  ['192.168.0.0', 16, 'private'],
  ['192.175.48.0', 24, 'AS112'],
  ['198.18.0.0', 15, 'benchmarking'],
  ['198.51.100.0', 24, 'documentation'],
  ['203.0.113.0', 24, 'documentation'],
  ['224.0.0.0', 4, 'multicast'],
  ['240.0.0.0', 4, 'reserved, broadcast'],
  // Only 2000::/3 is public unicast. The special ranges outside of it are listed as documentation.
  ['::', 3, 'not unicast'],
  ['4000::', 2, 'not assigned'],
  ['8000::', 1, 'not assigned'],
  ['::', 96, 'unspecified, loopback, IPv4-compatible'],
  ['::ffff:0:0', 96, 'IPv4-mapped'],
  ['::ffff:0:0:0', 96, 'IPv4-translated'],
  ['64:ff9b::', 96, 'NAT64'],
  ['64:ff9b:1::', 48, 'NAT64, local'],
  ['100::', 64, 'discard'],
  ['2001::', 23, 'protocol assignments, Teredo'],
  ['2001:db8::', 32, 'documentation'],
  ['2002::', 16, '6to4'],
  ['2620:4f:8000::', 48, 'AS112'],
  ['3fff::', 20, 'documentation'],
  ['5f00::', 16, 'segment routing'],
  ['fc00::', 7, 'unique local, metadata'],
  ['fe80::', 10, 'link-local'],
  ['fec0::', 10, 'site-local'],
  ['ff00::', 8, 'multicast'],
];

/** Loads node:net, which takes 5 ms, at the first check and not in every function that imports this module. */
const net = () => process.getBuiltinModule('node:net');

/** Returns 4 or 6 for a literal address, otherwise 0. */
export const isIP = (text: string): number => net().isIP(text);
const addressFamily = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

function buildLists() {
  const { BlockList } = net();
  const notPublic = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const [network, prefix] of NOT_PUBLIC) {
    const family = addressFamily(network);
    notPublic[family].addSubnet(network, prefix, family);
  }
  const loopback = { ipv4: new BlockList(), ipv6: new BlockList() };
  loopback.ipv4.addSubnet('127.0.0.0', 8, 'ipv4');
  loopback.ipv6.addAddress('::1', 'ipv6');
  return { notPublic, loopback };
}
let built: ReturnType<typeof buildLists> | undefined;
const lists = () => {
  built ??= buildLists();
  return built;
};

/** Returns true for a loopback address: `127.0.0.0/8` or `::1`, but not for other forms that embed one. */
export const isLoopback = (address: string): boolean =>
  isIP(address) !== 0 && lists().loopback[addressFamily(address)].check(address, addressFamily(address));

/** Returns true if webhooks may be sent to an IP address. Returns false for a text that is not an address. */
export function isPublic(address: string): boolean {
  // A zone (`fe80::1%eth0`) names an interface of this machine.
  if (isIP(address) === 0 || address.includes('%')) return false;
  return !lists().notPublic[addressFamily(address)].check(address, addressFamily(address));
}

/** Returns the host of a URL as an address or a lower-case name, without brackets and trailing dot. */
export const parseHost = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');

/** Returns true for names that always denote this machine (RFC 6761). */
export const isLocalName = (name: string): boolean => name === 'localhost' || name.endsWith('.localhost');

/** Matches names that no public resolver knows. `.invalid` and similar names are harmless, because they never resolve. */
const PRIVATE_NAME = /(^|\.)(localhost|local|localdomain|internal|intranet|lan|home\.arpa)$/;

/** Returns true if a name can be public, whether or not it resolves yet. */
export const isPublicName = (name: string): boolean => isDnsName(name) && !PRIVATE_NAME.test(name);
