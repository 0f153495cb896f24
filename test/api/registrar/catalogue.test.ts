import { expect, test } from 'vitest';
import { checkDomain, listDomainPrices } from '../../../contract/registrar/catalogue.ts';
import { setTlds, tldsOnSale } from '../../../domain/registrar/tlds.ts';
import { clientOf, codeOf, local, newAccount, platformDeps, raw } from '../../support/harness.ts';
import { inMemory } from '../../support/memory-table.ts';

const { restrictedPublic } = local.accounts.demo;

test('prices are numbers, one per featured TLD, readable with a public key', async () => {
  const { publicKey } = await newAccount();
  const { data } = (await clientOf({ publicKey }).call(listDomainPrices)).body;
  expect(data.map(({ tld }) => tld)).toEqual(
    expect.arrayContaining(['co.za', 'com', 'net', 'org', 'africa', 'io', 'dev']),
  );
  for (const entry of data) expect(Object.keys(entry)).toEqual(['tld', 'registration', 'renewal', 'transfer']);
});

test('a full domain comes first with its price, followed by the same name under the other featured TLDs', async () => {
  const { publicKey } = await newAccount();
  const client = clientOf({ publicKey });
  const prices = (await client.call(listDomainPrices)).body.data;
  const { data } = (await client.call(checkDomain, { query: { q: 'My-Shop.CO.ZA' } })).body;
  expect(data[0]).toEqual({ domain: 'my-shop.co.za', available: true, premium: false, price: prices[0]?.registration });
  expect(data.map(({ domain }) => domain).sort()).toEqual(prices.map(({ tld }) => `my-shop.${tld}`).sort());
});

test('a bare label is checked under every featured TLD', async () => {
  const account = await newAccount();
  const { data } = (await account.call(checkDomain, { query: { q: ' bare-label ' } })).body;
  expect(data.length).toBeGreaterThan(5);
  for (const each of data) expect(each).toMatchObject({ available: true, premium: false, price: expect.any(Number) });
});

test('checks a TLD beyond the featured ones too', async () => {
  const account = await newAccount();
  const { data } = (await account.call(checkDomain, { query: { q: 'my-shop.xyz' } })).body;
  expect(data[0]).toMatchObject({ domain: 'my-shop.xyz', available: true });
});

test.each([
  ['taken-name.com', { available: false, premium: false }],
  ['premium-name.com', { available: true, premium: true }],
])('%s is %o', async (q, expected) => {
  const account = await newAccount();
  expect((await account.call(checkDomain, { query: { q } })).body.data[0]).toMatchObject(expected);
});

test.each([
  ['nothing', ''],
  ['spaces alone', '   '],
  ['an extension that is not sold', 'example.invalid'],
  ['an extension of an extension', 'example.org.za'],
  ['a host in a domain', 'www.example.co.za'],
  ['an extension alone', 'co.za'],
  ['a leading dot', '.co.za'],
  ['a trailing dot', 'example.com.'],
  ['two dots', 'example..com'],
  ['a leading hyphen', '-example'],
  ['a trailing hyphen', 'example-.com'],
  ['a space inside', 'my shop'],
  ['an underscore', 'my_shop.com'],
  ['a path', 'example.com/'],
  ['an address', '127.0.0.1'],
  ['a letter that is not ASCII', 'münchen.com'],
  ['punycode', 'xn--mnchen-3ya.com'],
  ['punycode without an extension', 'xn--mnchen-3ya'],
  ['a label of 64 characters', 'a'.repeat(64)],
  ['a name of 254 characters', `${'a'.repeat(250)}.com`],
])('%s is 400 and names q', async (_what, q) => {
  const account = await newAccount();
  const answer = await account.call(checkDomain, { query: { q } });
  expect([answer.status, codeOf(answer)]).toEqual([400, 'invalid_request']);
  expect(answer.error?.message).toMatch(/^q: /);
});

test('a missing q is 400', async () => {
  const { publicKey } = await newAccount();
  const answer = await raw('/v1/domains/check', { headers: { 'x-public-key': publicKey } });
  expect([answer.status, await answer.json()]).toMatchObject([400, { error: { message: 'q: is required' } }]);
});

test('no key is 401; a public key is 403 from another origin and works from its own', async () => {
  for (const path of ['/v1/domains/check?q=example', '/v1/domains/pricing']) {
    expect((await raw(path)).status).toBe(401);
    const from = (origin: string) => raw(path, { headers: { 'x-public-key': restrictedPublic.key, origin } });
    expect((await from('https://elsewhere.example')).status).toBe(403);
    const allowed = await from(restrictedPublic.origin);
    expect(allowed.status).toBe(200);
    expect(allowed.headers.get('access-control-allow-origin')).toBeTruthy();
    expect(allowed.headers.get('x-ratelimit-limit')).toBeTruthy();
  }
});

test('sells what operators offer, at their price, without a deployment', async () => {
  const deps = await platformDeps();
  const mine = inMemory(deps);
  const entry = { tld: 'joburg', registration: 149.5, renewal: 159, transfer: 0, featured: true, yearsAtOnce: 1 };
  await setTlds(mine, { extensions: [{ ...entry, privacy: false }] });
  expect(await tldsOnSale(mine)()).toEqual([{ ...entry, privacy: false }]);
  await setTlds(mine, {});
  expect((await tldsOnSale(mine)()).length).toBeGreaterThan(10);
});
