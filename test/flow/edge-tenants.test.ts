import { Resolver } from 'node:dns/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { createApp, deleteApp, getApp } from '../../contract/apps/apps.ts';
import {
  checkCustomDomain,
  getCustomDomain,
  removeCustomDomain,
} from '../../contract/custom-domains/custom-domains.ts';
import { addDnsRecord, deleteDnsRecord, listDnsRecords } from '../../contract/dns/records.ts';
import { openDomain } from '../domains.ts';
import { get } from '../support/browse.ts';
import { codeOf, local, newAccount, type Opened, until } from '../support/harness.ts';

const address = String(local.environment.DOOR_ADDRESS);
let owner: Opened;
let domain: { id: string; name: string };

beforeAll(async () => {
  owner = await newAccount({ walletCents: 500_000 });
  domain = (await openDomain(owner)).domain;
});

const create = (account: Opened, customDomain: string) =>
  account.call(createApp, { body: { name: 'Shop', framework: 'NODE', customDomain } });
const record = async (type: 'TXT' | 'CNAME', name: string, content: string) => {
  const answer = await owner.call(addDnsRecord, { params: { id: domain.id }, body: { type, name, content } });
  expect(answer.status).toBe(201);
};

/** An application of another account's whose domain is below the owner's, proven by a TXT record. */
async function proven(label: string) {
  const tenant = await newAccount();
  const host = `${label}.${domain.name}`;
  const { id } = (await create(tenant, host)).body.data;
  const read = async () => (await tenant.dashboard.call(getCustomDomain, { params: { id } })).body.data;
  const check = async () => (await tenant.dashboard.call(checkCustomDomain, { params: { id } })).body.data;
  await record('TXT', `_hosting-challenge.${label}`, (await read()).challenge.value);
  await until(async () => (await check()).status === 'VERIFIED');
  return { tenant, host, id, read, check };
}

/** What CloudFront has for a domain: nothing, or whether visitors are let in. */
async function edge(host: string): Promise<'nothing' | 'inactive' | 'active' | undefined> {
  const found = await fetch(
    `${local.environment.AWS_ENDPOINT_URL_CLOUDFRONT}/2020-05-31/distribution-tenant?domain=${host}`,
  );
  if (found.status === 404) return 'nothing';
  return /<Status>(inactive|active)</.exec(await found.text())?.[1] as 'inactive' | 'active' | undefined;
}

test('a proven domain waits for its CNAME, gets its certificate, lets visitors in, and is given up with its application', async () => {
  const { tenant, host, id, read, check } = await proven('shop');
  const waiting = await until(async () => {
    const data = await read();
    return data.certificate?.checkedAt ? data : undefined;
  });
  expect(waiting).toMatchObject({
    target: { type: 'CNAME', name: host, value: address },
    certificate: { status: 'WAITING', problem: expect.stringContaining(`${host} leads nowhere yet`) },
  });
  expect(await edge(host)).toBe('nothing');

  await record('CNAME', 'shop', address);
  await until(async () => (await check()).certificate?.status !== 'WAITING', 500);
  await until(async () => (await read()).certificate?.status === 'ISSUED');
  expect((await read()).certificate).toEqual({ status: 'ISSUED', problem: null, checkedAt: expect.any(String) });
  expect(await edge(host)).toBe('active');
  expect((await get(local.baseUrl, host)).body).toContain('has not been deployed yet');

  await tenant.call(deleteApp, { params: { id } });
  expect(codeOf(await create(await newAccount(), host))).toBe('conflict');
  await until(async () => (await edge(host)) === 'nothing');
  await until(async () => (await create(await newAccount(), host)).status === 201, 300);
}, 90_000);

describe('a certificate that cannot be had', () => {
  test.concurrent.each([
    ['taken-shop', /CloudFront answers for .* already/, 'nothing'],
    ['refused-shop', /No certificate was issued .* CAA/, 'inactive'],
    ['silent-shop', /looked at for three days/, 'inactive'],
  ] as const)(
    '%s: its owner is told why, and deleting the application leaves nothing',
    async (label, why, left) => {
      const { tenant, host, id, check } = await proven(label);
      await record('CNAME', label, address);
      // Asking tries anew, so that a look right after it may find it pending again: the answer itself counts.
      const { problem } = await until(async () => {
        const { certificate } = await check();
        return certificate?.status === 'FAILED' && certificate;
      }, 500);
      expect(problem).toMatch(why);
      expect(await edge(host)).toBe(left);
      await tenant.call(deleteApp, { params: { id } });
      await until(async () => (await edge(host)) === 'nothing');
      await until(async () => (await create(await newAccount(), host)).status === 201, 300);
    },
    90_000,
  );
});

test("in its owner's own zone with us a domain is led here by itself, unless the owner's records lead it elsewhere", async () => {
  const host = `own.${domain.name}`;
  await record('CNAME', 'own', 'old-host.example.net');
  const { id } = (await create(owner, host)).body.data;
  const read = async () => (await owner.dashboard.call(getCustomDomain, { params: { id } })).body.data;
  const { certificate } = await until(async () => {
    const data = await read();
    return data.certificate?.problem ? data : undefined;
  });
  expect(certificate).toMatchObject({ status: 'WAITING', problem: expect.stringMatching(/old-host.* DNS is ours/) });
  const { data } = (await owner.call(listDnsRecords, { params: { id: domain.id } })).body;
  const recordId = String(data.find(({ name, type }) => name === 'own' && type === 'CNAME')?.id);
  await owner.call(deleteDnsRecord, { params: { id: domain.id, recordId } });
  await until(async () => {
    await owner.dashboard.call(checkCustomDomain, { params: { id } });
    return (await read()).certificate?.status === 'ISSUED';
  }, 1000);
  const resolver = new Resolver();
  resolver.setServers([`${local.dns.host}:${local.dns.port}`]);
  expect(await resolver.resolve4(host)).toEqual(['127.0.0.1']);
  await owner.call(deleteApp, { params: { id } });
  await until(async () => (await edge(host)) === 'nothing');
  await until(async () => (await resolver.resolve4(host).catch(() => [])).length === 0);
}, 90_000);

test('a domain that is let go of is free when its door has closed, and its application answers on', async () => {
  const { tenant, host, id, read, check } = await proven('let-go');
  await record('CNAME', 'let-go', address);
  await until(async () => (await check()).certificate?.status !== 'WAITING', 500);
  await until(async () => (await read()).certificate?.status === 'ISSUED');
  const removed = await tenant.dashboard.call(removeCustomDomain, { params: { id } });
  expect(removed.body.data).toEqual({ domain: host, removed: true });
  expect(codeOf(await create(owner, host))).toBe('conflict');
  await until(async () => (await edge(host)) === 'nothing');
  const anew = await until(async () => {
    const answer = await create(owner, host);
    return answer.status === 201 && answer.body.data;
  }, 300);
  await until(async () => (await get(local.baseUrl, host)).body.includes('has not been deployed yet'));
  await owner.call(deleteApp, { params: { id: anew.id } });
  const { slug } = (await tenant.call(getApp, { params: { id } })).body.data;
  expect((await get(local.baseUrl, `${slug}.apps.localhost`)).status).toBe(200);
}, 90_000);

test('a domain that leads elsewhere is told where to, and makes nothing at the edge', async () => {
  const { host, read, check } = await proven('old');
  await record('CNAME', 'old', 'old-host.example.net');
  const { certificate } = await until(async () => {
    await check();
    const data = await read();
    return data.certificate?.problem?.includes('old-host') ? data : undefined;
  }, 500);
  expect(certificate).toMatchObject({
    status: 'WAITING',
    problem: expect.stringContaining(`has to lead to ${address}`),
  });
  expect(await edge(host)).toBe('nothing');
}, 60_000);
