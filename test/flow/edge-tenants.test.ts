import { randomUUID } from 'node:crypto';
import { Resolver } from 'node:dns/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { createApp, deleteApp, getApp } from '../../contract/apps/apps.ts';
import { checkCustomDomain, removeCustomDomain } from '../../contract/custom-domains/custom-domains.ts';
import { addDnsRecord, deleteDnsRecord, listDnsRecords } from '../../contract/dns/records.ts';
import { get } from '../support/browse.ts';
import { readCustomDomain } from '../support/custom-domain.ts';
import { registerDomain } from '../support/domains.ts';
import { codeOf, local, newAccount, type OpenedAccount, waitFor } from '../support/harness.ts';

const address = String(local.environment.EDGE_ENDPOINT);
let owner: OpenedAccount;
let domain: { id: string; name: string };

beforeAll(async () => {
  owner = await newAccount({ walletCents: 500_000 });
  domain = (await registerDomain(owner)).domain;
});

const create = (account: OpenedAccount, customDomain: string) =>
  account.call(createApp, { body: { name: 'Shop', framework: 'NODE', customDomain } });
const record = async (type: 'TXT' | 'CNAME', name: string, content: string) => {
  const answer = await owner.call(addDnsRecord, { params: { id: domain.id }, body: { type, name, content } });
  expect(answer.status).toBe(201);
};

/** Returns a label with a prefix, which selects what becomes of its certificate; another for each attempt of a test. */
const labelOf = (prefix: string) => `${prefix}-${randomUUID().slice(0, 8)}`;

/** Creates an application of another account with a subdomain of the owner's domain, verified by a TXT record. */
async function createVerifiedApp(prefix: string) {
  const label = labelOf(prefix);
  const tenant = await newAccount();
  const host = `${label}.${domain.name}`;
  const { id } = (await create(tenant, host)).body.data;
  const read = () => readCustomDomain(tenant, id);
  const check = async () => (await tenant.dashboard.call(checkCustomDomain, { params: { id } })).body.data;
  await record('TXT', `_hosting-challenge.${label}`, (await read()).challenge.value);
  await waitFor(async () => (await check()).status === 'VERIFIED');
  return { tenant, label, host, id, read, check };
}

/** Returns the state of a domain's tenant at CloudFront, or `nothing` if there is none. */
async function tenantStatus(host: string): Promise<'nothing' | 'inactive' | 'active' | undefined> {
  const found = await fetch(
    `${local.environment.AWS_ENDPOINT_URL_CLOUDFRONT}/2020-05-31/distribution-tenant?domain=${host}`,
  );
  if (found.status === 404) return 'nothing';
  return /<Status>(inactive|active)</.exec(await found.text())?.[1] as 'inactive' | 'active' | undefined;
}

test.concurrent('a verified domain waits for its CNAME, gets its certificate, serves HTTPS, and is released with its application', async () => {
  const { tenant, label, host, id, read, check } = await createVerifiedApp('shop');
  const waiting = await waitFor(async () => {
    const data = await read();
    return data.certificate?.checkedAt ? data : undefined;
  });
  expect(waiting).toMatchObject({
    target: { type: 'CNAME', name: host, value: address },
    certificate: { status: 'WAITING', problem: expect.stringContaining(`${host} does not point anywhere yet`) },
  });
  expect(await tenantStatus(host)).toBe('nothing');

  await record('CNAME', label, address);
  await waitFor(async () => (await check()).certificate?.status !== 'WAITING', 500);
  await waitFor(async () => (await read()).certificate?.status === 'ISSUED');
  expect((await read()).certificate).toEqual({ status: 'ISSUED', problem: null, checkedAt: expect.any(String) });
  expect(await tenantStatus(host)).toBe('active');
  expect((await get(local.baseUrl, host)).body).toContain('has not been deployed yet');

  await tenant.call(deleteApp, { params: { id } });
  expect(codeOf(await create(await newAccount(), host))).toBe('conflict');
  await waitFor(async () => (await tenantStatus(host)) === 'nothing');
  await waitFor(async () => (await create(await newAccount(), host)).status === 201, 300);
});

describe('a certificate that cannot be issued', () => {
  test.concurrent.each([
    ['taken-shop', /Another Amazon CloudFront distribution uses/, 'nothing'],
    ['refused-shop', /No certificate was issued .* CAA/, 'inactive'],
    ['silent-shop', /validated for three days/, 'inactive'],
  ] as const)(
    '%s: the owner is told the reason, and deleting the application leaves nothing behind',
    async (prefix, why, left) => {
      const { tenant, label, host, id, check } = await createVerifiedApp(prefix);
      await record('CNAME', label, address);
      // A check requests the certificate again, so that a later read may find it pending: use the response of the check.
      const { problem } = await waitFor(async () => {
        const { certificate } = await check();
        return certificate?.status === 'FAILED' && certificate;
      }, 500);
      expect(problem).toMatch(why);
      expect(await tenantStatus(host)).toBe(left);
      await tenant.call(deleteApp, { params: { id } });
      await waitFor(async () => (await tenantStatus(host)) === 'nothing');
      await waitFor(async () => (await create(await newAccount(), host)).status === 201, 300);
    },
    120_000,
  );
});

test.concurrent("in a zone that we manage, a domain is pointed here automatically unless the owner's records point it elsewhere", async () => {
  const own = labelOf('own');
  const host = `${own}.${domain.name}`;
  await record('CNAME', own, 'old-host.example.net');
  const { id } = (await create(owner, host)).body.data;
  const read = () => readCustomDomain(owner, id);
  const { certificate } = await waitFor(async () => {
    const data = await read();
    return data.certificate?.problem ? data : undefined;
  });
  expect(certificate).toMatchObject({
    status: 'WAITING',
    problem: expect.stringMatching(/old-host.*platform serves its DNS/),
  });
  const { data } = (await owner.call(listDnsRecords, { params: { id: domain.id } })).body;
  const recordId = String(data.find(({ name, type }) => name === own && type === 'CNAME')?.id);
  await owner.call(deleteDnsRecord, { params: { id: domain.id, recordId } });
  await waitFor(async () => {
    await owner.dashboard.call(checkCustomDomain, { params: { id } });
    return (await read()).certificate?.status === 'ISSUED';
  }, 1000);
  const resolver = new Resolver();
  resolver.setServers([`${local.dns.host}:${local.dns.port}`]);
  expect(await resolver.resolve4(host)).toEqual(['127.0.0.1']);
  await owner.call(deleteApp, { params: { id } });
  await waitFor(async () => (await tenantStatus(host)) === 'nothing');
  await waitFor(async () => (await resolver.resolve4(host).catch(() => [])).length === 0);
});

test.concurrent('a removed domain is free once its tenant is deleted, and its application stays reachable', async () => {
  const { tenant, label, host, id, read, check } = await createVerifiedApp('let-go');
  await record('CNAME', label, address);
  await waitFor(async () => (await check()).certificate?.status !== 'WAITING', 500);
  await waitFor(async () => (await read()).certificate?.status === 'ISSUED');
  const removed = await tenant.dashboard.call(removeCustomDomain, { params: { id } });
  expect(removed.body.data).toEqual({ domain: host, removed: true });
  // Creation waits about two seconds for a name that is being released: it is refused, or the tenant is gone by then.
  let answer = await create(owner, host);
  if (answer.status !== 201) expect(codeOf(answer)).toBe('conflict');
  else expect(await tenantStatus(host)).toBe('nothing');
  await waitFor(async () => (await tenantStatus(host)) === 'nothing');
  const recreated = await waitFor(async () => {
    if (answer.status !== 201) answer = await create(owner, host);
    return answer.status === 201 && answer.body.data;
  }, 300);
  await waitFor(async () => (await get(local.baseUrl, host)).body.includes('has not been deployed yet'));
  await owner.call(deleteApp, { params: { id: recreated.id } });
  const { slug } = (await tenant.call(getApp, { params: { id } })).body.data;
  expect((await get(local.baseUrl, `${slug}.apps.localhost`)).status).toBe(200);
});

test.concurrent('a domain that points elsewhere is told the target and creates nothing at the edge', async () => {
  const { label, host, read, check } = await createVerifiedApp('old');
  await record('CNAME', label, 'old-host.example.net');
  const { certificate } = await waitFor(async () => {
    await check();
    const data = await read();
    return data.certificate?.problem?.includes('old-host') ? data : undefined;
  }, 500);
  expect(certificate).toMatchObject({
    status: 'WAITING',
    problem: expect.stringContaining(`must point to ${address}`),
  });
  expect(await tenantStatus(host)).toBe('nothing');
});
