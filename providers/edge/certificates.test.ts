import type { CloudFrontClient } from '@aws-sdk/client-cloudfront';
import { expect, test } from 'vitest';
import { createEdgeCertificates } from './certificates.ts';

const WEEK_AGO = new Date('2026-11-20T00:00:00Z');
const OLD = WEEK_AGO.getTime() / 1000 - 1;
const certificate = { arn: 'arn:mine', domain: 'shop.example.com' };

/** A CloudFront whose tenant of the domain names these certificates; undefined for none. */
function edge(tenant: { Arn?: string } | undefined, requested: { CertificateArn?: string } | undefined) {
  const notFound = Object.assign(new Error('not found'), { name: 'EntityNotFound' });
  const send = async ({ constructor: { name } }: object) => {
    if (name === 'GetDistributionTenantByDomainCommand') {
      if (!tenant) throw notFound;
      return { DistributionTenant: { Id: 'dt_1', Customizations: { Certificate: tenant } } };
    }
    if (!requested) throw notFound;
    // A status that this version does not know.
    return { ManagedCertificateDetails: { ...requested, CertificateStatus: 'in-review' } };
  };
  return createEdgeCertificates({ send } as unknown as CloudFrontClient, async () => ({}) as never);
}

test.each([
  ['no tenant of the domain is left', undefined, undefined, false],
  ['the tenant requested it last, whatever its status', {}, { CertificateArn: 'arn:mine' }, true],
  ['the tenant requested another one', {}, { CertificateArn: 'arn:other' }, false],
  ['the tenant uses it', { Arn: 'arn:mine' }, { CertificateArn: 'arn:other' }, true],
  ['the tenant uses another one', { Arn: 'arn:other' }, undefined, false],
  ['CloudFront does not say which one the tenant has', {}, {}, true],
])('a certificate: %s', async (_, tenant, requested, isAwaited) => {
  expect(await edge(tenant, requested).isAwaited(certificate)).toBe(isAwaited);
});

test('only old certificates of CloudFront that ACM says are unused are listed, on all pages', async () => {
  const summary = { DomainName: 'a.example', InUse: false, ManagedBy: 'CLOUDFRONT', CreatedAt: OLD };
  const pages = [
    [
      { ...summary, CertificateArn: 'arn:1' },
      { ...summary, CertificateArn: 'arn:used', InUse: true },
      { ...summary, CertificateArn: 'arn:unknown', InUse: undefined },
    ],
    [
      { ...summary, CertificateArn: 'arn:of-the-platform', ManagedBy: undefined },
      { ...summary, CertificateArn: 'arn:young', CreatedAt: OLD + 2 },
      { ...summary, CertificateArn: 'arn:ageless', CreatedAt: undefined },
      { ...summary, CertificateArn: 'arn:2' },
    ],
  ];
  const certificates = createEdgeCertificates({} as CloudFrontClient, async <Output>(_: string, input: object) => {
    const at = Number((input as { NextToken?: string }).NextToken ?? 0);
    const next = at + 1 < pages.length ? { NextToken: String(at + 1) } : {};
    return { CertificateSummaryList: pages[at], ...next } as Output;
  });
  expect((await certificates.listUnused(WEEK_AGO)).map(({ arn }) => arn)).toEqual(['arn:1', 'arn:2']);
});

test('a deletion that ACM refuses for another reason than use throws', async () => {
  const refused = Object.assign(new Error('denied'), { name: 'AccessDeniedException' });
  const certificates = createEdgeCertificates({} as CloudFrontClient, () => Promise.reject(refused));
  await expect(certificates.delete('arn:1')).rejects.toBe(refused);
});
