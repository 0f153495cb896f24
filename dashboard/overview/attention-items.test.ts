import { expect, test } from 'vitest';
import type { Account } from '../accounts/api.ts';
import { listAttentionItems } from './attention-items.ts';

const app = {
  id: 'app_1',
  name: 'Shop',
  status: 'RUNNING',
  lastDeploymentStatus: 'SUCCEEDED',
  customDomainStatus: null,
  primaryDomain: 'shop.example.com',
} as const;
const account = { usage: { applications: 4 }, limits: { applications: 10 } } as Pick<Account, 'usage' | 'limits'>;

test('an account in order has nothing to do, nor does one that is still loading', () => {
  expect(listAttentionItems(account, [app], { data: [], has_more: false })).toEqual([]);
  expect(listAttentionItems(undefined, [], undefined)).toEqual([]);
});

test('failed deployments, unverified domains, suspensions and limits that are near are named with their place', () => {
  const apps = [
    { ...app, lastDeploymentStatus: 'FAILED', customDomainStatus: 'PENDING' },
    { ...app, id: 'app_2', status: 'SUSPENDED', lastDeploymentStatus: 'FAILED' },
  ] as const;
  const items = listAttentionItems({ ...account, usage: { applications: 8 } }, apps, undefined);
  expect(items.map(({ href }) => href)).toEqual([
    '/apps/app_1',
    '/apps/app_1/domain',
    '/apps/app_2',
    '/developers/limits',
  ]);
  expect(items[1]?.text).toBe('shop.example.com is not verified');
  expect(items[3]?.text).toMatch(/^8 of 10 /);
});
