import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { createApp } from '../../contract/apps/apps.ts';
import { newAccount } from '../support/harness.ts';
import { examine } from './accessibility.ts';
import { openScreen, POLL, signedInContext, VIEWPORTS, waitUntilLoaded } from './browser.ts';
import { backgroundOf } from './styles.ts';

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

test('millions of rand and a long name fit every width', async () => {
  const account = await newAccount({ walletCents: 123_456_789 });
  const { id } = (await account.call(createApp, { body: { name: 'long'.repeat(15), framework: 'EXPRESS' } })).body.data;
  const page = await openScreen(await signedInContext(account), '');
  for (const width of [320, 390, 768, 1024, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    const outside = await page.evaluate<string[]>(`[...document.querySelectorAll('.stat')].filter((stat) =>
      stat.getBoundingClientRect().left + stat.scrollWidth > stat.closest('.card').getBoundingClientRect().right)
      .map(({ textContent }) => textContent)`);
    expect({ width, outside }).toEqual({ width, outside: [] });
  }
  await page.setViewportSize({ width: 320, height: 800 });
  await openScreen(page.context(), `apps/${id}/domain`, page);
  expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(320);
});

test('a selected tab does not move the others', async () => {
  const page = await openScreen(await signedInContext(await newAccount()), 'billing');
  const tabs = page.getByRole('tab');
  const places = () => tabs.evaluateAll((all) => all.map((tab) => tab.getBoundingClientRect().x));
  const before = await places();
  await tabs.filter({ hasText: 'Spending' }).click();
  await waitUntilLoaded(page);
  expect(await places()).toEqual(before);
});

test('a dialog returns the focus to its button, also when it is closed for the first time', async () => {
  const page = await openScreen(await signedInContext(await newAccount()), 'developers');
  for (const name of ['Create key', 'Revoke']) {
    const button = page.getByRole('button', { name }).first();
    await button.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('dialog').count(), POLL).toBe(0);
    await page.locator('button:focus', { hasText: name }).waitFor();
  }
});

test('the focus returns to a control whose action ends, and moves to the part around one that is gone', async () => {
  const account = await newAccount();
  const { id } = (await account.call(createApp, { body: { name: 'Focused' } })).body.data;
  const page = await openScreen(await signedInContext(account), 'settings/notifications');
  const focused = () => page.evaluate<string>('document.activeElement.tagName');
  const kind = page.getByRole('checkbox').first();
  await kind.focus();
  await page.keyboard.press('Space');
  await expect.poll(() => kind.isChecked(), POLL).toBe(false);
  await page.locator('input[type=checkbox]:focus:enabled').waitFor();

  await openScreen(page.context(), `apps/${id}/settings`, page);
  await page.getByLabel('Name').fill('Renamed');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.', { exact: true }).waitFor();
  await expect.poll(focused, POLL).not.toBe('BODY');
  await page.getByLabel('Production branch').fill('other');
  await page.reload();
  await page.getByRole('button', { name: 'Discard' }).click();
  await page.locator('form:focus').waitFor();
  // A dialog that a link opened has no button to return to.
  await openScreen(page.context(), 'settings?dialog=invite', page);
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.locator('main:focus').waitFor();

  // A notification that is closed above a dialog leaves the focus in the dialog, not behind it.
  await page.route('**/v1/notifications/settings', (route) => route.abort());
  await openScreen(page.context(), 'settings/notifications', page);
  await kind.click();
  await page.getByRole('alert').waitFor();
  await page.getByRole('tab', { name: 'Members' }).click();
  await page.getByRole('button', { name: 'Invite member' }).click();
  await page.getByRole('dialog').waitFor();
  await page.getByRole('alert').getByRole('button').press('Enter');
  await page.locator('[role=dialog]:focus').waitFor();

  // The navigation of a phone closes, and its link does not leave the screen.
  await page.setViewportSize(VIEWPORTS.phone);
  await openScreen(page.context(), 'billing/plans', page);
  await page.getByRole('button', { name: 'Navigation' }).click();
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Billing' }).click();
  await page.locator('main:focus').waitFor();
});

test('Back closes a dialog that a button opened, and a closed dialog is no step of Back', async () => {
  const page = await openScreen(await signedInContext(await newAccount()), 'apps');
  await page.getByRole('link', { name: 'Developers' }).click();
  const dialog = page.getByRole('dialog');
  await page.getByRole('button', { name: 'Create key' }).click();
  await dialog.waitFor();
  await page.goBack();
  await expect.poll(() => dialog.count(), POLL).toBe(0);
  // One that shows a secret stays, and does not show it again once it was closed.
  await page.getByRole('button', { name: 'Create key' }).click();
  await dialog.getByLabel('Name').fill('Shown once');
  await dialog.getByRole('button', { name: 'Create key' }).click();
  await dialog.getByText('Copy the secret key now.', { exact: false }).waitFor();
  await page.goBack();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await expect.poll(() => dialog.count(), POLL).toBe(0);
  await page.getByRole('button', { name: 'Create key' }).click();
  await dialog.getByLabel('Name').waitFor();
  expect(await dialog.getByText('Copy the secret key now.', { exact: false }).count()).toBe(0);
  await page.keyboard.press('Escape');
  await expect.poll(() => dialog.count(), POLL).toBe(0);
  expect(new URL(page.url()).pathname).toBe('/dashboard/developers');
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: 'Applications' }).waitFor();
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

test('the command palette finds resources and actions by keyboard, and breadcrumbs lead back', async () => {
  const account = await newAccount({ appLimit: 5 });
  const { id } = (await account.call(createApp, { body: { name: 'Needle' } })).body.data;
  await account.call(createApp, { body: { name: 'Haystack' } });
  const page = await openScreen(await signedInContext(account), 'billing');
  await page.keyboard.press('ControlOrMeta+k');
  const search = page.getByRole('textbox', { name: 'Search applications, domains, keys and actions' });
  await search.waitFor();
  await page.getByRole('button', { name: 'Haystack' }).waitFor();
  const { violations } = await examine(page);
  expect(violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')).toEqual([]);
  await search.fill('needle env');
  await page.getByRole('button', { name: 'Needle › Variables' }).waitFor();
  expect(await page.getByRole('button', { name: 'Haystack' }).count()).toBe(0);
  await page.keyboard.press('ArrowDown');
  const selected = page.locator('[data-selected]');
  await selected.waitFor();
  // One whose selection is not seen cannot be used by keyboard.
  expect(await backgroundOf(selected)).not.toBe('rgba(0, 0, 0, 0)');
  expect((await examine(page, { runOnly: ['color-contrast'] })).violations).toEqual([]);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Environment variables' }).waitFor();
  expect(new URL(page.url()).pathname).toBe(`/dashboard/apps/${id}/env`);

  await page.getByRole('button', { name: /^Search Ctrl/ }).click();
  await search.fill('create an api key');
  await page.getByRole('button', { name: 'Create an API key' }).click();
  await page.getByRole('dialog').getByLabel('Name').waitFor();
  expect(new URL(page.url()).search).toBe('?dialog=new-key');
  await page.keyboard.press('Escape');
  await expect.poll(() => new URL(page.url()).search, POLL).toBe('');
  await page.goBack();
  await page.getByRole('heading', { name: 'Environment variables' }).waitFor();
  await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Applications' }).click();
  await page.getByRole('heading', { level: 1, name: 'Applications' }).waitFor();
});

test('a list is searched, filtered and sorted, and a link, a reload and Back restore that', async () => {
  const account = await newAccount({ appLimit: 5 });
  for (const name of ['Shop 10', 'Blog', 'Shop 2']) await account.call(createApp, { body: { name, deployNow: false } });
  const context = await signedInContext(account);
  const page = await openScreen(context, 'apps');
  const names = () =>
    page.locator('a.row').evaluateAll((rows) => rows.map((row) => row.querySelector('.row-title')?.textContent));
  expect(await names()).toEqual(['Shop 2', 'Blog', 'Shop 10']);
  await page.getByLabel('Sort applications').selectOption('Name');
  await expect.poll(names, POLL).toEqual(['Blog', 'Shop 2', 'Shop 10']);
  await page.getByLabel('Search applications').fill('shop');
  await expect.poll(names, POLL).toEqual(['Shop 2', 'Shop 10']);
  await expect.poll(() => new URL(page.url()).search, POLL).toBe('?sort=name&q=shop');
  await page.reload();
  await waitUntilLoaded(page);
  await expect.poll(names, POLL).toEqual(['Shop 2', 'Shop 10']);
  await page.locator('a.row').first().click();
  await page.getByRole('heading', { level: 1, name: 'Shop 2' }).waitFor();
  await page.goBack();
  await expect.poll(names, POLL).toEqual(['Shop 2', 'Shop 10']);
  expect(await page.getByLabel('Search applications').inputValue()).toBe('shop');
  await page.getByLabel('Filter applications by status').selectOption('Not deployed');
  await page.getByLabel('Search applications').fill('nothing like it');
  await page.getByText('No matching applications').waitFor();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await expect.poll(names, POLL).toEqual(['Blog', 'Shop 2', 'Shop 10']);
});
