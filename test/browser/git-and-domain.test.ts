import { expect, test } from 'vitest';
import { createApp, getApp } from '../../contract/apps/apps.ts';
import { getDeployKey, getGitHook } from '../../contract/apps/git-access.ts';
import { setCustomDomain } from '../../contract/custom-domains/custom-domains.ts';
import { addDnsRecord } from '../../contract/dns/records.ts';
import { readCustomDomain } from '../support/custom-domain.ts';
import { registerDomain } from '../support/domains.ts';
import { newAccount } from '../support/harness.ts';
import { openScreen, POLL, signedInContext } from './browser.ts';

test('the Git tab shows the webhook URL, the secret on request and the deploy key, and turns on auto-deploy', async () => {
  const account = await newAccount();
  const { id } = (await account.call(createApp, { body: { name: 'Pushed' } })).body.data;
  const hook = (await account.dashboard.call(getGitHook, { params: { id } })).body.data;
  const { publicKey } = (await account.dashboard.call(getDeployKey, { params: { id } })).body.data;
  const context = await signedInContext(account);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const page = await openScreen(context, `apps/${id}/git`);
  await page.getByText(hook.url, { exact: true }).waitFor();
  await page.getByText(publicKey, { exact: true }).waitFor();
  expect(await page.getByText(hook.secret).count()).toBe(0);
  await page.getByRole('button', { name: 'Show secret' }).click();
  await page.getByText(hook.secret, { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Copy the webhook secret' }).click();
  await page.getByText('Copied').waitFor();
  expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(hook.secret);
  await page.getByRole('button', { name: 'Turn on auto-deploy' }).click();
  await expect.poll(() => page.getByText('Auto-deploy is off').count(), POLL).toBe(0);
  expect((await account.call(getApp, { params: { id } })).body.data.autoDeploy).toBe(true);
});

test('a custom domain shows its verification record and target, and a check reports what is missing', async () => {
  const account = await newAccount();
  const page = await openScreen(await signedInContext(account), 'apps/new');
  const domain = `shop-${Date.now()}.co.za`;
  await page.getByLabel('Name').fill('On its own name');
  await page.getByText('Advanced settings').click();
  await page.getByLabel('Custom domain').fill(domain);
  await page.getByRole('button', { name: 'Create application' }).click();
  await page.getByRole('heading', { name: 'On its own name' }).waitFor();
  const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  await page.getByRole('tab', { name: 'Domain' }).click();
  const { challenge, target } = await readCustomDomain(account, id);
  for (const text of [challenge.name, challenge.value, target.value]) {
    await page.getByText(text, { exact: true }).first().waitFor();
  }
  await page.getByText('Pending', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Check now' }).click();
  await page.getByText('Checked just now', { exact: false }).waitFor();
  const { problem } = await readCustomDomain(account, id);
  expect(problem).toContain(domain);
  await page.getByText(problem ?? '', { exact: false }).waitFor();
});

test('an application with an unverified custom domain is linked at its default address', async () => {
  const account = await newAccount();
  const customDomain = `pending-${Date.now()}.co.za`;
  const { data } = (await account.call(createApp, { body: { name: 'Waiting', customDomain } })).body;
  const page = await openScreen(await signedInContext(account), `apps/${data.id}`);
  await page.getByRole('link', { name: `${customDomain} is not verified yet` }).waitFor();
  const address = page.getByRole('link', { name: data.defaultDomain });
  expect(await address.getAttribute('href')).toContain(`//${data.defaultDomain}`);
  await page.getByRole('link', { name: 'Applications' }).first().click();
  await page.locator('.row', { hasText: data.defaultDomain }).waitFor();
  expect(await page.getByText(customDomain).count()).toBe(0);
});

test('a domain that uses our DNS in the account asks for no record, and others have a hint for the root of a zone', async () => {
  const account = await newAccount({ walletCents: 500_000 });
  const { domain } = await registerDomain(account);
  const { id } = (await account.call(createApp, { body: { name: 'At home' } })).body.data;
  const body = { domain: `app.${domain.name}` };
  await account.dashboard.call(setCustomDomain, { params: { id }, body });
  const context = await signedInContext(account);
  const page = await openScreen(context, `apps/${id}/domain`);
  await page.getByText('We create its records automatically', { exact: false }).waitFor();
  expect(await page.getByText('add this', { exact: false }).count()).toBe(0);
  const elsewhere = `old.${domain.name}`;
  const record = { type: 'A', name: 'old', content: '192.0.2.1' } as const;
  await account.call(addDnsRecord, { params: { id: domain.id }, body: record });
  const kept = (await account.call(createApp, { body: { name: 'Elsewhere', customDomain: elsewhere } })).body.data;
  await page.goto(`apps/${kept.id}/domain`);
  await page.getByText(`${elsewhere} points to 192.0.2.1.`, { exact: false }).waitFor();
  expect(await page.getByText('HTTPS active', { exact: false }).count()).toBe(0);
  const foreign = `foreign-${Date.now()}.co.za`;
  const made = await account.call(createApp, { body: { name: 'Abroad', customDomain: foreign } });
  await page.goto(`apps/${made.body.data.id}/domain`);
  await page.getByText(`If ${foreign} is the root of its zone`, { exact: false }).waitFor();
});

test('an application without a custom domain shows its default address', async () => {
  const account = await newAccount();
  const { id, primaryDomain } = (await account.call(createApp, { body: { name: 'Plain' } })).body.data;
  const page = await openScreen(await signedInContext(account), `apps/${id}/domain`);
  await page.getByText('No custom domain').waitFor();
  await page.getByText(primaryDomain, { exact: false }).last().waitFor();
});
