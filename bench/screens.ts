import chromium from '@sparticuz/chromium';
import { type Page, chromium as playwright } from 'playwright-core';
import { type Local, startRun } from '../test/support/platform.ts';
import type { Row } from './measure.ts';

/**
 * Measures interaction to next paint on lists of 1,000 items, with the CPU slowed down four times: the browser's own event
 * timings (https://web.dev/articles/inp), of typing in the search, choosing an order and a status, and moving by keyboard.
 */
const ITEMS = 1000;
const SLOWDOWN = 4;
/** The most that the slowest interaction may take, in milliseconds. */
const MAX_INP_MS = 100;
const AT = '2026-01-31T09:30:00.000Z';

interface List {
  path: string;
  /** Plural name in the labels of its filters. */
  name: string;
  item: (n: number) => object;
}

const plan = { slug: 'app-10', name: 'App 10', category: 'APP' };
const subscription = {
  ...{ plan, status: 'ACTIVE', panelStatus: 'ACTIVE', billingCycle: 'MONTHLY', currentPeriodEnd: AT, mailboxes: 2 },
  cancelledAt: null,
};

const LISTS: Readonly<Record<string, List>> = {
  apps: {
    ...{ path: '/apps', name: 'applications' },
    item: (n) => ({
      ...{ name: `Shop ${n}`, slug: `shop-${n}`, framework: 'NODE', branch: 'main', status: 'RUNNING', repoUrl: null },
      ...{ primaryDomain: `shop-${n}.apps.example`, defaultDomain: `shop-${n}.apps.example`, updatedAt: AT },
      ...{ autoDeploy: false, customDomainStatus: null, suspensions: [], liveDeploymentId: null },
    }),
  },
  domains: {
    ...{ path: '/domains', name: 'domains' },
    item: (n) => ({
      ...{ name: `shop-${n}.co.za`, tld: 'co.za', status: n % 5 === 0 ? 'EXPIRED' : 'ACTIVE', autoRenew: true },
      ...{ registeredAt: AT, expiresAt: AT, nameservers: [], dnsProvider: 'PLATFORM' },
    }),
  },
  'billing/invoices': {
    ...{ path: '/invoices', name: 'invoices' },
    item: (n) => ({
      ...{ number: `INV-2026-${n}`, kind: 'PLAN', status: n % 3 === 0 ? 'UNPAID' : 'PAID', amount: `${n}.00` },
      ...{ vat: '0.00', issuedAt: AT, dueAt: AT, paidAt: AT },
    }),
  },
  hosting: {
    ...{ path: '/hosting', name: 'hosting' },
    item: (n) => ({ ...subscription, hostingDomain: `shop-${n}.co.za` }),
  },
  'billing/plans': {
    ...{ path: '/subscriptions', name: 'subscriptions' },
    item: (n) => ({ ...subscription, hostingDomain: `shop-${n}.co.za` }),
  },
  'developers/webhooks': {
    ...{ path: '/webhooks', name: 'endpoints' },
    item: (n) => ({
      ...{ url: `https://shop-${n}.example/hooks`, description: 'Orders', events: ['*'], active: n % 4 > 0 },
      failureCount: n % 3,
    }),
  },
  developers: {
    ...{ path: '/keys', name: 'keys' },
    item: (n) => ({
      ...{ name: `Shop ${n}`, scopes: ['read', 'write'], publicKey: `pk_live_${n}`, lastFour: '1234', lastUsedAt: AT },
      ...{ expiresAt: null, revokedAt: null, allowedOrigins: ['*'], createdBy: null, aiSpent: '1.00', aiBudget: null },
    }),
  },
};

/** Runs in the page: collects the durations of interactions. */
const OBSERVE = `window.interactions = [];
new PerformanceObserver((list) => {
  for (const { interactionId, duration, name } of list.getEntries())
    if (interactionId) window.interactions.push({ interactionId, duration, name });
}).observe({ type: 'event', durationThreshold: 16 });`;

async function openList({ baseUrl, login, accounts: { demo } }: Local, at: string, { path, item, name }: List) {
  const browser = await playwright.launch({
    executablePath: await chromium.executablePath(),
    args: ['--no-sandbox', '--headless=shell', '--disable-dev-shm-usage'],
  });
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: 'en-ZA' });
  const user = {
    ...{ access_token: demo.dashboardToken, token_type: 'Bearer', scope: 'openid email' },
    ...{ profile: { sub: demo.id, email: demo.email }, expires_at: Math.floor(Date.now() / 1000) + 3600 },
  };
  const entry = [`oidc.user:${login.issuer}:${login.clientId}`, JSON.stringify(user)];
  await context.addInitScript(`localStorage.setItem(...${JSON.stringify(entry)});${OBSERVE}`);
  await context.route(
    (url) => url.pathname === `/dashboard/v1${path}`,
    async (route) => {
      const query = new URL(route.request().url()).searchParams;
      const [limit, cursor] = [Number(query.get('limit') ?? 100), query.get('cursor')];
      const start = cursor === null ? 0 : Number(cursor.slice('id_'.length)) + 1;
      const length = Math.max(0, Math.min(limit, ITEMS - start));
      const data = Array.from({ length }, (_, n) => ({ id: `id_${start + n}`, createdAt: AT, ...item(start + n) }));
      await route.fulfill({ json: { data, has_more: start + length < ITEMS } });
    },
  );
  const page = await context.newPage();
  // An order reads all pages.
  await page.goto(`${baseUrl}/dashboard/${at}`);
  await page.getByLabel(`Sort ${name}`).selectOption({ index: 1 });
  const more = page.getByRole('button', { name: `Show more of ${ITEMS} ${name}` });
  await more.waitFor({ timeout: 60_000 });
  return { page, close: () => browser.close() };
}

/** Interacts with a list as its reader does. Returns the duration of the slowest interaction in milliseconds. */
async function slowestOf(page: Page, name: string): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
  await page.evaluate('window.interactions.length = 0');
  const search = page.getByLabel(`Search ${name}`);
  await search.click();
  await page.keyboard.type('shop 15', { delay: 120 });
  for (let n = 0; n < 7; n += 1) {
    await page.keyboard.press('Backspace');
    await page.waitForTimeout(120);
  }
  for (const index of [2, 0]) {
    await page.getByLabel(`Sort ${name}`).focus();
    await page.keyboard.press(index === 2 ? 'ArrowDown' : 'ArrowUp');
    await page.waitForTimeout(1000);
  }
  for (let n = 0; n < 5; n += 1) await page.keyboard.press('Tab');
  await page.waitForTimeout(1000);
  const found = await page.evaluate<{ duration: number; name: string }[]>('window.interactions');
  return Math.max(0, ...found.map(({ duration }) => duration));
}

/** Compares the slowest interaction of each list with the required 100 ms. */
export async function rows(): Promise<Row[]> {
  const run = await startRun({ DATA_DIR: ':memory:' });
  const measured: Row[] = [];
  try {
    for (const [at, list] of Object.entries(LISTS)) {
      const { page, close } = await openList(run.local, at, list);
      try {
        const what = `slowest interaction, ${ITEMS} ${list.name}, CPU slowed ${SLOWDOWN} times`;
        measured.push({ what, ours: await slowestOf(page, list.name), against: MAX_INP_MS, unit: 'ms', atMost: 1 });
      } finally {
        await close();
      }
    }
  } finally {
    await run.stop();
  }
  return measured;
}
