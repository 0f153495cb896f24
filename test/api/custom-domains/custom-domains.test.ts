import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createApp, deleteApp, getApp } from '../../../contract/apps/apps.ts';
import {
  checkCustomDomain,
  getCustomDomain,
  removeCustomDomain,
  setCustomDomain,
} from '../../../contract/custom-domains/custom-domains.ts';
import { addDnsRecord } from '../../../contract/dns/records.ts';
import { openDomain } from '../../domains.ts';
import { get } from '../../support/browse.ts';
import { codeOf, local, newAccount, type Opened, until } from '../../support/harness.ts';

const anyName = (ending: string) => `shop-${randomBytes(5).toString('hex')}.${ending}`;
const create = (account: Opened, customDomain?: string) =>
  account.call(createApp, { body: { name: 'Shop', framework: 'NODE', ...(customDomain ? { customDomain } : {}) } });
const read = (account: Opened, id: string) => account.dashboard.call(getCustomDomain, { params: { id } });
const check = (account: Opened, id: string) => account.dashboard.call(checkCustomDomain, { params: { id } });
const set = (account: Opened, id: string, domain: string) =>
  account.dashboard.call(setCustomDomain, { params: { id }, body: { domain } });
const remove = (account: Opened, id: string) => account.dashboard.call(removeCustomDomain, { params: { id } });
const pageOf = async (host: string) => (await get(local.baseUrl, host)).body;
const PLACEHOLDER = /has not been deployed yet/;

test('a domain that is not proven is claimed and shown, but not answered for', async () => {
  const account = await newAccount();
  const domain = anyName('co.za');
  const { id, slug, primaryDomain } = (await create(account, domain)).body.data;
  const address = local.environment.DOOR_ADDRESS;
  expect(primaryDomain).toBe(domain);
  const { data } = (await read(account, id)).body;
  expect(data).toEqual({
    ...{ domain, status: 'PENDING', problem: null, checkedAt: null, claimedUntil: expect.any(String) },
    challenge: { type: 'TXT', name: `_hosting-challenge.${domain}`, value: expect.stringMatching(/^[0-9a-f]{40}$/) },
    target: { type: 'CNAME', name: domain, value: address },
    certificate: null,
  });
  await until(async () => PLACEHOLDER.test(await pageOf(`${slug}.apps.localhost`)));
  expect(await pageOf(domain)).not.toMatch(PLACEHOLDER);
  expect((await check(account, id)).body.data).toMatchObject({
    ...{ status: 'PENDING', problem: expect.stringContaining(domain), checkedAt: expect.any(String) },
    challenge: data.challenge,
  });
  expect(codeOf(await create(await newAccount(), domain))).toBe('conflict');
});

test('a name that nobody can own answers at once, and is free again with its application', async () => {
  const account = await newAccount();
  const domain = anyName('example');
  const { id } = (await create(account, domain)).body.data;
  expect((await read(account, id)).body.data).toMatchObject({
    ...{ status: 'VERIFIED', claimedUntil: null, certificate: null },
  });
  expect((await check(account, id)).body.data).toMatchObject({ status: 'VERIFIED', checkedAt: null });
  await until(async () => PLACEHOLDER.test(await pageOf(domain)));
  await account.call(deleteApp, { params: { id } });
  await until(async () => (await create(account, domain)).status === 201, 300);
});

test('without a domain of its own, or in another account, there is nothing to see or check', async () => {
  const [account, stranger] = await Promise.all([newAccount(), newAccount()]);
  const plain = (await create(account)).body.data.id;
  const { id } = (await create(account, anyName('co.za'))).body.data;
  for (const [who, which] of [
    [account, plain],
    [stranger, id],
    [account, 'app_none'],
  ] as const) {
    expect([(await read(who, which)).status, (await check(who, which)).status]).toEqual([404, 404]);
  }
  expect((await account.call(getApp, { params: { id } })).status).toBe(200);
});

test('a domain bought from us needs no proof and no record in its own account, and a TXT record in any other', async () => {
  const [owner, tenant] = await Promise.all([newAccount({ walletCents: 500_000 }), newAccount()]);
  const { domain } = await openDomain(owner);
  const own = (await create(owner, domain.name)).body.data.id;
  await until(async () => (await read(owner, own)).body.data.status === 'VERIFIED');
  await until(async () => PLACEHOLDER.test(await pageOf(domain.name)));
  await until(async () => (await read(owner, own)).body.data.certificate?.status === 'ISSUED', 300);

  const { id } = (await create(tenant, `shop.${domain.name}`)).body.data;
  const { challenge } = (await check(tenant, id)).body.data;
  expect(challenge.name).toBe(`_hosting-challenge.shop.${domain.name}`);
  const record = { type: 'TXT' as const, name: '_hosting-challenge.shop', content: challenge.value };
  expect((await owner.call(addDnsRecord, { params: { id: domain.id }, body: record })).status).toBe(201);
  const { data } = await until(async () => {
    const { body } = await check(tenant, id);
    return body.data.status === 'VERIFIED' && body;
  });
  expect(data).toMatchObject({ problem: null, checkedAt: expect.any(String) });
  await until(async () => PLACEHOLDER.test(await pageOf(`shop.${domain.name}`)));
}, 60_000);

test('an application gets a domain later, lets it go, and gets another', async () => {
  const [account, stranger] = await Promise.all([newAccount(), newAccount()]);
  const { id, slug } = (await create(account)).body.data;
  const primary = async () => (await account.call(getApp, { params: { id } })).body.data.primaryDomain;
  const [first, second] = [anyName('co.za'), anyName('example')];
  const given = await set(account, id, ` ${first.toUpperCase()} `);
  expect(given.body.data).toMatchObject({ domain: first, status: 'PENDING', certificate: null });
  expect((await set(account, id, first)).body).toEqual(given.body);
  expect(await primary()).toBe(first);
  expect(codeOf(await set(account, id, second))).toBe('conflict');
  expect(codeOf(await create(stranger, first))).toBe('conflict');
  expect((await remove(account, id)).body.data).toEqual({ domain: first, removed: true });
  expect([(await read(account, id)).status, (await remove(account, id)).status]).toEqual([404, 404]);
  expect(await primary()).toBe(`${slug}.apps.localhost`);
  expect((await create(stranger, first)).status).toBe(201);
  expect(codeOf(await set(account, id, first))).toBe('conflict');

  expect((await set(account, id, second)).body.data).toMatchObject({ domain: second, status: 'VERIFIED' });
  await until(async () => PLACEHOLDER.test(await pageOf(second)));
  await remove(account, id);
  await until(async () => !PLACEHOLDER.test(await pageOf(second)));
  expect(await pageOf(`${slug}.apps.localhost`)).toMatch(PLACEHOLDER);
});

test('a domain that is given later is held to what one at creation is held to, and to its own application', async () => {
  const [account, stranger] = await Promise.all([newAccount(), newAccount()]);
  const { id, slug } = (await create(account)).body.data;
  for (const domain of [
    '',
    'no',
    'https://a.co.za',
    'a b.co.za',
    '*.a.co.za',
    `${slug}.apps.localhost`,
    'apps.localhost',
  ]) {
    const answer = await set(account, id, domain);
    expect([answer.status, answer.error?.message], domain).toEqual([400, expect.stringMatching(/^domain: /)]);
  }
  expect((await set(stranger, id, anyName('co.za'))).status).toBe(404);
  expect((await remove(stranger, id)).status).toBe(404);
  const domain = anyName('co.za');
  const racing = (await create(account)).body.data.id;
  const answers = await Promise.all([set(account, id, domain), set(account, racing, domain)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
});

test('a domain bought from us that is given later needs no proof', async () => {
  const owner = await newAccount({ walletCents: 500_000 });
  const [{ domain }, { id }] = await Promise.all([openDomain(owner), create(owner).then(({ body }) => body.data)]);
  await set(owner, id, domain.name);
  await until(async () => (await read(owner, id)).body.data.certificate?.status === 'ISSUED', 300);
  await until(async () => PLACEHOLDER.test(await pageOf(domain.name)));
}, 60_000);
