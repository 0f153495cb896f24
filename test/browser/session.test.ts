import { randomUUID } from 'node:crypto';
import type { BrowserContext, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { listKeys } from '../../contract/accounts/api-keys.ts';
import { getMe } from '../../contract/accounts/me.ts';
import { clientOf, codeOf, local, newAccount, waitFor } from '../support/harness.ts';
import { LoginBrowser } from '../support/sign-in.ts';
import { newContext, openScreen, POLL, signedInContext, VIEWPORTS, waitUntilLoaded } from './browser.ts';

const { demo } = local.accounts;
type User = Pick<typeof demo, 'email' | 'password'>;

/** Signs in on the login page. */
async function submitLogin(page: Page, { email, password }: User = demo): Promise<void> {
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

async function signIn(context: BrowserContext, path: string, user: User = demo): Promise<Page> {
  const page = await context.newPage();
  await page.goto(path);
  await submitLogin(page, user);
  return page;
}

/** Presses the button of an expired session. Returns the popup. */
async function openPopup(page: Page): Promise<Page> {
  const dialog = page.getByRole('dialog', { name: 'Your session has expired' });
  const opened = page.context().waitForEvent('page');
  await dialog.getByRole('button', { name: 'Sign in again' }).click();
  return await opened;
}

/** Signs up with an account of its own. */
async function signUp() {
  const user = { email: `${randomUUID()}@example.com`, password: 'correct horse battery' };
  const { access_token: accessToken } = await new LoginBrowser().signIn({ ...user, name: 'Test' });
  return { ...user, accessToken, dashboard: clientOf({ accessToken: () => accessToken }) };
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
  const user = await signUp();
  const page = await openScreen(await signedInContext(user), 'apps/new');
  const name = `Kept ${Date.now()}`;
  await page.getByLabel('Name').fill(name);
  await rejectTokenOnce(page, '/dashboard/v1/apps');
  await page.getByRole('button', { name: 'Create application' }).click();
  const popup = await openPopup(page);
  await submitLogin(popup, user);
  await page.getByRole('heading', { name }).waitFor();
  expect(await page.getByRole('dialog').count()).toBe(0);
  if (!popup.isClosed()) await popup.waitForEvent('close');
});

test('the field with the focus has it again after an expired session is renewed', async () => {
  const user = await signUp();
  const page = await openScreen(await signedInContext(user), 'apps/new');
  await rejectTokenOnce(page, '/dashboard/v1/repositories');
  const repository = page.getByLabel('Git repository');
  await repository.fill('https://git.localhost/none.git');
  await submitLogin(await openPopup(page), user);
  await expect.poll(() => repository.evaluate((field) => field.matches(':focus')), POLL).toBe(true);
  expect(await repository.getAttribute('tabindex')).toBeNull();
});

test('another user who signs in after a session expired gets a new page, and pending calls are not sent', async () => {
  const [alice, zoe] = [await signUp(), await signUp()];
  const page = await openScreen(await signedInContext(alice), 'developers?dialog=new-key');
  await page.getByLabel('Name').fill('Of Alice');
  await rejectTokenOnce(page, '/dashboard/v1/keys');
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
  await submitLogin(await openPopup(page), zoe);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.getByRole('button', { name: `Account ${zoe.email}` }).waitFor();
  await page.getByRole('link', { name: 'Developers' }).click();
  await page.getByRole('button', { name: 'Create key' }).click();
  expect(await page.getByRole('dialog').getByLabel('Name').inputValue()).toBe('');
  for (const { dashboard } of [alice, zoe])
    expect((await dashboard.call(listKeys)).body.data.map(({ name }) => name)).not.toContain('Of Alice');
});

test('an invitation is kept where another user signs in to accept it', async () => {
  const [alice, zoe] = [await signUp(), await signUp()];
  const page = await openScreen(await signedInContext(alice), 'invitation#a-secret');
  await rejectTokenOnce(page, '/dashboard/v1/invitations/accept');
  await page.getByRole('button', { name: 'Accept invitation' }).click();
  await submitLogin(await openPopup(page), zoe);
  await page.getByRole('button', { name: `Account ${zoe.email}` }).waitFor();
  await page.getByRole('button', { name: 'Accept invitation' }).waitFor();
  expect(page.url()).toMatch(/\/dashboard\/invitation#a-secret$/);
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

test('after a sign-out, other tabs show the next user nothing of the one before', async () => {
  const [account, next] = [await newAccount({ walletCents: 12_345 }), await signUp()];
  const context = await signedInContext(account);
  const page = await openScreen(context, 'billing');
  await page.getByText('R123.45').first().waitFor();
  const other = await openScreen(context, '');
  await other.getByRole('button', { name: /^Account/ }).click();
  await other.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
  await signIn(context, '', next);
  await page.getByRole('button', { name: `Account ${next.email}` }).waitFor();
  await page.getByRole('link', { name: 'Billing' }).click();
  await page.getByText('R0.00').first().waitFor();
  expect(await page.getByText('R123.45').count()).toBe(0);
});

test('Back from the login page skips the page that redirected to it', async () => {
  const page = await (await newContext()).newPage();
  await page.goto('/docs');
  await page.goto('apps');
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await page.goBack();
  expect(new URL(page.url()).pathname).toBe('/docs');
});

/** Has the page believe that the browser kept it and Back restored it: the browser of these tests keeps none. */
const restore = (page: Page) =>
  page.evaluate(`window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))`);

test('a page that Back restores shows nothing of a login that has signed out, or of an account that the tab has left', async () => {
  const account = await newAccount({ walletCents: 12_345 });
  const context = await signedInContext(account);
  const page = await openScreen(context, 'billing');
  await page.getByText('R123.45').first().waitFor();
  await restore(page);
  expect(await page.getByText('R123.45').count()).toBeGreaterThan(0);
  // Storage events are for other pages than the one that changes the storage.
  await page.evaluate(() => localStorage.clear());
  await restore(page);
  await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
  expect(await page.getByText('R123.45').count()).toBe(0);
  const again = await openScreen(context, 'billing');
  await again.getByText('R123.45').first().waitFor();
  await again.evaluate(() => sessionStorage.setItem('account', 'acc_other'));
  await Promise.all([again.waitForEvent('load'), restore(again)]);
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

test('without JavaScript or storage, the page says in sight what it needs', async () => {
  const context = await newContext();
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  await cdp.send('Emulation.setScriptExecutionDisabled', { value: true });
  await page.goto('apps');
  const text = await page.locator('noscript').boundingBox();
  expect((text?.y ?? Number.POSITIVE_INFINITY) + (text?.height ?? 0)).toBeLessThan(VIEWPORTS.desk.height);
  await cdp.send('Emulation.setScriptExecutionDisabled', { value: false });
  // As browsers do that block all cookies.
  await page.addInitScript(
    `for (const name of ['localStorage', 'sessionStorage']) {
      const get = () => {
        throw new DOMException('Access is denied for this document.', 'SecurityError');
      };
      Object.defineProperty(window, name, { get });
    }`,
  );
  await page.goto('apps');
  await page.getByText('Your browser blocks cookies and site data for this page.', { exact: false }).waitFor();
});

test('a session that cannot be renewed, because the page misses the script for it, is renewed in a popup', async () => {
  const user = await signUp();
  const context = await signedInContext(user);
  const page = await openScreen(context, 'apps/new');
  await page.getByLabel('Name').fill('Typed before');
  await page.evaluate(`{
    const key = Object.keys(localStorage).find((each) => each.startsWith('oidc.user:'));
    const stored = { ...JSON.parse(localStorage.getItem(key)), refresh_token: 'a-token', expires_at: 1 };
    localStorage.setItem(key, JSON.stringify(stored));
    window.dispatchEvent(new StorageEvent('storage', { key }));
  }`);
  const script = '**/dashboard/assets/oidc-client-ts-*.js';
  await context.route(script, (route) => route.fulfill({ status: 404 }));
  await page.getByRole('button', { name: 'Create application' }).click();
  await page.getByRole('dialog', { name: 'Your session has expired' }).waitFor();
  await context.unroute(script);
  await submitLogin(await openPopup(page), user);
  await page.getByRole('heading', { name: 'Typed before' }).waitFor();
});
