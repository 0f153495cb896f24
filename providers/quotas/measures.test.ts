import { expect, test } from 'vitest';
import { accountMeasures, cellMeasures } from './measures.ts';

const quotas = { limitOf: async () => 2500 };

test('counts certificates on all pages with any key type, and tenants by the certificates in use', async () => {
  const pages = [
    [{ InUse: true }, { InUse: false }, {}],
    [{ InUse: true }, { InUse: true }],
  ];
  const asked: object[] = [];
  const measures = cellMeasures({
    lambda: {} as never,
    region: 'af-south-1',
    store: {} as never,
    storeArn: '',
    isHome: true,
    quotas,
    certificates: async <Output>(operation: string, input: object) => {
      asked.push({ operation, ...input });
      const at = Number((input as { NextToken?: string }).NextToken ?? 0);
      const next = at + 1 < pages.length ? { NextToken: String(at + 1) } : {};
      return { CertificateSummaryList: pages[at], ...next } as Output;
    },
  });
  const measure = (quota: string) => measures.find((each) => each.quota === quota)?.measure();
  expect(await measure('certificates')).toEqual({ used: 5, limit: 2500 });
  expect(await measure('distributionTenants')).toEqual({ used: 3, limit: 2500 });
  expect(asked[0]).toMatchObject({
    operation: 'ListCertificates',
    MaxItems: 1000,
    Includes: { keyTypes: expect.arrayContaining(['RSA_2048', 'EC_prime256v1']) },
  });
});

test.each([
  ['counts', 50_000, 50_000],
  ['is never full where it is unlimited', -1, Number.MAX_SAFE_INTEGER],
])('the quota of emails %s', async (_, Max24HourSend, limit) => {
  const none = { route53: {}, dsql: {}, databaseRegion: 'eu-west-1', registrar: {}, quotas } as never as Parameters<
    typeof accountMeasures
  >[0];
  const read = async <Output>() => ({ SendQuota: { Max24HourSend, SentLast24Hours: 41_000 } }) as Output;
  const mails = (mail: Parameters<typeof accountMeasures>[0]['mail']) =>
    accountMeasures({ ...none, mail }).find(({ quota }) => quota === 'mailsOfDay');
  expect(await mails({ region: 'eu-west-1', read })?.measure()).toEqual({ used: 41_000, limit });
  expect(mails(undefined)).toBeUndefined();
});
