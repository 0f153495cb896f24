import { expect, test } from 'vitest';
import { createApp, getApp } from '../../contract/apps/apps.ts';
import { getDeployKey, getGitHook } from '../../contract/apps/git-access.ts';
import { getCustomDomain } from '../../contract/custom-domains/custom-domains.ts';
import { newAccount } from '../support/harness.ts';
import { open, signedIn } from './browser.ts';

test('the Git tab shows where pushes are told of, the secret when asked, the deploy key, and switches pushes on', async () => {
  const account = await newAccount();
  const { id } = (await account.call(createApp, { body: { name: 'Pushed' } })).body.data;
  const hook = (await account.dashboard.call(getGitHook, { params: { id } })).body.data;
  const { publicKey } = (await account.dashboard.call(getDeployKey, { params: { id } })).body.data;
  const context = await signedIn(account);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const page = await open(context, `apps/${id}/git`);
  await page.getByText(hook.url, { exact: true }).waitFor();
  await page.getByText(publicKey, { exact: true }).waitFor();
  expect(await page.getByText(hook.secret).count()).toBe(0);
  await page.getByRole('button', { name: 'Show the secret' }).click();
  await page.getByText(hook.secret, { exact: true }).waitFor();
  await page.getByRole('button', { name: "Copy the hook's secret" }).click();
  await page.getByText('Copied').waitFor();
  expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(hook.secret);
  await page.getByRole('button', { name: 'Deploy on every push' }).click();
  await expect.poll(() => page.getByText('Pushes are ignored').count()).toBe(0);
  expect((await account.call(getApp, { params: { id } })).body.data.autoDeploy).toBe(true);
});

test('an own domain shows what proves it and where it is to lead, and a check says what is missing', async () => {
  const account = await newAccount();
  const page = await open(await signedIn(account), 'apps/new');
  const domain = `shop-${Date.now()}.co.za`;
  await page.getByLabel('Name').fill('On its own name');
  await page.getByLabel('Own domain').fill(domain);
  await page.getByRole('button', { name: 'Create application' }).click();
  await page.getByRole('heading', { name: 'On its own name' }).waitFor();
  const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  await page.getByRole('tab', { name: 'Domain' }).click();
  const { challenge, target } = (await account.dashboard.call(getCustomDomain, { params: { id } })).body.data;
  for (const text of [challenge.name, challenge.value, target.value]) {
    await page.getByText(text, { exact: true }).first().waitFor();
  }
  await page.getByText('Pending', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Check now' }).click();
  await page.getByText('Checked just now', { exact: false }).waitFor();
  const { problem } = (await account.dashboard.call(getCustomDomain, { params: { id } })).body.data;
  expect(problem).toContain(domain);
  await page.getByText(problem ?? '', { exact: false }).waitFor();
});

test('an application without a domain of its own says what it answers at', async () => {
  const account = await newAccount();
  const { id, primaryDomain } = (await account.call(createApp, { body: { name: 'Plain' } })).body.data;
  const page = await open(await signedIn(account), `apps/${id}/domain`);
  await page.getByText('No domain of its own').waitFor();
  await page.getByText(primaryDomain, { exact: false }).last().waitFor();
});
