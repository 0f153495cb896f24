import { expect, test } from 'vitest';
import { networkOf } from './client-network.ts';

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['1::3:4:5:6:7:8', '1:0:3:4::/64'],
  ['2001:db8::ffff:192.0.2.1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::ffff:192.10.2.1', '192.10.2.1'],
  ['::ffff:c000:201', '192.0.2.1'],
  ['1::2.3.4.5', '1:0:0:0::/64'],
  ['', ''],
  ['nonsense', 'nonsense'],
])('the network of %j is %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});

test('addresses in one IPv6 network are one client, and addresses in different networks are not', () => {
  const of = (last: string) => networkOf(`2001:db8:aaaa:bbbb:${last}`);
  expect(new Set(['1:2:3:4', 'ffff:ffff:ffff:ffff', ':1'].map(of)).size).toBe(1);
  expect(networkOf('2001:db8:aaaa:bbbc::1')).not.toBe(of(':1'));
});
