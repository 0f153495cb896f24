import type { BrowserContext, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { local, newAccount } from '../support/harness.ts';
import { newVisitor, open, settled, signedIn } from './browser.ts';

const { demo } = local.accounts;

/** Fills in the login's own page. */
async function signInOn(page: Page): Promise<void> {
  await page.getByLabel('E-mail address').fill(demo.email);
  await page.getByLabel('Password').fill(demo.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

async function signIn(context: BrowserContext, path: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(path);
  await signInOn(page);
  return page;
}

/** The API refuses the next call's token, as it does when that has expired or was revoked. */
const refuseOnce = (page: Page, path: string) =>
  page.route(
    `**${path}*`,
    (route) =>
      route.fulfill({
        status: 401,
        json: { error: { message: 'A valid login is needed.', code: 'unauthorized', status: 401 } },
      }),
    { times: 1 },
  );

test('whoever is not signed in comes to the login page, and from there to where they wanted to be', async () => {
  const page = await signIn(await newVisitor(), 'apps/new?from=here');
  await page.getByRole('heading', { name: 'New application' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/dashboard/apps/new');
  expect(new URL(page.url()).search).toBe('?from=here');
  await page.getByRole('button', { name: `Account ${demo.email}` }).waitFor();
});

test('a token that is out of use is renewed without anybody noticing', async () => {
  const page = await signIn(await newVisitor(), '');
  await settled(page);
  await refuseOnce(page, '/dashboard/v1/hosting');
  const renewed = page.waitForResponse((answer) => answer.request().method() === 'POST' && /token/.test(answer.url()));
  await page.getByRole('link', { name: 'Hosting' }).click();
  expect((await renewed).status()).toBe(200);
  await page.getByRole('heading', { name: 'Hosting' }).waitFor();
  await settled(page);
  expect(await page.getByRole('alert').count()).toBe(0);
});

test('a login that has ended is renewed in a window of its own: what was typed stays and goes on by itself', async () => {
  const context = await signedIn(await newAccount());
  const page = await open(context, 'apps/new');
  const name = `Kept ${Date.now()}`;
  await page.getByLabel('Name').fill(name);
  await refuseOnce(page, '/dashboard/v1/apps');
  await page.getByRole('button', { name: 'Create application' }).click();
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  await dialog.waitFor();
  const [popup] = await Promise.all([
    context.waitForEvent('page'),
    dialog.getByRole('button', { name: 'Sign in again' }).click(),
  ]);
  await signInOn(popup);
  await page.getByRole('heading', { name }).waitFor();
  expect(await dialog.count()).toBe(0);
  if (!popup.isClosed()) await popup.waitForEvent('close');
});

test('signing out in one tab signs out the other', async () => {
  const context = await newVisitor();
  const first = await signIn(context, '');
  await settled(first);
  const second = await open(context, 'apps');
  await first.getByRole('button', { name: /^Account/ }).click();
  await first.getByRole('button', { name: 'Sign out' }).click();
  await first.getByRole('heading', { name: 'Sign in' }).waitFor();
  await second.getByRole('heading', { name: 'You are signed out' }).waitFor();
  await second.getByRole('button', { name: 'Sign in' }).click();
  await second.getByRole('heading', { name: 'Sign in' }).waitFor();
});

test('coming back from the login without what was begun here says so, and begins anew', async () => {
  const page = await (await newVisitor()).newPage();
  await page.goto('callback?code=stolen&state=forged');
  await page.getByText('You are not signed in').waitFor();
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
});
