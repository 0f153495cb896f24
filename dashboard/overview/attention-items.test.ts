import { expect, test } from 'vitest';
import type { Account } from '../api/use-me.ts';
import type { OverviewData } from './api.ts';
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
const at = '2026-12-01T00:00:00.000Z';
const lasting = (days: number) => ({ perDay: '10.00', days, until: at });
const calm: OverviewData = {
  unpaidInvoices: { count: 0, total: '0.00' },
  wallet: { balance: '500.00', lasts: lasting(50) },
  aiCredits: { available: '0.00', lasts: null },
  webhooks: { endpoints: 1, failing: [] },
  expiringKeys: [],
  budgets: [],
  expiringDomains: [],
  changes: [],
};

test('an account in order has nothing to do, nor does one that is still loading', () => {
  expect(listAttentionItems(account, [app], calm)).toEqual([]);
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
  const one = { usage: { applications: 1 }, limits: { ...account.limits, applications: 1 } };
  expect(listAttentionItems(one, [app], undefined)).toEqual([]);
});

test('money that is due or runs out, failing endpoints, expiries and budgets are named with their place', () => {
  const items = listAttentionItems(account, [app], {
    ...calm,
    unpaidInvoices: { count: 2, total: '258.00' },
    wallet: { balance: '20.00', lasts: lasting(2) },
    aiCredits: { available: '1.00', lasts: lasting(0) },
    webhooks: {
      endpoints: 3,
      failing: [
        { id: 'whk_1', url: 'https://a.example', active: true, failureCount: 3 },
        { id: 'whk_2', url: 'https://b.example', active: false, failureCount: 50 },
      ],
    },
    expiringKeys: [{ id: 'key_1', name: 'CI', expiresAt: at }],
    budgets: [{ id: 'key_1', name: 'CI', aiBudget: '10.00', aiSpent: '8.20' }],
    expiringDomains: [{ id: 'dom_1', domain: 'shop.co.za', expiresAt: at }],
  });
  expect(items.map(({ text }) => text)).toEqual([
    '2 unpaid invoices, R258.00',
    'The wallet lasts about 2 days',
    'AI credits last less than a day',
    'https://a.example: 3 consecutive failures',
    'https://b.example is disabled',
    expect.stringMatching(/^shop.co.za expires on .*2026/),
    expect.stringMatching(/^API key CI expires on .*2026/),
    'API key CI has spent R8.20 of its AI budget of R10.00',
  ]);
  expect(new Set(items.map(({ id }) => id)).size).toBe(items.length);
});
