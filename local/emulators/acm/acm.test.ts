import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CloudFrontClient } from '@aws-sdk/client-cloudfront';
import { expect, onTestFinished, test, vi } from 'vitest';
import { deleteUnusedCertificates } from '../../../domain/custom-domains/unused-certificates.ts';
import { createBudget, RUN_BUDGET_MS } from '../../../domain/sweep/budget.ts';
import { createEdgeCertificates } from '../../../providers/edge/certificates.ts';
import { createDistributionTenants } from '../../../providers/edge/tenants.ts';
import { simulation } from '../../../test/simulation/simulation.ts';
import { ACCOUNT } from '../../addresses.ts';
import { startCloudFront } from '../cloudfront/cloudfront.ts';
import { startAcm } from './acm.ts';

const DAY = 86_400_000;

/** CloudFront and ACM of an account in which certificates are issued, and tenants deployed, at once. */
async function edge({ strict = false } = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), 'acm-'));
  const cloudFront = await startCloudFront({ dataDir, pointsHere: () => true, deployFor: 0, issueAfter: 0 });
  const acm = await startAcm({ dataDir, strict, ...cloudFront, port: 0 });
  onTestFinished(async () => {
    await Promise.all([cloudFront.stop(), acm.stop()]);
    rmSync(dataDir, { recursive: true });
  });
  const call = async <Output>(operation: string, input: object): Promise<Output> => {
    const headers = { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': `CertificateManager.${operation}` };
    const response = await fetch(acm.url, { method: 'POST', headers, body: JSON.stringify(input) });
    const text = await response.text();
    const document = text ? JSON.parse(text) : undefined;
    if (!response.ok) throw Object.assign(new Error(document.message), { name: document.__type });
    return document as Output;
  };
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = new CloudFrontClient({ region: 'us-east-1', endpoint: cloudFront.url, credentials });
  const tenants = createDistributionTenants(client, { distributionId: 'E1', connectionGroupId: 'cg_1' });
  const latest = async (name: string) => {
    const found = await tenants.find(name);
    if (!found) throw new Error(`no tenant ${name}`);
    return found;
  };
  const arnOf = async (name: string) => (await tenants.certificate(name))?.arn ?? '';
  return {
    call,
    tenants,
    certificates: createEdgeCertificates(client, call),
    latest,
    arnOf,
    /** Creates a tenant with a certificate in use. @returns the certificate */
    async serve(name: string, host: string) {
      await tenants.create(name, host);
      const arn = await arnOf(name);
      await tenants.attachCertificate(await latest(name), host, arn);
      return arn;
    },
    async removeTenant(name: string, host: string) {
      await tenants.disable(await latest(name), host);
      await tenants.remove(await latest(name));
    },
    arns: () => cloudFront.certificatesOf(ACCOUNT).map(({ arn }) => arn),
  };
}

test('a week later, only the certificates that no tenant uses or waits for are deleted', async () => {
  const { tenants, certificates, latest, arnOf, serve, removeTenant, arns } = await edge();
  const used = await serve('door-1', 'shop.example.com');
  await tenants.create('door-2', 'waiting.example.com');
  const awaited = await arnOf('door-2');
  // Its first request failed, and so did the second: the owner sees that one.
  await tenants.create('door-3', 'refused-shop.example.com');
  const failed = await arnOf('door-3');
  await tenants.reissueCertificate(await latest('door-3'), 'refused-shop.example.com');
  const failedAgain = await arnOf('door-3');
  const left = await serve('door-4', 'gone.example.com');
  await removeTenant('door-4', 'gone.example.com');
  // The domain came back, with a certificate of its own.
  const replaced = await serve('door-5', 'back.example.com');
  await removeTenant('door-5', 'back.example.com');
  const current = await serve('door-6', 'back.example.com');

  const { clock, steady } = simulation();
  const deps = { ...steady.deps, cellOf: async () => ({ edgeCertificates: certificates }) };
  const run = () => deleteUnusedCertificates(deps, createBudget(deps, RUN_BUDGET_MS));
  clock.now = Date.now() + 6 * DAY;
  expect(await run()).toEqual([{ cellId: 'home', unused: 0, deleted: 0, failed: 0 }]);
  expect(arns()).toEqual([used, awaited, failed, failedAgain, left, replaced, current]);
  clock.now = Date.now() + 8 * DAY;
  expect(await run()).toEqual([{ cellId: 'home', unused: 5, deleted: 3, failed: 0 }]);
  expect(arns()).toEqual([used, awaited, failedAgain, current]);
  expect(await run()).toEqual([{ cellId: 'home', unused: 2, deleted: 0, failed: 0 }]);

  await tenants.attachCertificate(await latest('door-2'), 'waiting.example.com', awaited);
  expect(await latest('door-2')).toMatchObject({ active: true, certificate: awaited });
});

test('a certificate is deleted once, never while a tenant uses it', async () => {
  const { call, certificates, serve, removeTenant } = await edge();
  const arn = await serve('door-1', 'shop.example.com');
  const remove = (CertificateArn: string) => call('DeleteCertificate', { CertificateArn });
  await expect(remove(arn)).rejects.toMatchObject({ name: 'ResourceInUseException' });
  expect(await certificates.delete(arn)).toBe(false);
  await removeTenant('door-1', 'shop.example.com');
  expect(await certificates.delete(arn)).toBe(true);
  await expect(remove(arn)).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  expect(await certificates.delete(arn)).toBe(true);
  await expect(remove('arn:aws:acm:us-east-1:all')).rejects.toMatchObject({ name: 'InvalidArnException' });
});

test('a tenant does not get a certificate that was deleted', async () => {
  const { tenants, certificates, latest, arnOf } = await edge();
  await tenants.create('door-1', 'shop.example.com');
  const arn = await arnOf('door-1');
  expect(await certificates.delete(arn)).toBe(true);
  expect(await tenants.certificate('door-1')).toBeUndefined();
  await expect(tenants.attachCertificate(await latest('door-1'), 'shop.example.com', arn)).rejects.toMatchObject({
    name: 'InvalidArgument',
  });
});

test('a strict run refuses the eleventh deletion of a second', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const { call } = await edge({ strict: true });
  const CertificateArn = 'arn:aws:acm:us-east-1:000000000000:certificate/none';
  const names: string[] = [];
  for (let index = 0; index < 11; index += 1)
    await call('DeleteCertificate', { CertificateArn }).catch((error: Error) => names.push(error.name));
  expect(names).toEqual([...Array(10).fill('ResourceNotFoundException'), 'ThrottlingException']);
});
