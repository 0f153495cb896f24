import chromium from '@sparticuz/chromium';
import { type Page, chromium as playwright } from 'playwright-core';
import type { Local } from '../../test/support/platform.ts';
import { seedScreens } from '../lighthouse/screens.ts';
import { median, type Row } from '../measure.ts';
import { startMeasuredRun } from '../processes/run.ts';
import { LISTS, type List, pageOf } from '../screens/lists.ts';

/**
 * Measures interaction to next paint on lists of 1,000 items, with the CPU slowed down four times, by the browser's event timings
 * (https://web.dev/articles/inp): typing in the search, choosing a sort order and a status, and moving by keyboard.
 */
const ITEMS = 1000;
const SLOWDOWN = 4;
const API = '/dashboard/v1';
/** Maximum duration of the slowest interaction. */
const MAX_INP_MS = 100;
/** Number of visits of a list if the first is too slow; the median counts. */
const MAX_VISITS = 5;
/** `SCREENS_LISTS=keys,records` measures some lists only. */
const CHOSEN = process.env.SCREENS_LISTS?.split(',');

/** Runs in the page: collects the durations of interactions. */
const OBSERVE = `window.interactions = [];
new PerformanceObserver((list) => {
  for (const { interactionId, duration, name } of list.getEntries())
    if (interactionId) window.interactions.push({ interactionId, duration, name });
}).observe({ type: 'event', durationThreshold: 16 });`;

/** Runs in the page: loads all pages of a list. */
const READ_ALL = `(async () => {
  const more = () => [...document.querySelectorAll('button')].find(({ textContent }) => textContent.startsWith('Show more'));
  for (let button = more(); button; button = more()) {
    button.click();
    await new Promise((done) => setTimeout(done, 100));
  }
})()`;

async function openList({ baseUrl, login, accounts: { demo } }: Local, at: string, list: List) {
  const browser = await playwright.launch({
    executablePath: await chromium.executablePath(),
    args: ['--no-sandbox', '--headless=shell', '--disable-dev-shm-usage'],
  });
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: 'en-ZA' });
  const user = {
    access_token: demo.dashboardToken,
    token_type: 'Bearer',
    scope: 'openid email',
    profile: { sub: demo.id, email: demo.email },
    expires_at: Math.floor(Date.now() / 1000) + 3600,
  };
  const entry = [`oidc.user:${login.issuer}:${login.clientId}`, JSON.stringify(user)];
  await context.addInitScript(`localStorage.setItem(...${JSON.stringify(entry)});${OBSERVE}`);
  await context.route(
    ({ pathname }) => pathname.startsWith(API) && list.path.test(pathname.slice(API.length)),
    (route) => route.fulfill({ json: pageOf(list, new URL(route.request().url()).searchParams, ITEMS) }),
  );
  const page = await context.newPage();
  await page.goto(`${baseUrl}/dashboard${at}`);
  await page.getByLabel(`Search ${list.name}`).waitFor({ timeout: 60_000 });
  // All items are loaded and as many rows as possible are shown: the worst case, because the first key removes the rows that do not match.
  await page.evaluate(READ_ALL);
  await page.getByRole('button', { name: `Show ${list.name} ` }).dispatchEvent('click');
  await page.waitForTimeout(500);
  return { page, close: () => browser.close() };
}

/** Interacts with a list as a user does. Returns the duration of the slowest interaction in milliseconds. */
async function slowestOf(page: Page, name: string): Promise<number> {
  // Located in advance: a search by label visits every element of every row, on the measured thread.
  const search = await page.getByLabel(`Search ${name}`).elementHandle();
  const sort = await page.getByLabel(`Sort ${name}`).elementHandle();
  const box = await search?.boundingBox();
  if (!search || !sort || !box) throw new Error(`The list of ${name} has no search or no sort order`);
  await page.waitForTimeout(1000);
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
  await page.evaluate('window.interactions.length = 0');
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  await page.waitForTimeout(500);
  await page.keyboard.type('shop 15', { delay: 120 });
  for (let n = 0; n < 7; n += 1) {
    await page.keyboard.press('Backspace');
    await page.waitForTimeout(120);
  }
  for (const key of ['ArrowDown', 'ArrowUp', 'ArrowUp']) {
    await sort.focus();
    await page.keyboard.press(key);
    await page.waitForTimeout(1000);
  }
  for (let n = 0; n < 5; n += 1) await page.keyboard.press('Tab');
  await page.waitForTimeout(1000);
  const found = await page.evaluate<{ duration: number; name: string }[]>('window.interactions');
  return Math.max(0, ...found.map(({ duration }) => duration));
}

/** Returns the slowest interaction of a visit. If it is too slow, returns the median of several visits, because one may include a garbage collection. */
async function medianSlowestOf(local: Local, at: string, list: List): Promise<number> {
  const slowest: number[] = [];
  for (let turn = 0; turn < MAX_VISITS; turn += 1) {
    const { page, close } = await openList(local, at, list);
    try {
      slowest.push(await slowestOf(page, list.name));
    } finally {
      await close();
    }
    if (Math.max(...slowest) <= MAX_INP_MS) break;
  }
  return median(slowest);
}

/** Compares the slowest interaction of each list with the required 100 ms. */
export async function rows(): Promise<Row[]> {
  const run = await startMeasuredRun();
  const measured: Row[] = [];
  try {
    const pathOf = await seedScreens(run.local);
    for (const list of LISTS.filter(({ name }) => !CHOSEN || CHOSEN.includes(name))) {
      const name = `slowest interaction, ${list.max ?? ITEMS} ${list.name}, CPU slowed ${SLOWDOWN} times`;
      const ours = await medianSlowestOf(run.local, pathOf(list.at), list);
      measured.push({ name, ours, baseline: MAX_INP_MS, unit: 'ms', maxRatio: 1 });
    }
  } finally {
    await run.stop();
  }
  return measured;
}
