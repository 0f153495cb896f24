import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AbsoluteHostName, HostName, isDnsName, isHostName, isRegistrable } from './host-names.ts';

const label = (length: number) => 'a'.repeat(length);

test.each([
  'example.com',
  'a.b',
  'shop.1a',
  'xn--mnchen-3ya.de',
  '1.2.3.x4',
  'r3---sn.example.net',
  `${label(63)}.example`,
  `${label(63)}.${label(63)}.${label(63)}.${label(61)}`,
])('%s is a host name', (name) => {
  expect([isHostName(name), isDnsName(name)]).toEqual([true, true]);
});

test.each([
  '',
  'example',
  '.example.com',
  'example.com.',
  'example..com',
  '-a.example.com',
  'a-.example.com',
  'a.-com',
  'Example.com',
  'münchen.de',
  'example .com',
  'example.com\n',
  '192.0.2.1',
  'shop.1',
  'shop.0x1f',
  'shop.0x',
  '*.example.com',
  `${label(64)}.example`,
  `${label(63)}.${label(63)}.${label(63)}.${label(62)}`,
])('%j is no host name', (name) => {
  expect([isHostName(name), isDnsName(name)]).toEqual([false, false]);
});

test('an underscore makes a DNS name, and no host name', () => {
  for (const name of ['_dmarc.example.com', 'my_host.example.org', 'a._tcp'])
    expect([isHostName(name), isDnsName(name)]).toEqual([false, true]);
});

test('only plain labels can be registered', () => {
  expect(['shop', 'my-shop', '1'].map(isRegistrable)).toEqual([true, true, true]);
  expect(['', '-shop', 'my.shop', 'my_shop', 'xn--mnchen-3ya', label(64)].some(isRegistrable)).toBe(false);
});

/** Texts that are host names, and texts that are nearly ones. */
const nearly = fc
  .array(fc.stringMatching(/^[a-z0-9_-]{0,12}$/), { minLength: 1, maxLength: 5 })
  .map((labels) => labels.join('.'));
const isPlain = (name: string) => !name.includes('xn--');

describe('properties', () => {
  test('a URL points to exactly the host name that it was made with', () => {
    fc.assert(
      fc.property(nearly.filter(isPlain), (name) => {
        if (!isDnsName(name)) return;
        expect(new URL(`https://${name}/`).hostname).toBe(name);
      }),
      { numRuns: 2000 },
    );
  });

  test('a host name is a DNS name, and stays a host name below another label', () => {
    fc.assert(
      fc.property(nearly, (name) => {
        if (!isHostName(name)) return;
        expect([isDnsName(name), isHostName(`www.${name}`)]).toEqual([true, true]);
      }),
    );
  });

  test('no other character makes a host name', () => {
    const other = fc
      .string({ unit: 'binary', minLength: 1, maxLength: 3 })
      .filter((text) => !/^[a-z0-9.-]*$/.test(text));
    fc.assert(
      fc.property(other, fc.constantFrom(0, 3, 7, 11), (text, at) => {
        const name = `${'example.com'.slice(0, at)}${text}${'example.com'.slice(at)}`;
        expect(isHostName(name)).toBe(false);
      }),
    );
  });
});

test('a host name is read in lower case and without the space around it', () => {
  expect(HostName().parse(' Shop.Example.COM ')).toBe('shop.example.com');
  expect(HostName().safeParse('shop.example.com.').success).toBe(false);
});

test('an absolute host name is read without the dot at its end', () => {
  const schema = AbsoluteHostName();
  expect(schema.parse('NS1.example.net.')).toBe('ns1.example.net');
  expect(schema.safeParse('ns1.example.net..').success).toBe(false);
});
