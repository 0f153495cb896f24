import type { BrowserContext } from 'playwright-core';
import { expect, test } from 'vitest';
import { createKey } from '../../contract/accounts/api-keys.ts';
import { newAccount, setLimits } from '../support/harness.ts';
import { openScreen, POLL, signedInContext, VIEWPORTS } from './browser.ts';
import { AT, apiKey, COUNT, call, credits, serveList } from './lists.ts';

const plan = { slug: 'web-1', name: 'Web 1', category: 'WEB' };

const app = {
  name: 'An app',
  slug: 'an-app',
  framework: 'NODE',
  branch: 'main',
  primaryDomain: 'a.example',
  status: 'RUNNING',
};
const settings = {
  repoUrl: null,
  autoDeploy: false,
  nodeVersion: '22',
  installCommand: 'npm ci',
  buildCommand: null,
  healthCheckPath: '/',
};
const deployment = { applicationId: 'app_1', status: 'SUCCEEDED', trigger: 'API', startedAt: AT, finishedAt: AT };
const endpoint = { url: 'https://example.com/hooks', description: '', events: ['*'], active: true, failureCount: 0 };
const delivery = { eventId: 'evt_1', status: 'DELIVERED', nextAttemptAt: null, attempts: [] };
const domain = { tld: 'co.za', status: 'ACTIVE', autoRenew: true, registeredAt: AT, expiresAt: AT, nameservers: [] };
const hosting = {
  status: 'ACTIVE',
  panelStatus: 'ACTIVE',
  billingCycle: 'MONTHLY',
  currentPeriodEnd: AT,
  plan,
  mailboxes: 0,
};

interface ListCase {
  at: string;
  path: string;
  item: (n: number) => object;
  size?: number;
  /** Parameter of the search; undefined for a list that the API filters. */
  search?: string | undefined;
}

const invoice = {
  kind: 'PLAN',
  status: 'PAID',
  amount: '1.00',
  issuedAt: AT,
  dueAt: AT,
  paidAt: AT,
  currency: 'ZAR',
};

const LISTS: [string, ListCase][] = [
  ['applications', { at: 'apps', path: '/apps', item: (n) => ({ ...app, name: `Item ${n}.` }) }],
  [
    'domains',
    {
      at: 'domains',
      path: '/domains',
      search: 'find',
      item: (n) => ({ ...domain, name: `Item ${n}.`, dnsProvider: 'PLATFORM' }),
    },
  ],
  ['hosting', { at: 'hosting', path: '/hosting', item: (n) => ({ ...hosting, hostingDomain: `Item ${n}.` }) }],
  [
    'subscriptions',
    { at: 'billing/plans', path: '/subscriptions', item: (n) => ({ ...hosting, hostingDomain: `Item ${n}.` }) },
  ],
  ['invoices', { at: 'billing/invoices', path: '/invoices', item: (n) => ({ ...invoice, number: `Item ${n}.` }) }],
  ['endpoints', { at: 'developers/webhooks', path: '/webhooks', item: (n) => ({ ...endpoint, url: `Item ${n}.` }) }],
  ['keys', { at: 'developers', path: '/keys', item: (n) => ({ ...apiKey, name: `Item ${n}.` }) }],
  [
    'deployments',
    {
      at: 'apps/app_1',
      path: '/apps/app_1/deployments',
      size: 50,
      item: (n) => ({ ...deployment, commitSha: `Item ${n}.` }),
    },
  ],
  [
    'deliveries',
    {
      at: 'developers/webhooks/id_1',
      path: '/webhooks/id_1/deliveries',
      size: 50,
      search: undefined,
      item: (n) => ({ ...delivery, type: `Item ${n}.` }),
    },
  ],
];

/** Runs in the page: scrolls to the button at the end of a list. Returns how far it moves in the frames after that: a click could miss it. */
const DRIFT = `(async () => {
  const button = [...document.querySelectorAll('main button')].findLast(({ textContent }) => textContent === 'Show more');
  button.scrollIntoView({ block: 'center' });
  const { top } = button.getBoundingClientRect();
  for (let frame = 0; frame < 5; frame += 1) await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  return Math.round(button.getBoundingClientRect().top - top);
})()`;

const serveApp = (context: BrowserContext) =>
  context.route('**/dashboard/v1/apps/app_1', (route) =>
    route.fulfill({
      json: { data: { id: 'app_1', ...app, ...settings, startFile: 'x', createdAt: AT, updatedAt: AT } },
    }),
  );

test.each(LISTS)('%s: a list of 230 loads to its end, page by page, and is searched whole', async (_what, list) => {
  const { at, path, item, size = 100, search = 'search' in list ? undefined : 'q' } = list;
  const context = await signedInContext(await newAccount());
  await serveApp(context);
  await serveList(context, '/webhooks', () => endpoint);
  await serveList(context, path, item);
  const page = await openScreen(context, at);
  const shown = page.getByText(/Item \d+\./);
  const more = page.getByRole('button', { name: 'Show more' }).last();
  await expect.poll(() => shown.count(), POLL).toBe(size);
  for (const width of ['phone', 'desk'] as const) {
    await page.setViewportSize(VIEWPORTS[width]);
    expect(await page.evaluate<number>(DRIFT), `drift of the button (${width})`).toBe(0);
  }
  for (let count = size; count < COUNT; count += size) {
    await expect.poll(() => shown.count(), POLL).toBe(count);
    await more.click();
  }
  await expect.poll(() => shown.count(), POLL).toBe(COUNT);
  expect(await shown.last().textContent()).toContain(`Item ${COUNT - 1}.`);
  expect(await more.count()).toBe(0);
  if (search === undefined) return;
  // A link to a search reads the pages that it needs.
  await page.goto(`${at}?${search}=${encodeURIComponent(`Item ${COUNT - 1}.`)}`);
  await expect.poll(() => shown.allTextContents(), POLL).toEqual([expect.stringContaining(`Item ${COUNT - 1}.`)]);
});

test('a search with many matches shows a hundred of them, and more on request', async () => {
  const context = await signedInContext(await newAccount());
  await serveList(context, '/apps', (n) => ({ ...app, name: `Item ${n}.` }));
  const page = await openScreen(context, 'apps?sort=name');
  const shown = page.getByText(/Item \d+\./);
  for (const count of [100, 200]) {
    await expect.poll(() => shown.count(), POLL).toBe(count);
    await page.getByRole('button', { name: `Show more of ${COUNT} applications` }).click();
  }
  await expect.poll(() => shown.count(), POLL).toBe(COUNT);
  expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0);
  // Another choice begins with a hundred again.
  await page.getByLabel('Search applications').fill('item');
  await expect.poll(() => shown.count(), POLL).toBe(100);
});

test('the AI usage history loads to its end', async () => {
  const context = await signedInContext(await newAccount());
  await serveList(context, '/ai/credits', () => call, credits);
  const page = await openScreen(context, 'ai');
  const rows = page.getByRole('region', { name: 'AI usage history' }).getByRole('row');
  // One row is the head.
  for (const count of [101, 201]) {
    await expect.poll(() => rows.count(), POLL).toBe(count);
    await page.getByRole('button', { name: 'Show more' }).click();
  }
  await expect.poll(() => rows.count(), POLL).toBe(231);
  expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0);
});

const record = { type: 'A', content: '192.0.2.1', ttl: 3600, prio: 0 };
const transaction = { type: 'TOPUP', amount: '1.00', balanceAfter: '1.00', createdAt: AT };
const member = { role: 'developer', isYou: false, joinedAt: AT };
const WHOLE: [string, { at: string; path: string; choice: [by: string, label: string]; json: object }][] = [
  [
    'records',
    {
      at: 'domains/id_1',
      path: '/domains/id_1/dns',
      choice: ['type', 'A'],
      json: {
        data: ['bb', 'aa', 'cc'].map((name) => ({ ...record, id: name, name, type: name === 'cc' ? 'TXT' : 'A' })),
        provider: 'PLATFORM',
      },
    },
  ],
  [
    'transactions',
    {
      at: 'billing',
      path: '/wallet',
      choice: ['type', 'Top-up'],
      json: {
        data: {
          balance: '1.00',
          autoTopUpEnabled: false,
          transactions: ['bb', 'aa', 'cc'].map((name, n) => ({
            ...transaction,
            description: name,
            balanceAfter: `${n}.00`,
            ...(name === 'cc' ? { type: 'PAYMENT' } : {}),
          })),
        },
      },
    },
  ],
  [
    'members',
    {
      at: 'settings',
      path: '/members',
      choice: ['role', 'developer'],
      json: {
        data: {
          members: ['bb', 'aa', 'cc'].map((name) => ({
            ...member,
            id: name,
            name,
            email: `${name}@example.com`,
            ...(name === 'cc' ? { role: 'billing' } : {}),
          })),
          invitations: [],
        },
      },
    },
  ],
];

test.each(WHOLE)('%s: a list that is read at once is searched, filtered and sorted', async (name, { at, ...list }) => {
  const context = await signedInContext(await newAccount());
  await context.route('**/dashboard/v1/domains/id_1', (route) =>
    route.fulfill({ json: { data: { ...domain, id: 'id_1', name: 'example.co.za', dnsProvider: 'PLATFORM' } } }),
  );
  await context.route(`**/dashboard/v1${list.path}`, (route) => route.fulfill({ json: list.json }));
  const page = await openScreen(context, at);
  const shown = page.getByText(/^(aa|bb|cc)(\.example\.co\.za)?$/);
  await expect.poll(() => shown.count(), POLL).toBe(3);
  await page.getByLabel(`Filter ${name} by ${list.choice[0]}`).selectOption(list.choice[1]);
  await expect.poll(() => shown.count(), POLL).toBe(2);
  await page.getByLabel(`Search ${name}`).fill('aa');
  await expect.poll(() => shown.count(), POLL).toBe(1);
  await page.getByLabel(`Search ${name}`).fill('none of these');
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await expect.poll(() => shown.count(), POLL).toBe(3);
  const first = await shown.first().textContent();
  await page.getByLabel(`Sort ${name}`).selectOption({ index: 1 });
  if (name !== 'transactions') await expect.poll(() => shown.first().textContent(), POLL).not.toBe(first);
});

test('an action at the end of a long list keeps the list as long as it was', async () => {
  const account = await newAccount();
  await setLimits(account.id, { apiKeys: 200 });
  const keys = Array.from({ length: 104 }, (_, n) => `Key ${n + 1}`);
  for (const name of keys) await account.dashboard.call(createKey, { body: { name, scopes: ['read'] } });
  const page = await openScreen(await signedInContext(account), 'developers');
  const rows = page.locator('.row');
  await expect.poll(() => rows.count(), POLL).toBe(100);
  await page.getByRole('button', { name: 'Show more' }).click();
  await expect.poll(() => rows.count(), POLL).toBe(105);
  await rows.nth(103).getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await rows.nth(103).getByText('Revoked').waitFor();
  expect(await rows.count()).toBe(105);
});

test('a page that fails to load can be retried, and the loaded pages stay', async () => {
  const context = await signedInContext(await newAccount());
  await serveList(context, '/apps', (n) => ({ ...app, name: `Item ${n}.` }));
  const page = await openScreen(context, 'apps');
  let failing = true;
  await context.route('**/dashboard/v1/apps?*cursor=id_99*', (route) =>
    failing
      ? route.fulfill({
          status: 400,
          headers: { 'x-request-id': 'req-of-page' },
          json: { error: { message: 'Not now.', code: 'invalid_request', status: 400 } },
        })
      : route.fallback(),
  );
  await page.getByRole('button', { name: 'Show more' }).click();
  await page.getByRole('alert').getByText('req-of-page').waitFor();
  expect(await page.getByText(/Item \d+\./).count()).toBe(100);
  failing = false;
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect.poll(() => page.getByText(/Item \d+\./).count(), POLL).toBe(200);
});
