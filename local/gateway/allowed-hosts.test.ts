import { expect, test } from 'vitest';
import { createHostCheck } from './allowed-hosts.ts';

const OWN = [undefined, '', 'localhost', 'LOCALHOST:4000', 'shop.apps.localhost:4000', 'localhost.', '127.0.0.1:4000'];
const FOREIGN = ['evil.example', 'evil.example:4000', 'localhost.evil.example', '127.0.0.1.evil.example', 'xlocalhost'];

test.each([...OWN, '127.1.2.3', '[::1]:4000', '[::1]'])('the host %j is allowed', (host) => {
  expect(createHostCheck()(host)).toBe(true);
});

test.each([
  ...FOREIGN,
  '192.0.2.2:4000',
  '[2001:db8::1]:4000',
  '0.0.0.0',
  '0x7f.1',
  '2130706433',
  'evil.example:80:80',
  'a b',
])('the host %j is refused', (host) => {
  expect(createHostCheck()(host)).toBe(false);
});

test.each(['0.0.0.0', '192.0.2.2', '::', 'laptop.home'])('with HOST=%s addresses are allowed too', (listensAt) => {
  const isAllowed = createHostCheck(listensAt);
  expect(
    [
      ...OWN,
      '192.0.2.2:4000',
      '[2001:db8::1]:4000',
      `${listensAt.includes(':') ? `[${listensAt}]` : listensAt}:1`,
    ].filter((host) => !isAllowed(host)),
  ).toEqual([]);
  expect(FOREIGN.filter(isAllowed)).toEqual([]);
});
