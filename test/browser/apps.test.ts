import { expect, test } from 'vitest';
import { createApp, listApps } from '../../contract/apps/apps.ts';
import { getDeployKey, getGitHook } from '../../contract/apps/git-access.ts';
import { getCustomDomain } from '../../contract/custom-domains/custom-domains.ts';
import { addDnsRecord } from '../../contract/dns/records.ts';
import { openDomain } from '../domains.ts';
import { get } from '../support/browse.ts';
import { local, newAccount } from '../support/harness.ts';
import { open, settled, signedIn } from './browser.ts';

const REPOSITORY = 'https://git.localhost/hello-express.git';

test('an application is created, deployed while its log is watched, answers, and shows what it prints', async () => {
  const account = await newAccount();
  const page = await open(await signedIn(account), 'apps');
  await page.getByText('No applications yet').waitFor();
  await page.getByRole('link', { name: 'New application' }).first().click();
  await page.getByLabel('Name').fill('Browser made');
  await page.getByText('Its address will begin with browser-made').waitFor();
  await page.getByLabel('Framework').selectOption('EXPRESS');
  await page.getByLabel('Git repository').fill(REPOSITORY);
  await page.getByRole('button', { name: 'Create application' }).click();
  await page.getByRole('heading', { name: 'Browser made' }).waitFor();
  await page.getByRole('link', { name: /From the dashboard/ }).click();
  const log = page.getByRole('log', { name: 'Build log' });
  await expect.poll(() => log.textContent(), { timeout: 30_000 }).toContain('The new release is live');
  await page.getByText('Succeeded').waitFor();
  const address = await page.getByRole('link', { name: /browser-made/ }).getAttribute('href');
  expect((await get(local.baseUrl, new URL(address ?? '').hostname)).body).toContain('Hello from Express');
  await page.getByRole('link', { name: 'Browser made' }).click();
  await page.getByRole('tab', { name: 'Logs' }).click();
  const printed = page.getByRole('log', { name: 'Application log' });
  await expect.poll(() => printed.textContent(), { timeout: 20_000 }).toContain('listening on');
}, 90_000);

test('what is wrong is said as it is typed, and a form that is wrong is not sent', async () => {
  const account = await newAccount();
  const context = await signedIn(account);
  const page = await open(context, 'apps/new');
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST') sent.push(request.url());
  });
  await page.getByRole('button', { name: 'Create application' }).click();
  await page.getByText('This is needed').waitFor();
  expect(await page.getByLabel('Name').evaluate((input) => input.matches(':focus'))).toBe(true);
  await page.getByLabel('Name').fill('F');
  await page.getByText('At least 2 characters').waitFor();
  await page.getByLabel('Name').fill('Fine');
  await expect.poll(() => page.getByText('At least 2 characters').count()).toBe(0);
  await page.getByLabel('Git repository').fill('ext::sh -c id');
  await page.getByLabel('Branch', { exact: true }).fill('..');
  await page.getByLabel('Own domain').focus();
  await page.getByText('must be a Git address', { exact: false }).waitFor();
  await page.getByText('must be a valid branch name', { exact: false }).waitFor();
  await page.getByRole('button', { name: 'Create application' }).click();
  expect(sent).toEqual([]);
});

test("the API's refusal stands in the form with its request id, and what was typed stays", async () => {
  const account = await newAccount({ appLimit: 1 });
  await account.call(createApp, { body: { name: 'First' } });
  const page = await open(await signedIn(account), 'apps/new');
  await page.getByLabel('Name').fill('Second');
  await page.getByRole('button', { name: 'Create application' }).click();
  const alert = page.getByRole('alert');
  await alert.getByText('plan', { exact: false }).first().waitFor();
  await alert.getByText('Request id').waitFor();
  expect(await page.getByLabel('Name').inputValue()).toBe('Second');
});

test('a double click makes one application, and so does an answer that was lost', async () => {
  const account = await newAccount();
  const page = await open(await signedIn(account), 'apps/new');
  await page.getByLabel('Name').fill('Only one');
  // The call gets through, its answer does not.
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

test('an application is deleted by typing its name, and not before', async () => {
  const account = await newAccount();
  const { data } = (await account.call(createApp, { body: { name: 'Doomed' } })).body;
  const page = await open(await signedIn(account), `apps/${data.id}/settings`);
  await page.getByRole('button', { name: 'Delete application' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete “Doomed”?' });
  const confirm = dialog.getByRole('button', { name: 'Delete application' });
  expect(await confirm.isDisabled()).toBe(true);
  await dialog.getByLabel('Type “Doomed”').fill('doomed');
  expect(await confirm.isDisabled()).toBe(true);
  await dialog.getByLabel('Type “Doomed”').fill('Doomed');
  await confirm.click();
  await page.getByText('No applications yet').waitFor();
  expect((await account.call(listApps)).body.data).toEqual([]);
});

test('settings are saved, and a branch that is none is refused at its field', async () => {
  const account = await newAccount();
  const { data } = (await account.call(createApp, { body: { name: 'Settled' } })).body;
  const page = await open(await signedIn(account), `apps/${data.id}/settings`);
  await page.getByLabel('Branch', { exact: true }).fill('release');
  await page.getByLabel('Build command').fill('npm run build');
  await page.getByLabel('Deploy on every push').check({ force: true });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.', { exact: false }).waitFor();
  const saved = (await account.call(listApps)).body.data[0];
  expect(saved).toMatchObject({ branch: 'release', buildCommand: 'npm run build', autoDeploy: true });
});

test('variables are replaced, keep their values when left alone, and are never shown again', async () => {
  const account = await newAccount();
  const { data } = (await account.call(createApp, { body: { name: 'Variable' } })).body;
  const page = await open(await signedIn(account), `apps/${data.id}/env`);
  await page.getByRole('button', { name: 'Add a variable' }).click();
  await page.getByLabel('Name').fill('PORT');
  await page.getByLabel('Value of PORT', { exact: true }).fill('1');
  await page.getByRole('button', { name: 'Save variables' }).click();
  await page.getByText('is reserved', { exact: false }).waitFor();
  await page.getByLabel('Name').fill('GREETING');
  await page.getByLabel('Value of GREETING', { exact: true }).fill('a secret value');
  await page.getByRole('button', { name: 'Save variables' }).click();
  await page.getByText('Saved. Deploy to apply', { exact: false }).waitFor();
  await page.reload();
  await settled(page);
  expect(await page.getByLabel('Name').inputValue()).toBe('GREETING');
  expect(await page.getByLabel('Value of GREETING', { exact: true }).inputValue()).toBe('');
  expect(await page.content()).not.toContain('a secret value');
});

test('a new hook secret and a new deploy key are made after asking, and shown', async () => {
  const account = await newAccount();
  const { id } = (await account.call(createApp, { body: { name: 'Renewing' } })).body.data;
  const known = async () => {
    const { secret } = (await account.dashboard.call(getGitHook, { params: { id } })).body.data;
    return { secret, ...(await account.dashboard.call(getDeployKey, { params: { id } })).body.data };
  };
  const before = await known();
  const page = await open(await signedIn(account), `apps/${id}/git`);
  await page.getByRole('button', { name: 'New secret' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  expect(await known()).toEqual(before);
  for (const name of ['New secret', 'New key']) {
    await page.getByRole('button', { name }).click();
    await page.getByRole('dialog').getByRole('button', { name }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }
  const { secret, publicKey } = await known();
  expect([secret === before.secret, publicKey === before.publicKey]).toEqual([false, false]);
  for (const text of [secret, publicKey]) await page.getByText(text, { exact: true }).waitFor();
});

test('an own domain says what its owner has to do next: prove it, lead it here, and then nothing', async () => {
  const [owner, account] = await Promise.all([newAccount({ walletCents: 500_000 }), newAccount()]);
  const { domain } = await openDomain(owner);
  const record = async (type: 'TXT' | 'CNAME', name: string, content: string) =>
    await owner.call(addDnsRecord, { params: { id: domain.id }, body: { type, name, content } });
  const { id } = (await account.call(createApp, { body: { name: 'Owned' } })).body.data;
  const page = await open(await signedIn(account), `apps/${id}/domain`);
  await page.getByRole('textbox', { name: 'Domain' }).fill('no domain');
  await page.getByRole('button', { name: 'Add domain' }).click();
  await page.getByText('must be a domain name', { exact: false }).waitFor();
  await page.getByRole('textbox', { name: 'Domain' }).fill(`shop.${domain.name}`);
  await page.getByRole('button', { name: 'Add domain' }).click();
  await page.getByText('Proves that the domain is yours: TXT').waitFor();
  await page.getByText('Sends its visitors to the application: CNAME').waitFor();
  const { challenge, target } = (await account.dashboard.call(getCustomDomain, { params: { id } })).body.data;
  await record('TXT', '_hosting-challenge.shop', challenge.value);
  const check = page.getByRole('button', { name: 'Check now' });
  await expect
    .poll(
      async () => {
        await check.click();
        return await page.getByText('Verified').count();
      },
      { timeout: 20_000, interval: 500 },
    )
    .toBe(1);
  await page.getByText('Certificate', { exact: true }).waitFor();
  await page.getByText('leads nowhere yet', { exact: false }).waitFor();
  await record('CNAME', 'shop', target.value);
  await expect
    .poll(
      async () => {
        if ((await check.count()) > 0) await check.click();
        return await page.getByText('Issued').count();
      },
      { timeout: 60_000, interval: 2000 },
    )
    .toBe(1);
  await page.getByText('Visitors are let in over HTTPS', { exact: false }).waitFor();
  expect(await page.getByText('Proves that the domain is yours').count()).toBe(0);
  await page.getByRole('button', { name: 'Remove domain' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove domain' }).click();
  await page.getByText('No domain of its own').waitFor();
}, 120_000);

test("an application of somebody else's is not there", async () => {
  const [owner, stranger] = await Promise.all([newAccount(), newAccount()]);
  const { data } = (await owner.call(createApp, { body: { name: 'Mine' } })).body;
  const page = await open(await signedIn(stranger), `apps/${data.id}`);
  await page.getByRole('alert').getByText('no such application', { exact: false }).waitFor();
});
