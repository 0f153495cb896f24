import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { createApp } from '../../contract/apps/apps.ts';
import { newAccount } from '../support/harness.ts';
import { openScreen, signedInContext, waitUntilLoaded } from './browser.ts';

/** Ctrl-clicks a link. Returns true if the app leaves the click to the browser, which opens a new tab. */
async function isLeftToBrowser(page: Page, link: Locator): Promise<boolean> {
  // Runs after the app's handler and cancels the click: a second tab sometimes hangs this single-process browser.
  await page.evaluate(`addEventListener('click', (event) => {
    document.title = event.defaultPrevented ? 'taken' : 'left';
    event.preventDefault();
  }, { once: true })`);
  await link.click({ modifiers: ['ControlOrMeta'] });
  return (await page.title()) === 'left';
}

test('rows and tabs are links that open in new tabs, and Back and Forward work', async () => {
  const account = await newAccount();
  const { id } = (await account.call(createApp, { body: { name: 'Findable' } })).body.data;
  const page = await openScreen(await signedInContext(account), 'apps');
  const row = page.getByRole('link', { name: 'Findable' });
  expect(await row.getAttribute('href')).toBe(`/dashboard/apps/${id}`);
  expect(await isLeftToBrowser(page, row)).toBe(true);
  expect(new URL(page.url()).pathname).toBe('/dashboard/apps');

  await row.click();
  await waitUntilLoaded(page);
  const tab = page.getByRole('tab', { name: 'Git' });
  expect(await tab.getAttribute('href')).toBe(`/dashboard/apps/${id}/git`);
  expect(await isLeftToBrowser(page, tab)).toBe(true);
  expect(new URL(page.url()).pathname).toBe(`/dashboard/apps/${id}`);
  await page.getByRole('tab', { name: 'Variables' }).click();
  await page.getByRole('heading', { name: 'Environment variables' }).waitFor();
  await page.goBack();
  await page.getByText('No deployments yet').waitFor();
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: 'Applications' }).waitFor();
  await page.goForward();
  await page.goForward();
  await page.getByRole('heading', { name: 'Environment variables' }).waitFor();
  expect(new URL(page.url()).pathname).toBe(`/dashboard/apps/${id}/env`);
});

test('the arrow keys move between tabs, and Enter opens one', async () => {
  const account = await newAccount();
  const page = await openScreen(await signedInContext(account), 'billing');
  await page.getByRole('tab', { name: 'Wallet' }).focus();
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Your subscriptions' }).waitFor();
  expect(await page.getByRole('tab', { name: 'Plans' }).getAttribute('aria-selected')).toBe('true');
  expect(await page.getByRole('tab', { name: 'Wallet' }).getAttribute('aria-selected')).toBe('false');
});

test('a click copies an identifier, and times have an exact tooltip', async () => {
  const account = await newAccount();
  const { id } = (await account.call(createApp, { body: { name: 'Named' } })).body.data;
  const context = await signedInContext(account);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const page = await openScreen(context, `apps/${id}`);
  await page.getByRole('button', { name: `${id} Copy` }).click();
  await page.getByText('Copied').waitFor();
  expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(id);
  await page.goto('apps');
  const when = page.locator('time').first();
  expect(await when.textContent()).toBe('just now');
  expect(await when.getAttribute('title')).toMatch(/20\d\d.*:\d\d:\d\d/);
});
