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
import { get } from '../../support/browse.ts';
import { readCustomDomain } from '../../support/custom-domain.ts';
import { registerDomain } from '../../support/domains.ts';
import { codeOf, local, newAccount, type OpenedAccount, waitFor } from '../../support/harness.ts';

const anyName = (ending: string) => `shop-${randomBytes(5).toString('hex')}.${ending}`;
const create = (account: OpenedAccount, customDomain?: string) =>
  account.call(createApp, { body: { name: 'Shop', framework: 'NODE', ...(customDomain ? { customDomain } : {}) } });
const read = (account: OpenedAccount, id: string) => account.dashboard.call(getCustomDomain, { params: { id } });
const check = (account: OpenedAccount, id: string) => account.dashboard.call(checkCustomDomain, { params: { id } });
const set = (account: OpenedAccount, id: string, domain: string) =>
  account.dashboard.call(setCustomDomain, { params: { id }, body: { domain } });
const remove = (account: OpenedAccount, id: string) => account.dashboard.call(removeCustomDomain, { params: { id } });
const pageOf = async (host: string) => (await get(local.baseUrl, host)).body;
const PLACEHOLDER = /has not been deployed yet/;

test('an unverified domain is claimed and shown, but does not serve', async () => {
  const account = await newAccount();
  const domain = anyName('co.za');
  const { id, slug, primaryDomain } = (await create(account, domain)).body.data;
  const address = local.environment.EDGE_ENDPOINT;
  expect(primaryDomain).toBe(domain);
  const data = await readCustomDomain(account, id);
  expect(data).toEqual({
    domain,
    status: 'PENDING',
    managed: false,
    problem: null,
    checkedAt: null,
    claimedUntil: expect.any(String),
    challenge: { type: 'TXT', name: `_hosting-challenge.${domain}`, value: expect.stringMatching(/^[0-9a-f]{40}$/) },
    target: { type: 'CNAME', name: domain, value: address },
    certificate: null,
  });
  await waitFor(async () => PLACEHOLDER.test(await pageOf(`${slug}.apps.localhost`)));
  expect(await pageOf(domain)).not.toMatch(PLACEHOLDER);
  expect((await check(account, id)).body.data).toMatchObject({
    status: 'PENDING',
    problem: expect.stringContaining(domain),
    checkedAt: expect.any(String),
    challenge: data.challenge,
  });
  expect(codeOf(await create(account, domain))).toBe('conflict');
  expect((await create(await newAccount(), domain)).status).toBe(201);
});

test('a name under a reserved TLD serves at once and is free again with its application', async () => {
  const account = await newAccount();
  const domain = anyName('example');
  const { id } = (await create(account, domain)).body.data;
  expect((await read(account, id)).body.data).toMatchObject({
    status: 'VERIFIED',
    claimedUntil: null,
    certificate: null,
  });
  expect((await check(account, id)).body.data).toMatchObject({ status: 'VERIFIED', checkedAt: null });
  await waitFor(async () => PLACEHOLDER.test(await pageOf(domain)));
  await account.call(deleteApp, { params: { id } });
  await waitFor(async () => (await create(account, domain)).status === 201, 300);
});

test('without a custom domain reading is null and checking 404; in another account both are 404', async () => {
  const [account, stranger] = await Promise.all([newAccount(), newAccount()]);
  const plain = (await create(account)).body.data.id;
  const { id } = (await create(account, anyName('co.za'))).body.data;
  for (const [who, which] of [
    [account, plain],
    [stranger, id],
    [account, 'app_none'],
  ] as const) {
    const { status, body } = await read(who, which);
    expect([status, (await check(who, which)).status]).toEqual([which === plain ? 200 : 404, 404]);
    if (which === plain) expect(body).toEqual({ data: null });
  }
  expect((await account.call(getApp, { params: { id } })).status).toBe(200);
});

test('a domain registered here needs no verification and no record in its own account, and a TXT record in any other', async () => {
  const [owner, tenant] = await Promise.all([newAccount({ walletCents: 500_000 }), newAccount()]);
  const { domain } = await registerDomain(owner);
  const own = (await create(owner, domain.name)).body.data.id;
  await waitFor(async () => (await readCustomDomain(owner, own)).status === 'VERIFIED');
  await waitFor(async () => PLACEHOLDER.test(await pageOf(domain.name)));
  await waitFor(async () => (await readCustomDomain(owner, own)).certificate?.status === 'ISSUED', 300);

  const { id } = (await create(tenant, `shop.${domain.name}`)).body.data;
  const { challenge } = (await check(tenant, id)).body.data;
  expect(challenge.name).toBe(`_hosting-challenge.shop.${domain.name}`);
  const record = { type: 'TXT' as const, name: '_hosting-challenge.shop', content: challenge.value };
  expect((await owner.call(addDnsRecord, { params: { id: domain.id }, body: record })).status).toBe(201);
  const { data } = await waitFor(async () => {
    const { body } = await check(tenant, id);
    return body.data.status === 'VERIFIED' && body;
  });
  expect(data).toMatchObject({ problem: null, checkedAt: expect.any(String) });
  await waitFor(async () => PLACEHOLDER.test(await pageOf(`shop.${domain.name}`)));
});

test('an application gets a custom domain later, removes it, and gets another', async () => {
  const [account, stranger] = await Promise.all([newAccount(), newAccount()]);
  const { id, slug } = (await create(account)).body.data;
  const primary = async () => (await account.call(getApp, { params: { id } })).body.data.primaryDomain;
  const [first, second] = [anyName('co.za'), anyName('example')];
  const given = await set(account, id, ` ${first.toUpperCase()} `);
  expect(given.body.data).toMatchObject({ domain: first, status: 'PENDING', certificate: null });
  expect((await set(account, id, first)).body).toEqual(given.body);
  expect(await primary()).toBe(first);
  expect(codeOf(await set(account, id, second))).toBe('conflict');
  expect((await create(stranger, first)).status).toBe(201);
  expect((await remove(account, id)).body.data).toEqual({ domain: first, removed: true });
  expect((await read(account, id)).body).toEqual({ data: null });
  expect((await remove(account, id)).status).toBe(404);
  expect(await primary()).toBe(`${slug}.apps.localhost`);
  expect((await create(account, first)).status).toBe(201);
  expect(codeOf(await set(account, id, first))).toBe('conflict');

  expect((await set(account, id, second)).body.data).toMatchObject({ domain: second, status: 'VERIFIED' });
  await waitFor(async () => PLACEHOLDER.test(await pageOf(second)));
  await remove(account, id);
  await waitFor(async () => !PLACEHOLDER.test(await pageOf(second)));
  expect(await pageOf(`${slug}.apps.localhost`)).toMatch(PLACEHOLDER);
});

test('a domain set later meets the same conditions as one set at creation and belongs to one application', async () => {
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

test('a domain registered here and set later needs no verification', async () => {
  const owner = await newAccount({ walletCents: 500_000 });
  const [{ domain }, { id }] = await Promise.all([registerDomain(owner), create(owner).then(({ body }) => body.data)]);
  await set(owner, id, domain.name);
  await waitFor(async () => (await readCustomDomain(owner, id)).certificate?.status === 'ISSUED', 300);
  await waitFor(async () => PLACEHOLDER.test(await pageOf(domain.name)));
});
