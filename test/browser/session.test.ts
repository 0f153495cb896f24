import type { BrowserContext, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { getMe } from '../../contract/accounts/me.ts';
import { clientOf, codeOf, local, newAccount, waitFor } from '../support/harness.ts';
import { LoginBrowser } from '../support/sign-in.ts';
import { newContext, openScreen, signedInContext, waitUntilLoaded } from './browser.ts';

const { demo } = local.accounts;

/** Signs in on the login page. */
async function submitLogin(page: Page): Promise<void> {
  await page.getByLabel('Email address').fill(demo.email);
  await page.getByLabel('Password').fill(demo.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

async function signIn(context: BrowserContext, path: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(path);
  await submitLogin(page);
  return page;
}

/** Rejects the token of the next call, like the API does once it has expired or was revoked. */
const rejectTokenOnce = (page: Page, path: string) =>
  page.route(
    `**${path}*`,
    (route) =>
      route.fulfill({
        status: 401,
        json: { error: { message: 'A valid login is needed.', code: 'unauthorized', status: 401 } },
      }),
    { times: 1 },
  );

test('signed-out users are sent to the login page and from there to the original URL', async () => {
  const page = await signIn(await newContext(), 'apps/new?from=here');
  await page.getByRole('heading', { name: 'New application' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/dashboard/apps/new');
  expect(new URL(page.url()).search).toBe('?from=here');
  await page.getByRole('button', { name: `Account ${demo.email}` }).waitFor();
});

test('an expired token is renewed without interruption', async () => {
  const page = await signIn(await newContext(), '');
  await waitUntilLoaded(page);
  await rejectTokenOnce(page, '/dashboard/v1/hosting');
  const renewed = page.waitForResponse((answer) => answer.request().method() === 'POST' && /token/.test(answer.url()));
  await page.getByRole('link', { name: 'Web hosting' }).click();
  expect((await renewed).status()).toBe(200);
  await page.getByRole('heading', { name: 'Web hosting' }).waitFor();
  await waitUntilLoaded(page);
  expect(await page.getByRole('alert').count()).toBe(0);
});

test('an expired session is renewed in a popup: input is kept and pending calls continue', async () => {
  const context = await signedInContext(await newAccount());
  const page = await openScreen(context, 'apps/new');
  const name = `Kept ${Date.now()}`;
  await page.getByLabel('Name').fill(name);
  await rejectTokenOnce(page, '/dashboard/v1/apps');
  await page.getByRole('button', { name: 'Create application' }).click();
  const dialog = page.getByRole('dialog', { name: 'Your session has expired' });
  await dialog.waitFor();
  const [popup] = await Promise.all([
    context.waitForEvent('page'),
    dialog.getByRole('button', { name: 'Sign in again' }).click(),
  ]);
  await submitLogin(popup);
  await page.getByRole('heading', { name }).waitFor();
  expect(await dialog.count()).toBe(0);
  if (!popup.isClosed()) await popup.waitForEvent('close');
});

test('signing out in one tab signs out the other, and revokes the session', async () => {
  const context = await newContext();
  const first = await signIn(context, '');
  await waitUntilLoaded(first);
  const second = await openScreen(context, 'apps');
  const tokens = await second.evaluate(() =>
    Object.entries(localStorage).flatMap(([key, value]) => (key.startsWith('oidc.user:') ? [JSON.parse(value)] : [])),
  );
  await first.getByRole('button', { name: /^Account/ }).click();
  await first.getByRole('button', { name: 'Sign out' }).click();
  await first.getByRole('heading', { name: 'Sign in' }).waitFor();
  await second.getByRole('heading', { name: 'You are signed out' }).waitFor();
  // Copies of the session's tokens are worth nothing any more.
  const renewal = await new LoginBrowser().token({
    grant_type: 'refresh_token',
    refresh_token: String(tokens[0]?.refresh_token),
  });
  expect([tokens.length, renewal.status]).toEqual([1, 400]);
  const access = clientOf({ accessToken: () => String(tokens[0]?.access_token) });
  expect(codeOf(await access.call(getMe))).toBe('unauthorized');
  await second.getByRole('button', { name: 'Sign in' }).click();
  await second.getByRole('heading', { name: 'Sign in' }).waitFor();
});

test('a callback without a sign-in started here is rejected and offers to sign in', async () => {
  const page = await (await newContext()).newPage();
  await page.goto('callback?code=stolen&state=forged');
  await page.getByText('You are not signed in').waitFor();
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
});

const METADATA = '**/.well-known/openid-configuration';

test('a sign-in that cannot start says so, and starts on request', async () => {
  const context = await newContext();
  let isReachable = false;
  await context.route(METADATA, (route) => (isReachable ? route.continue() : route.abort()));
  const page = await context.newPage();
  for (const path of ['sign-in', 'apps/new']) {
    await page.goto(path);
    await page.getByRole('heading', { name: 'The login page could not be opened' }).waitFor();
  }
  isReachable = true;
  await page.getByRole('button', { name: 'Try again' }).click();
  await submitLogin(page);
  await page.getByRole('heading', { name: 'New application' }).waitFor();
});

test.each([METADATA, '**/dashboard/assets/oidc-client-ts-*.js'])(
  'signing out while the login page cannot be reached (%s) signs out of this browser and the API',
  async (unreachable) => {
    const account = await newAccount();
    const context = await signedInContext(account);
    await context.route(unreachable, (route) => route.abort());
    const [first, second] = [await openScreen(context, 'apps'), await openScreen(context, '')];
    await first.getByRole('button', { name: /^Account/ }).click();
    await first.getByRole('button', { name: 'Sign out' }).click();
    await first.getByText('The login page could not be reached', { exact: false }).waitFor();
    for (const page of [first, second]) await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
    expect(await first.evaluate(() => Object.keys(localStorage).join())).not.toContain('oidc.user:');
    await waitFor(async () => codeOf(await account.dashboard.call(getMe)) === 'unauthorized');
  },
);
