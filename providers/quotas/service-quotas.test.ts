import { expect, test } from 'vitest';
import { AWS_LIMITS } from '../../contract/limits/aws-limits.ts';
import { createServiceQuotas } from './service-quotas.ts';

const { name } = AWS_LIMITS.dsqlClusters;
const ErrorReason = { ErrorCode: 'DEPENDENCY_SERVICE_ERROR' };

/** Service Quotas with these pages of quotas, one after another. */
const quotasIn = (...pages: object[][]) =>
  createServiceQuotas(async (_, input) => {
    const at = Number((input as { NextToken?: string }).NextToken ?? 0);
    return { Quotas: pages[at], ...(at + 1 < pages.length ? { NextToken: String(at + 1) } : {}) };
  });

test('finds a quota by its name on any page, even if AWS lacks the values of other quotas', async () => {
  const others = [{ QuotaName: 'another', ErrorReason }, { QuotaCode: 'L-1' }];
  const quotas = quotasIn(others, [{ QuotaName: name.toUpperCase(), Value: 30 }]);
  expect(await quotas.limitOf('dsqlClusters', 'eu-west-1')).toBe(30);
  expect(await quotasIn(others, []).limitOf('dsqlClusters', 'eu-west-1')).toBe(AWS_LIMITS.dsqlClusters.value);
});

test('a quota whose value AWS does not know does not fall back to the value of a new account', async () => {
  const quotas = quotasIn([{ QuotaName: name, ErrorReason }]);
  await expect(quotas.limitOf('dsqlClusters', 'eu-west-1')).rejects.toThrow(name);
});
