import type { BrowserContext, Route } from 'playwright-core';
import { expect, test } from 'vitest';
import { createApp, editApp, getApp, listApps } from '../../contract/apps/apps.ts';
import { listInvoices } from '../../contract/billing/invoices.ts';
import { createWebhook } from '../../contract/webhooks/endpoints.ts';
import { listEndpoints, updateWebhook } from '../../contract/webhooks/management.ts';
import { newAccount } from '../support/harness.ts';
import { openScreen, POLL, signedInContext, waitUntilLoaded } from './browser.ts';

const RESTORED = 'Draft restored.';

test('an unsent form is restored after a reload and forgotten once it is sent', async () => {
  const account = await newAccount();
  const page = await openScreen(await signedInContext(account), 'apps/new');
  await page.getByLabel('Name').fill('Half done');
  await page.getByLabel('Framework').selectOption('EXPRESS');
  await page.reload();
  await waitUntilLoaded(page);
  await page.getByText(RESTORED).waitFor();
  expect(await page.getByLabel('Name').inputValue()).toBe('Half done');
  expect(await page.getByLabel('Framework').inputValue()).toBe('EXPRESS');
  await page.getByRole('button', { name: 'Create application' }).click();
  await page.getByRole('heading', { name: 'Half done' }).waitFor();
  expect((await account.call(listApps)).body.data).toHaveLength(1);
  await page.goto('apps/new');
  await waitUntilLoaded(page);
  expect(await page.getByLabel('Name').inputValue()).toBe('');
  expect(await page.getByText(RESTORED).count()).toBe(0);
});

test('a restored draft can be discarded, and another form of the same kind has its own', async () => {
  const account = await newAccount();
  const [one, other] = await Promise.all(
    ['One', 'Other'].map(async (name) => (await account.call(createApp, { body: { name } })).body.data.id),
  );
  const page = await openScreen(await signedInContext(account), `apps/${one}/settings`);
  await page.getByLabel('Production branch').fill('unsent');
  await page.goto(`apps/${other}/settings`);
  await waitUntilLoaded(page);
  expect(await page.getByLabel('Production branch').inputValue()).toBe('main');
  await page.goto(`apps/${one}/settings`);
  await waitUntilLoaded(page);
  expect(await page.getByLabel('Production branch').inputValue()).toBe('unsent');
  await page.getByRole('button', { name: 'Discard' }).click();
  expect(await page.getByLabel('Production branch').inputValue()).toBe('main');
  await page.reload();
  await waitUntilLoaded(page);
  expect(await page.getByText(RESTORED).count()).toBe(0);
});

test('a form in a dialog is restored when the dialog is reopened', async () => {
  const page = await openScreen(await signedInContext(await newAccount()), 'developers');
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('A key to be');
  await page.getByRole('dialog').getByLabel('deploy:').check();
  await page.keyboard.press('Escape');
  await page.reload();
  await page.getByRole('button', { name: 'Create key' }).click();
  const dialog = page.getByRole('dialog');
  expect(await dialog.getByLabel('Name').inputValue()).toBe('A key to be');
  expect(await dialog.getByLabel('deploy:').isChecked()).toBe(true);
});

test('a change of what exists is restored when its dialog is reopened', async () => {
  const account = await newAccount();
  const { data } = (await account.call(createWebhook, { body: { url: 'https://example.com/hooks' } })).body;
  const page = await openScreen(await signedInContext(account), `developers/webhooks/${data.id}`);
  const edited = async (field: string) => {
    await page.getByRole('button', { name: /^Edit/ }).first().click();
    return page.getByRole('dialog').getByLabel(field);
  };
  await (await edited('Description')).fill('Half changed');
  await page.keyboard.press('Escape');
  await page.reload();
  expect(await (await edited('Description')).inputValue()).toBe('Half changed');
  await openScreen(page.context(), 'developers', page);
  await (await edited('Name')).fill('Half renamed');
  await page.keyboard.press('Escape');
  await page.reload();
  expect(await (await edited('Name')).inputValue()).toBe('Half renamed');
});

test('secrets are not stored, and the next user finds no drafts', async () => {
  const account = await newAccount();
  const { data } = (await account.call(createApp, { body: { name: 'Secretive' } })).body;
  const context = await signedInContext(account);
  const page = await openScreen(context, `apps/${data.id}/env`);
  await page.getByRole('button', { name: 'Add variable' }).click();
  await page.getByLabel('Name').fill('TOKEN');
  await page.getByLabel('Value of TOKEN', { exact: true }).fill('a-secret-value');
  await page.goto('ai/providers');
  await page.getByRole('button', { name: 'Save key for OpenAI' }).click();
  await page.getByRole('dialog').getByLabel(/^Key/).fill('sk-a-secret-key');
  await page.goto('apps/new');
  await page.getByLabel('Name').fill('Left behind');
  const kept = () => page.evaluate<string>('JSON.stringify(sessionStorage)');
  expect(await kept()).toContain('Left behind');
  expect(await kept()).not.toContain('secret');
  await page.getByRole('button', { name: /^Account/ }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.waitForURL('**/oidc/**');
  expect(await kept()).not.toContain('Left behind');
});

/** Holds the requests of one method to a path, until `open` passes them on, or answers them. */
async function hold(context: BrowserContext, method: string, path: string) {
  const held: Route[] = [];
  let isOpen = false;
  await context.route(`**/dashboard/v1${path}`, async (route) => {
    if (isOpen || route.request().method() !== method) return await route.fallback();
    held.push(route);
  });
  return {
    /** Resolves once a request is held. */
    arrival: () => expect.poll(() => held.length, POLL).toBe(1),
    count: () => held.length,
    open: async (answer: (route: Route) => Promise<void> = (route) => route.fallback()) => {
      isOpen = true;
      for (const route of held.splice(0)) await answer(route);
    },
  };
}

test('an order is made once if its screen is left, opened again or reloaded while it is sent', async () => {
  const account = await newAccount({ walletCents: 50_000 });
  const context = await signedInContext(account);
  const page = await openScreen(context, 'ai');
  const order = () => page.getByRole('button', { name: 'Buy credits' }).click();
  const pending = await hold(context, 'POST', '/ai/credits');
  await order();
  await pending.arrival();
  await page.getByRole('tab', { name: 'Playground' }).click();
  await page.getByRole('tab', { name: 'Credits' }).click();
  await order();
  await page.getByRole('button', { name: 'Buy credits', disabled: true }).waitFor();
  const repeated = await hold(context, 'POST', '/ai/credits');
  // It reaches the API, and the page does not learn of it.
  await pending.open(async (route) => {
    await route.fetch();
    await route.abort();
  });
  await repeated.arrival();
  await page.reload();
  await repeated.open((route) => route.abort());
  await order();
  await page.getByText('R100.00 in credits added.').waitFor();
  expect((await account.call(listInvoices)).body.data).toHaveLength(1);
});

test('a failure after its dialog was closed is reported', async () => {
  const context = await signedInContext(await newAccount());
  const page = await openScreen(context, 'developers');
  const revocation = await hold(context, 'DELETE', '/keys/*');
  await page.getByRole('button', { name: 'Revoke' }).first().click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await revocation.arrival();
  await page.keyboard.press('Escape');
  const error = { message: 'The key cannot be revoked now.', code: 'conflict', status: 409 };
  await revocation.open((route) => route.fulfill({ status: 409, json: { error } }));
  await page.getByText('“Revoke” failed').waitFor();
  await page.getByText(error.message).waitFor();

  const edit = await hold(context, 'PATCH', '/keys/*');
  await page.getByRole('button', { name: /^Edit/ }).first().click();
  await page.getByRole('dialog').getByLabel('Name').fill('Renamed');
  await page.keyboard.press('Enter');
  await edit.arrival();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  // As from an API that does not have the operation yet.
  await edit.open((route) => route.continue({ url: route.request().url().replace('/keys/', '/no-keys/') }));
  await page.getByText('“Save key” failed').waitFor();
  await page.getByText('The service has been updated, or is being updated.', { exact: false }).waitFor();
  await page.getByRole('button', { name: /^Edit/ }).first().click();
  expect(await page.getByRole('dialog').getByLabel('Name').inputValue()).toBe('Renamed');
});

test('an action that ends after its screen was left opens no other, and what is typed while a form is sent stays', async () => {
  const account = await newAccount();
  const context = await signedInContext(account);
  const page = await openScreen(context, 'apps/new');
  await page.getByLabel('Name').fill('Left early');
  const creation = await hold(context, 'POST', '/apps');
  await page.getByRole('button', { name: 'Create application' }).click();
  await creation.arrival();
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
  await creation.open();
  await page.getByText('Left early was created.').waitFor();
  expect(new URL(page.url()).pathname).toBe('/dashboard/settings');

  const [app] = (await account.call(listApps)).body.data;
  await openScreen(context, `apps/${app?.id}/env`, page);
  const add = async (name: string) => {
    await page.getByRole('button', { name: 'Add variable' }).click();
    await page.getByLabel('Name').last().fill(name);
    await page.getByLabel(`Value of ${name}`, { exact: true }).fill('1');
  };
  const save = await hold(context, 'PATCH', '/apps/*/env');
  const read = await hold(context, 'GET', '/apps/*/env');
  await add('SAVED');
  await page.getByRole('button', { name: 'Save variables' }).click();
  await save.arrival();
  await add('TYPED');
  await save.open();
  await page.getByText('Saved. Deploy to apply the change.').waitFor();
  await read.arrival();
  const names = async () =>
    await Promise.all((await page.getByLabel('Name').all()).map(async (field) => await field.inputValue()));
  expect(await names()).toEqual(['SAVED', 'TYPED']);
  await read.open();
  expect(await page.getByLabel('Value of TYPED', { exact: true }).inputValue()).toBe('1');

  // A form that was opened again keeps its draft when the one before has sent its own.
  const second = await hold(context, 'PATCH', '/apps/*/env');
  await page.getByRole('button', { name: 'Save variables' }).click();
  await second.arrival();
  const reopen = async () => {
    await page.getByRole('tab', { name: 'Settings' }).click();
    await page.getByLabel('Production branch').waitFor();
    await page.getByRole('tab', { name: 'Variables' }).click();
    await page.getByRole('button', { name: 'Add variable' }).waitFor();
  };
  await reopen();
  await add('LATER');
  const toast = page.getByText('Saved. Deploy to apply the change.');
  await toast.waitFor({ state: 'detached' });
  await second.open();
  await toast.waitFor();
  await reopen();
  expect(await page.getByLabel('Value of LATER', { exact: true }).inputValue()).toBe('1');
});

test('what another tab saves in the meantime is shown in an open form, and not reverted', async () => {
  const account = await newAccount();
  const { id } = (await account.call(createWebhook, { body: { url: 'https://example.com/hooks' } })).body.data;
  const page = await openScreen(await signedInContext(account), `developers/webhooks/${id}`);
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('Description').fill('Changed here');
  await account.dashboard.call(updateWebhook, { params: { id }, body: { url: 'https://example.com/other' } });
  // The connection returns, and everything on the screen is read again.
  await page.evaluate(`for (const name of ['offline', 'online']) window.dispatchEvent(new Event(name))`);
  await page.locator('main').getByText('https://example.com/other').first().waitFor();
  await page.getByRole('button', { name: 'Save endpoint' }).click();
  await page.getByText('Endpoint saved.').waitFor();
  const [endpoint] = (await account.dashboard.call(listEndpoints)).body.data;
  expect(endpoint).toMatchObject({ url: 'https://example.com/other', description: 'Changed here' });
});

test('an application that changes leaves the focus in its settings, and what is saved is shown as it is stored', async () => {
  const account = await newAccount();
  const { id } = (await account.call(createApp, { body: { name: 'Steady' } })).body.data;
  const page = await openScreen(await signedInContext(account), `apps/${id}/settings`);
  const name = page.getByRole('textbox', { name: /^Name/ });
  await name.fill('Half typed');
  await account.dashboard.call(editApp, { params: { id }, body: { branch: 'next' } });
  await page.evaluate(`for (const name of ['offline', 'online']) window.dispatchEvent(new Event(name))`);
  await expect.poll(() => page.getByLabel('Production branch').inputValue(), POLL).toBe('next');
  expect(await name.evaluate((input) => input.ownerDocument.activeElement === input)).toBe(true);
  await page.keyboard.type(' name ');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect.poll(() => name.inputValue(), POLL).toBe('Half typed name');
  await expect.poll(() => page.getByRole('button', { name: 'Save', exact: true }).isDisabled(), POLL).toBe(true);
  expect((await account.call(getApp, { params: { id } })).body.data).toMatchObject({
    name: 'Half typed name',
    branch: 'next',
  });
});
