import chromium from '@sparticuz/chromium';
import { type Browser, type BrowserContext, type Page, chromium as playwright } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { local, type Opened } from '../support/harness.ts';

/** The widths that people come with: a desk and a phone. */
export const SIZES = { desk: { width: 1200, height: 900 }, phone: { width: 390, height: 844 } } as const;

let browser: Browser;
const contexts: BrowserContext[] = [];
/** What pages complained of that no test has expected: scripts that broke, and what the security policy stopped. */
const complaints: string[] = [];

beforeAll(async () => {
  browser = await playwright.launch({
    executablePath: await chromium.executablePath(),
    args: ['--no-sandbox', '--headless=shell', '--disable-dev-shm-usage'],
  });
});
afterEach(async () => {
  for (const context of contexts.splice(0)) await context.close();
  expect(complaints.splice(0)).toEqual([]);
});
afterAll(async () => {
  await browser.close();
});

export interface Visitor {
  size?: keyof typeof SIZES;
  dark?: boolean;
}

/** A browser of its own, with nobody signed in. */
export async function newVisitor({ size = 'desk', dark = false }: Visitor = {}): Promise<BrowserContext> {
  const context = await browser.newContext({
    viewport: SIZES[size],
    colorScheme: dark ? 'dark' : 'light',
    baseURL: `${local.baseUrl}/dashboard/`,
    reducedMotion: 'reduce',
  });
  contexts.push(context);
  context.setDefaultTimeout(15_000);
  context.on('weberror', (error) => complaints.push(String(error.error())));
  context.on('console', (message) => {
    const answered = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !answered) complaints.push(message.text());
  });
  return context;
}

export interface Login {
  /** Seconds until the token is out of use. */
  seconds?: number;
  accessToken?: string;
}

/** The login as the dashboard keeps it in the browser, without having gone through the login's pages. */
function storedLogin({ accessToken }: Pick<Opened, 'accessToken'>, { seconds = 3600 }: Login) {
  const { issuer, clientId } = local.login;
  const user = {
    ...{ access_token: accessToken, token_type: 'Bearer', scope: 'openid email' },
    profile: { sub: 'tester', email: 'test@example.com' },
    expires_at: Math.floor(Date.now() / 1000) + seconds,
  };
  return { name: `oidc.user:${issuer}:${clientId}`, value: JSON.stringify(user) };
}

/** A browser in which an account's owner is signed in. */
export async function signedIn(
  account: Pick<Opened, 'accessToken'>,
  { size, dark, ...login }: Visitor & Login = {},
): Promise<BrowserContext> {
  const context = await newVisitor({ ...(size ? { size } : {}), ...(dark ? { dark } : {}) });
  const { origin } = new URL(local.baseUrl);
  const { name, value } = storedLogin(account, login);
  await context.addInitScript(
    // Once: what the dashboard does with it afterwards is its own.
    `if (location.origin === ${JSON.stringify(origin)} && !localStorage.getItem('given')) {
      localStorage.setItem('given', 'yes');
      localStorage.setItem(${JSON.stringify(name)}, ${JSON.stringify(value)});
    }`,
  );
  return context;
}

/** Goes to a screen and waits until it has read what it shows. */
export async function open(context: BrowserContext, path: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(path.replace(/^\//, ''));
  await settled(page);
  return page;
}

/** Waits until nothing on the screen is being read any more. */
export async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  const busy = page.locator('main [aria-busy=true]');
  while ((await busy.count()) > 0) await busy.first().waitFor({ state: 'detached' });
}
