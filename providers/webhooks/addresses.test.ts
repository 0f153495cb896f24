import { describe, expect, test } from 'vitest';
import { isLoopback, isPublic, isPublicName, NOT_PUBLIC, parseHost } from './addresses.ts';

/** Published list of addresses with their expected classification, so that others can test against the same. */
const REFUSED = [
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '10.255.255.255',
  '100.64.0.1',
  '100.127.255.255',
  '127.0.0.1',
  '127.255.255.254',
  '169.254.169.254',
  '169.254.170.2',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.1',
  '192.0.0.170',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.0.1',
  '192.168.255.255',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.7',
  '203.0.113.9',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::127.0.0.1',
  '::ffff:127.0.0.1',
  '::ffff:10.0.0.1',
  '::ffff:8.8.8.8',
  '::ffff:7f00:1',
  '::ffff:0:127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b::10.0.0.1',
  '64:ff9b:1::1',
  '100::1',
  '2001::1',
  '2001:0:4136:e378:8000:63bf:3fff:fdd2',
  '2001:db8::1',
  '2002:7f00:1::',
  '2002:a00:1::1',
  '3fff::1',
  '5f00::1',
  'fc00::1',
  'fd00:ec2::254',
  'fdff::1',
  'fe80::1',
  'fe80::1%eth0',
  'febf::1',
  'fec0::1',
  'ff02::1',
  '',
  'example.com',
  '1.2.3',
  '999.1.1.1',
  '0x7f.1',
];
const ALLOWED = [
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.1',
  '169.253.255.255',
  '169.255.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.0.1.1',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '41.76.108.46',
  '2606:4700:4700::1111',
  '2001:4860:4860::8888',
  '2a00:1450:4001::1',
  '2c0f:fb50:4003::1',
  '2003::1',
];

test.each(REFUSED)('rejects %s', (address) => expect(isPublic(address)).toBe(false));
test.each(ALLOWED)('allows %s', (address) => expect(isPublic(address)).toBe(true));

test('every range of the table rejects its first address', () => {
  for (const [network] of NOT_PUBLIC) expect(isPublic(network), network).toBe(false);
});

test('loopback is 127/8 and ::1, in any notation', () => {
  expect(['127.0.0.1', '127.1.2.3', '::1'].every(isLoopback)).toBe(true);
  expect(['::ffff:127.0.0.1', '0.0.0.0', '10.0.0.1', '::', 'localhost'].some(isLoopback)).toBe(false);
});

describe('recognizes an address in any notation of a URL', () => {
  test.each(['2130706433', '0x7f000001', '0177.0.0.1', '127.1', '0x7f.1', '127.0.0.1.', '[::ffff:127.0.0.1]', '[::1]'])(
    'https://%s/',
    (host) => expect(isPublic(parseHost(new URL(`https://${host}/`)))).toBe(false),
  );
});

test.each([
  'localhost',
  'a.localhost',
  'printer',
  'nas.local',
  'db.internal',
  'router.lan',
  'x.home.arpa',
  '-a.com',
  'a..b',
])('rejects the name %s', (name) => expect(isPublicName(name)).toBe(false));
test.each(['example.com', 'a.b.co.za', 'xn--bcher-kva.example', 'my_host.example.org', 'not-there.invalid'])(
  'allows the name %s',
  (name) => expect(isPublicName(name)).toBe(true),
);
