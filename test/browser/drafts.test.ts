import { expect, test } from 'vitest';
import { createApp, listApps } from '../../contract/apps/apps.ts';
import { createWebhook } from '../../contract/webhooks/endpoints.ts';
import { newAccount } from '../support/harness.ts';
import { openScreen, signedInContext, waitUntilLoaded } from './browser.ts';

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
