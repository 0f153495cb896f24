import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CloudFrontClient } from '@aws-sdk/client-cloudfront';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDoors, type Doors } from '../../providers/edge/tenants.ts';
import { startCloudFront } from '../emulators/cloudfront/cloudfront.ts';
import type { StandIn } from '../emulators/wire.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'cloudfront-'));
const leading = new Set<string>();
const options = { dataDir, leadsHere: (domain: string) => leading.has(domain), deployFor: 150, issueAfter: 100 };
let standIn: StandIn;
let doors: Doors;

beforeAll(async () => {
  standIn = await startCloudFront(options);
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = new CloudFrontClient({ region: 'us-east-1', endpoint: standIn.url, credentials });
  doors = createDoors(client, { distributionId: 'E123', connectionGroupId: 'cg_1' });
});
afterAll(async () => {
  await standIn.stop();
  rmSync(dataDir, { recursive: true });
});

const known = async (name: string) => {
  const tenant = await doors.find(name);
  if (!tenant) throw new Error(`no tenant ${name}`);
  return tenant;
};
const untilCertificate = (name: string, status: string) =>
  expect.poll(async () => (await doors.certificate(name))?.status).toBe(status);

test('a tenant is made once its domain leads here, serves with its certificate, and is disabled before it goes', async () => {
  const [name, host] = ['door-1', 'shop.co.za'];
  expect(await doors.make(name, host)).toBe('ELSEWHERE');
  expect([await doors.find(name), await doors.certificate(name)]).toEqual([undefined, undefined]);
  leading.add(host);
  expect([await doors.make(name, host), await doors.make(name, host)]).toEqual(['MADE', 'MADE']);
  expect(await doors.make('door-2', host)).toBe('TAKEN');
  expect(await known(name)).toMatchObject({ enabled: true, active: false, certificate: undefined });
  expect(await doors.certificate(name)).toEqual({ status: 'PENDING', arn: expect.stringMatching(/^arn:aws:acm:/) });
  await untilCertificate(name, 'ISSUED');
  const { arn = '' } = (await doors.certificate(name)) ?? {};
  await expect(doors.use(await known(name), host, `${arn}0`)).rejects.toMatchObject({ name: 'InvalidArgument' });
  const before = await known(name);
  await doors.use(before, host, arn);
  await expect(doors.disable(before, host)).rejects.toMatchObject({ name: 'PreconditionFailed' });
  await expect.poll(async () => (await known(name)).active).toBe(true);
  expect(await known(name)).toMatchObject({ certificate: arn, deployed: true, enabled: true });

  const again = await startCloudFront(options);
  const found = await (await fetch(`${again.url}/2020-05-31/distribution-tenant?domain=${host}`)).text();
  expect(found).toContain('<DistributionId>E123</DistributionId>');
  expect(found).toContain('<ConnectionGroupId>cg_1</ConnectionGroupId>');
  await again.stop();

  expect(await doors.remove(await known(name))).toBe(false);
  await doors.disable(await known(name), host);
  const disabled = await known(name);
  expect(disabled).toMatchObject({ enabled: false, certificate: arn });
  expect(await doors.remove(disabled)).toBe(false);
  await expect.poll(async () => await doors.remove(await known(name))).toBe(true);
  expect(await doors.find(name)).toBeUndefined();
  expect(await doors.remove(disabled)).toBe(true);
  expect(await doors.make('door-2', host)).toBe('MADE');
});

test('domains that begin so are taken elsewhere, or get no certificate; another one can be asked for', async () => {
  for (const [start, status] of [
    ['refused', 'FAILED'],
    ['silent', 'TIMED_OUT'],
  ] as const) {
    const [name, host] = [`door-${start}`, `${start}-shop.co.za`];
    leading.add(host);
    expect(await doors.make(name, host)).toBe('MADE');
    await untilCertificate(name, status);
    const first = await doors.certificate(name);
    expect(await doors.askAgain(await known(name), host)).toBe('MADE');
    expect(await doors.certificate(name)).toMatchObject({ status: 'PENDING' });
    expect((await doors.certificate(name))?.arn).not.toBe(first?.arn);
    leading.delete(host);
    expect(await doors.askAgain(await known(name), host)).toBe('ELSEWHERE');
  }
  leading.add('taken-shop.co.za');
  expect(await doors.make('door-taken', 'taken-shop.co.za')).toBe('TAKEN');
});

test('what is not valid is refused as CloudFront refuses it', async () => {
  await expect(doors.make('door-bad', 'not a domain')).rejects.toMatchObject({ name: 'InvalidArgument' });
  await expect(doors.make('a b', 'shop.example')).rejects.toMatchObject({ name: 'InvalidArgument' });
  const answer = await fetch(`${standIn.url}/2020-05-31/distribution`, { method: 'POST' });
  expect([answer.status, await answer.text()]).toEqual([
    400,
    expect.stringContaining('<Code>UnsupportedOperation</Code>'),
  ]);
});
