import { expect, test } from 'vitest';
import type { OverviewData } from './api.ts';
import { healthOf } from './health.ts';

const live = {
  status: 'RUNNING',
  liveDeploymentId: 'dep_1',
  activeDeploymentId: null,
  lastDeploymentStatus: 'SUCCEEDED',
  customDomainStatus: null,
} as const;
const calm: OverviewData = {
  unpaidInvoices: { count: 0, total: '0.00' },
  wallet: { balance: '0.00', lasts: null },
  aiCredits: { available: '0.00', lasts: null },
  webhooks: { endpoints: 0, failing: [] },
  expiringKeys: [],
  budgets: [],
  expiringDomains: [],
  changes: [],
};
const texts = (...of: Parameters<typeof healthOf>) => healthOf(...of).map(({ status, text }) => `${status}: ${text}`);

test('an account in order is good everywhere, and what it does not use is idle', () => {
  expect(texts([], calm)).toEqual(['idle: None yet', 'idle: None yet', 'good: No problems', 'good: Nothing due']);
  expect(texts([live], { ...calm, webhooks: { endpoints: 2, failing: [] } }).slice(0, 2)).toEqual([
    'good: 1 of 1 live',
    'good: 2 endpoints receiving',
  ]);
});

test('each part shows the worst of what it has', () => {
  const failed = { ...live, liveDeploymentId: null, lastDeploymentStatus: 'FAILED' } as const;
  const building = { ...live, activeDeploymentId: 'dep_2', customDomainStatus: 'PENDING' } as const;
  const failing = [{ id: 'whk_1', url: 'https://a.example', active: true, failureCount: 1 }];
  const overview = { ...calm, unpaidInvoices: { count: 1, total: '1.00' }, webhooks: { endpoints: 2, failing } };
  expect(texts([live, building], overview)).toEqual([
    'busy: 1 of 2 deploying',
    'bad: 1 of 2 failing',
    'busy: 1 not verified',
    'bad: 1 unpaid invoice',
  ]);
  expect(texts([live, failed, building], calm)[0]).toBe('bad: 1 of 3 not serving');
});
