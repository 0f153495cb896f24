import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CloudFrontClient } from '@aws-sdk/client-cloudfront';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDistributionTenants, type DistributionTenants } from '../../../providers/edge/tenants.ts';
import { ACCOUNT } from '../../addresses.ts';
import { type CloudFront, startCloudFront } from './cloudfront.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'cloudfront-'));
const pointing = new Set<string>();
const options = { dataDir, pointsHere: (domain: string) => pointing.has(domain), deployFor: 1500, issueAfter: 1500 };
/** On a busy machine everything takes longer. */
const POLL = { timeout: 60_000 };
let emulator: CloudFront;
let tenants: DistributionTenants;

beforeAll(async () => {
  emulator = await startCloudFront(options);
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = new CloudFrontClient({ region: 'us-east-1', endpoint: emulator.url, credentials });
  tenants = createDistributionTenants(client, { distributionId: 'E123', connectionGroupId: 'cg_1' });
});
afterAll(async () => {
  await emulator.stop();
  rmSync(dataDir, { recursive: true });
});

const findTenant = async (name: string) => {
  const tenant = await tenants.find(name);
  if (!tenant) throw new Error(`no tenant ${name}`);
  return tenant;
};
const untilCertificate = (name: string, status: string) =>
  expect.poll(async () => (await tenants.certificate(name))?.status, POLL).toBe(status);

test('creates a tenant once its domain points here, serves with its certificate, and deletes it once disabled', async () => {
  const [name, host] = ['door-1', 'shop.co.za'];
  expect(await tenants.create(name, host)).toBe('ELSEWHERE');
  expect([await tenants.find(name), await tenants.certificate(name)]).toEqual([undefined, undefined]);
  pointing.add(host);
  expect([await tenants.create(name, host), await tenants.create(name, host)]).toEqual(['MADE', 'MADE']);
  expect(await tenants.create('door-2', host)).toBe('TAKEN');
  expect(await findTenant(name)).toMatchObject({ enabled: true, active: false, certificate: undefined });
  expect(await tenants.certificate(name)).toEqual({ status: 'PENDING', arn: expect.stringMatching(/^arn:aws:acm:/) });
  await untilCertificate(name, 'ISSUED');
  const { arn = '' } = (await tenants.certificate(name)) ?? {};
  await expect(tenants.attachCertificate(await findTenant(name), host, `${arn}0`)).rejects.toMatchObject({
    name: 'InvalidArgument',
  });
  const before = await findTenant(name);
  await tenants.attachCertificate(before, host, arn);
  await expect(tenants.disable(before, host)).rejects.toMatchObject({ name: 'PreconditionFailed' });
  await expect.poll(async () => (await findTenant(name)).active, POLL).toBe(true);
  expect(await findTenant(name)).toMatchObject({ certificate: arn, deployed: true, enabled: true });

  const again = await startCloudFront(options);
  const found = await (await fetch(`${again.url}/2020-05-31/distribution-tenant?domain=${host}`)).text();
  expect(found).toContain('<DistributionId>E123</DistributionId>');
  expect(found).toContain('<ConnectionGroupId>cg_1</ConnectionGroupId>');
  await again.stop();

  expect(await tenants.remove(await findTenant(name))).toBe(false);
  await tenants.disable(await findTenant(name), host);
  const disabled = await findTenant(name);
  expect(disabled).toMatchObject({ enabled: false, certificate: arn });
  expect(await tenants.remove(disabled)).toBe(false);
  await expect.poll(async () => await tenants.remove(await findTenant(name)), POLL).toBe(true);
  expect(await tenants.find(name)).toBeUndefined();
  expect(await tenants.remove(disabled)).toBe(true);
  // ACM keeps the certificate of a tenant that is gone.
  expect(emulator.certificatesOf(ACCOUNT)).toMatchObject([{ arn, domain: host, status: 'ISSUED', inUse: false }]);
  expect(await tenants.create('door-2', host)).toBe('MADE');
});

test('simulates a taken domain and a refused certificate by the domain’s prefix, and reissues a certificate', async () => {
  for (const [start, status] of [
    ['refused', 'FAILED'],
    ['silent', 'TIMED_OUT'],
  ] as const) {
    const [name, host] = [`door-${start}`, `${start}-shop.co.za`];
    pointing.add(host);
    expect(await tenants.create(name, host)).toBe('MADE');
    await untilCertificate(name, status);
    const first = await tenants.certificate(name);
    expect(await tenants.reissueCertificate(await findTenant(name), host)).toBe('MADE');
    expect(await tenants.certificate(name)).toMatchObject({ status: 'PENDING' });
    expect((await tenants.certificate(name))?.arn).not.toBe(first?.arn);
    pointing.delete(host);
    expect(await tenants.reissueCertificate(await findTenant(name), host)).toBe('ELSEWHERE');
  }
  pointing.add('taken-shop.co.za');
  expect(await tenants.create('door-taken', 'taken-shop.co.za')).toBe('TAKEN');
});

test('refuses invalid requests as CloudFront does', async () => {
  await expect(tenants.create('door-bad', 'not a domain')).rejects.toMatchObject({ name: 'InvalidArgument' });
  await expect(tenants.create('a b', 'shop.example')).rejects.toMatchObject({ name: 'InvalidArgument' });
  const answer = await fetch(`${emulator.url}/2020-05-31/distribution`, { method: 'POST' });
  expect([answer.status, await answer.text()]).toEqual([
    400,
    expect.stringContaining('<Code>UnsupportedOperation</Code>'),
  ]);
});
