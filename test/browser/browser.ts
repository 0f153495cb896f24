import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { expect, inject } from 'vitest';
import { local, type OpenedAccount } from '../support/harness.ts';

/** Viewports: desktop, tablet and phone. */
export const VIEWPORTS = {
  desk: { width: 1280, height: 900 },
  tablet: { width: 820, height: 1180 },
  phone: { width: 390, height: 844 },
} as const;

/**
 * Limit of every wait for a page, in milliseconds: what a page shows may be the end of a deployment, for which other
 * tests have the same limit.
 */
const WAIT_TIMEOUT_MS = 110_000;

/** Options of a poll. */
export const POLL = { timeout: WAIT_TIMEOUT_MS } as const;

let browser: Promise<Browser> | undefined;
const contexts: BrowserContext[] = [];
/** Unexpected errors of the pages: exceptions, and violations of the content security policy. */
const pageErrors: string[] = [];

const launch = async (): Promise<Browser> =>
  await chromium.launch({
    executablePath: inject('browser'),
    args: ['--no-sandbox', '--headless=shell', '--disable-dev-shm-usage'],
  });

/** Closes the pages of a test, which must have reported no error. */
export async function closePages(): Promise<void> {
  for (const context of contexts.splice(0)) await context.close();
  expect(pageErrors.splice(0)).toEqual([]);
}

export async function closeBrowser(): Promise<void> {
  const opened = browser;
  browser = undefined;
  await (await opened)?.close();
}

export interface ContextOptions {
  size?: keyof typeof VIEWPORTS;
  dark?: boolean;
}

/** Opens a browser context without a session. */
export async function newContext({ size = 'desk', dark = false }: ContextOptions = {}): Promise<BrowserContext> {
  browser ??= launch();
  const context = await (await browser).newContext({
    viewport: VIEWPORTS[size],
    colorScheme: dark ? 'dark' : 'light',
    baseURL: `${local.baseUrl}/dashboard/`,
    reducedMotion: 'reduce',
    // The one of this machine may be none that browsers have (`en-US@posix`).
    locale: 'en-ZA',
    // Not the API's UTC: times are shown in the reader's zone.
    timezoneId: 'Africa/Johannesburg',
  });
  contexts.push(context);
  context.setDefaultTimeout(WAIT_TIMEOUT_MS);
  context.on('weberror', (error) => pageErrors.push(String(error.error())));
  context.on('console', (message) => {
    // What the browser and React say of requests that a test lets fail: the test checks what the page says.
    const isRequest = /Failed to (?:load resource|fetch dynamically imported module)/.test(message.text());
    if (message.type() === 'error' && !isRequest) pageErrors.push(message.text());
  });
  return context;
}

export interface SessionOptions {
  /** Seconds until the token expires. */
  seconds?: number;
  accessToken?: string;
}

/** Builds the session as the dashboard stores it in the browser, without the login pages. */
function storedSession({ accessToken }: Pick<OpenedAccount, 'accessToken'>, { seconds = 3600 }: SessionOptions) {
  const { issuer, clientId } = local.login;
  const user = {
    access_token: accessToken,
    token_type: 'Bearer',
    scope: 'openid email',
    profile: { sub: 'tester', email: 'test@example.com' },
    expires_at: Math.floor(Date.now() / 1000) + seconds,
  };
  return { name: `oidc.user:${issuer}:${clientId}`, value: JSON.stringify(user) };
}

/** Opens a browser context with a signed-in user. */
export async function signedInContext(
  account: Pick<OpenedAccount, 'accessToken'>,
  { size, dark, ...login }: ContextOptions & SessionOptions = {},
): Promise<BrowserContext> {
  const context = await newContext({ ...(size ? { size } : {}), ...(dark ? { dark } : {}) });
  const { origin } = new URL(local.baseUrl);
  const { name, value } = storedSession(account, login);
  await context.addInitScript(
    // Only once: later changes are the dashboard's own.
    `if (location.origin === ${JSON.stringify(origin)} && !localStorage.getItem('given')) {
      localStorage.setItem('given', 'yes');
      localStorage.setItem(${JSON.stringify(name)}, ${JSON.stringify(value)});
    }`,
  );
  return context;
}

/** Opens a screen, in a page of its own unless one is given, and waits until it has loaded. */
export async function openScreen(context: BrowserContext, path: string, reused?: Page): Promise<Page> {
  const page = reused ?? (await context.newPage());
  await page.goto(path.replace(/^\//, ''));
  await waitUntilLoaded(page);
  return page;
}

/** Waits until nothing on the screen is loading. */
export async function waitUntilLoaded(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  const busy = page.locator('main [aria-busy=true]');
  while ((await busy.count()) > 0) await busy.first().waitFor({ state: 'detached' });
}

/** Runs in the page: returns the sum of the layout shifts so far (https://web.dev/articles/cls). */
export const LAYOUT_SHIFT = `(() => {
  const observer = new PerformanceObserver(() => {});
  observer.observe({ type: 'layout-shift', buffered: true });
  return observer.takeRecords().reduce((sum, { value }) => sum + value, 0);
})()`;
