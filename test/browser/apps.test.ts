import { expect, test } from 'vitest';
import { createApp, listApps } from '../../contract/apps/apps.ts';
import { listEnvKeys, replaceEnv, updateEnv } from '../../contract/apps/environment.ts';
import { getDeployKey, getGitHook } from '../../contract/apps/git-access.ts';
import { addDnsRecord } from '../../contract/dns/records.ts';
import { readCustomDomain } from '../support/custom-domain.ts';
import { registerDomain } from '../support/domains.ts';
import { newAccount } from '../support/harness.ts';
import { openScreen, POLL, signedInContext, waitUntilLoaded } from './browser.ts';

const REPOSITORY = 'https://git.localhost/hello-express.git';

test('errors are shown while typing, and an invalid form is not sent', async () => {
  const account = await newAccount();
  const context = await signedInContext(account);
  const page = await openScreen(context, 'apps/new');
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST') sent.push(request.url());
  });
  await page.getByRole('button', { name: 'Create application' }).click();
  await page.getByText('Required', { exact: true }).waitFor();
  expect(await page.getByLabel('Name').evaluate((input) => input.matches(':focus'))).toBe(true);
  await page.getByLabel('Name').fill('F');
  await page.getByText('At least 2 characters').waitFor();
  await page.getByLabel('Name').fill('Fine');
  await expect.poll(() => page.getByText('At least 2 characters').count(), POLL).toBe(0);
  await page.getByLabel('Git repository').fill('ext::sh -c id');
  await page.getByLabel('Production branch').fill('..');
  await page.getByLabel('Name').focus();
  await page.getByText('must be a Git address', { exact: false }).waitFor();
  await page.getByText('must be a valid branch name', { exact: false }).waitFor();
  // An error in a folded field opens its section.
  await page.getByText('Advanced settings').click();
  await page.getByLabel('Custom domain').fill('not a domain');
  await page.getByLabel('Production branch').fill('main');
  await page.getByLabel('Git repository').fill(REPOSITORY);
  await page.getByText('Advanced settings').click();
  await page.getByRole('button', { name: 'Create application' }).click();
  await expect.poll(() => page.getByLabel('Custom domain').isVisible(), POLL).toBe(true);
  expect(sent).toEqual([]);
});

test("the API's error is shown in the form with its request id, and the input is kept", async () => {
  const account = await newAccount({ appLimit: 1 });
  await account.call(createApp, { body: { name: 'First' } });
  const page = await openScreen(await signedInContext(account), 'apps/new');
  await page.getByText("You've reached your plan's app limit (1).").waitFor();
  await page.getByRole('link', { name: 'Upgrade' }).waitFor();
  await page.getByLabel('Name').fill('Second');
  await page.getByRole('button', { name: 'Create application' }).click();
  const alert = page.getByRole('alert');
  await alert.getByText('plan', { exact: false }).first().waitFor();
  await alert.getByText('Request id').waitFor();
  expect(await page.getByLabel('Name').inputValue()).toBe('Second');
});

test('a double click creates one application, and so does a retry after a lost response', async () => {
  const account = await newAccount();
  const page = await openScreen(await signedInContext(account), 'apps/new');
  await page.getByLabel('Name').fill('Only one');
  // The call succeeds, but its response is lost.
  await page.route(
    '**/dashboard/v1/apps',
    async (route) => {
      await route.fetch();
      await route.abort('connectionreset');
    },
    { times: 1 },
  );
  await page.getByRole('button', { name: 'Create application' }).dblclick();
  await page.getByRole('heading', { name: 'Only one' }).waitFor();
  expect((await account.call(listApps)).body.data).toHaveLength(1);
});

test('settings are saved, and an invalid branch is rejected at its field', async () => {
  const account = await newAccount();
  const { data } = (await account.call(createApp, { body: { name: 'Settled' } })).body;
  const page = await openScreen(await signedInContext(account), `apps/${data.id}/settings`);
  expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
  await page.getByLabel('Name').fill('Renamed');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.', { exact: true }).waitFor();
  expect(await page.getByText('Redeploy to apply the change.', { exact: false }).count()).toBe(0);
  await page.getByLabel('Framework').selectOption('NUXT');
  await page.getByLabel('Git repository').fill(REPOSITORY);
  await page.getByLabel('Production branch').fill('release');
  await page.getByLabel('Build command').fill('npm run build');
  await page.getByLabel('Deploy on every push').check({ force: true });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved. Applies to the next deployment.').waitFor();
  await page.getByText('Redeploy to apply the change.', { exact: false }).waitFor();
  // The application is read again, and may then be deployed.
  await expect.poll(() => page.getByRole('button', { name: 'Redeploy' }).isEnabled(), POLL).toBe(true);
  const saved = (await account.call(listApps)).body.data[0];
  await page.getByRole('heading', { name: 'Renamed' }).waitFor();
  expect(saved).toMatchObject({ name: 'Renamed', framework: 'NUXT', repoUrl: REPOSITORY });
  expect(saved).toMatchObject({ branch: 'release', buildCommand: 'npm run build', autoDeploy: true });
});

test('variables are replaced, keep their values if left empty, and are never shown again', async () => {
  const account = await newAccount();
  const { data } = (await account.call(createApp, { body: { name: 'Variable' } })).body;
  const page = await openScreen(await signedInContext(account), `apps/${data.id}/env`);
  await page.getByText('Not deployed', { exact: true }).waitFor();
  expect(await page.getByRole('button', { name: 'Save variables' }).isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Add variable' }).click();
  await page.getByLabel('Name').fill('PORT');
  await page.getByLabel('Value of PORT', { exact: true }).fill('1');
  await page.getByRole('button', { name: 'Save variables' }).click();
  await page.getByText('is reserved', { exact: false }).waitFor();
  await page.getByLabel('Name').fill('GREETING');
  await page.getByLabel('Value of GREETING', { exact: true }).fill('a secret value');
  await page.getByRole('button', { name: 'Save variables' }).click();
  await page.getByText('Saved. Deploy to apply', { exact: false }).waitFor();
  await page.reload();
  await waitUntilLoaded(page);
  expect(await page.getByLabel('Name').inputValue()).toBe('GREETING');
  expect(await page.getByLabel('Value of GREETING', { exact: true }).inputValue()).toBe('');
  expect(await page.content()).not.toContain('a secret value');
});

test('saving variables leaves those that were stored meanwhile, and typed ones survive a change of tab', async () => {
  const account = await newAccount();
  const { data } = (await account.call(createApp, { body: { name: 'Two writers' } })).body;
  const params = { id: data.id };
  await account.call(replaceEnv, { params, body: { vars: [{ key: 'FIRST', value: '1' }] } });
  const page = await openScreen(await signedInContext(account), `apps/${data.id}/env`);
  await page.getByRole('button', { name: 'Add variable' }).click();
  await page.getByLabel('Name').last().fill('TYPED');
  await page.getByLabel('Value of TYPED', { exact: true }).fill('2');
  await account.call(updateEnv, { params, body: { set: [{ key: 'MEANWHILE', value: '3' }] } });
  await page.getByRole('tab', { name: 'Settings' }).click();
  await page.getByRole('tab', { name: 'Variables' }).click();
  await page.getByLabel('Value of TYPED', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Save variables' }).click();
  await page.getByText('Redeploy to apply the change.').waitFor();
  const { keys } = (await account.dashboard.call(listEnvKeys, { params })).body.data;
  expect([...keys].sort()).toEqual(['FIRST', 'MEANWHILE', 'TYPED']);
  expect(await page.evaluate('JSON.stringify({ ...sessionStorage, ...localStorage })')).not.toContain('TYPED');
});

test('the webhook secret and the deploy key are rotated after confirmation, and shown', async () => {
  const account = await newAccount();
  const { id } = (await account.call(createApp, { body: { name: 'Renewing' } })).body.data;
  const known = async () => {
    const { secret } = (await account.dashboard.call(getGitHook, { params: { id } })).body.data;
    return { secret, ...(await account.dashboard.call(getDeployKey, { params: { id } })).body.data };
  };
  const before = await known();
  const page = await openScreen(await signedInContext(account), `apps/${id}/git`);
  await page.getByRole('button', { name: 'Rotate secret' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  expect(await known()).toEqual(before);
  for (const name of ['Rotate secret', 'Rotate key']) {
    await page.getByRole('button', { name }).click();
    await page.getByRole('dialog').getByRole('button', { name }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }
  const { secret, publicKey } = await known();
  expect([secret === before.secret, publicKey === before.publicKey]).toEqual([false, false]);
  for (const text of [secret, publicKey]) await page.getByText(text, { exact: true }).waitFor();
});

test("a custom domain shows the owner's next step: verify it, point it here, then none", async () => {
  const [owner, account] = await Promise.all([newAccount({ walletCents: 500_000 }), newAccount()]);
  const { domain } = await registerDomain(owner);
  const record = async (type: 'TXT' | 'CNAME', name: string, content: string) =>
    await owner.call(addDnsRecord, { params: { id: domain.id }, body: { type, name, content } });
  const { id } = (await account.call(createApp, { body: { name: 'Owned' } })).body.data;
  const page = await openScreen(await signedInContext(account), `apps/${id}/domain`);
  await page.getByRole('textbox', { name: 'Domain' }).fill('no domain');
  await page.getByRole('button', { name: 'Add domain' }).click();
  await page.getByText('must be a domain name', { exact: false }).waitFor();
  await page.getByRole('textbox', { name: 'Domain' }).fill(`shop.${domain.name}`);
  await page.getByRole('button', { name: 'Add domain' }).click();
  await page.getByText('Verify ownership: add this TXT record').waitFor();
  await page.getByText('Point your domain: add this CNAME record').waitFor();
  const { challenge, target } = await readCustomDomain(account, id);
  await record('TXT', '_hosting-challenge.shop', challenge.value);
  const check = page.getByRole('button', { name: 'Check now' });
  await expect
    .poll(
      async () => {
        await check.click();
        return await page.getByText('Verified', { exact: true }).count();
      },
      { ...POLL, interval: 500 },
    )
    .toBe(1);
  await page.getByText('Certificate', { exact: true }).waitFor();
  await page.getByText('does not point anywhere yet', { exact: false }).waitFor();
  await record('CNAME', 'shop', target.value);
  await expect
    .poll(
      async () => {
        if ((await check.count()) > 0) await check.click();
        return await page.getByText('Issued').count();
      },
      { ...POLL, interval: 2000 },
    )
    .toBe(1);
  await page.getByText('HTTPS active', { exact: false }).waitFor();
  expect(await page.getByText('Verify ownership').count()).toBe(0);
  await page.getByRole('button', { name: 'Remove domain' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove domain' }).click();
  await page.getByText('No custom domain').waitFor();
});

test("another account's application is not found", async () => {
  const [owner, stranger] = await Promise.all([newAccount(), newAccount()]);
  const { data } = (await owner.call(createApp, { body: { name: 'Mine' } })).body;
  const page = await openScreen(await signedInContext(stranger), `apps/${data.id}`);
  const alert = page.getByRole('alert').getByText('Application not found', { exact: false });
  await alert.waitFor();
  expect(await alert.count()).toBe(1);
});
