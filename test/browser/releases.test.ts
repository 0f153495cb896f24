import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { createApp } from '../../contract/apps/apps.ts';
import { listEnvKeys, replaceEnv } from '../../contract/apps/environment.ts';
import { createDeployment, getDeployment } from '../../contract/deployments/deployments.ts';
import { get } from '../support/browse.ts';
import { local, newAccount, type Opened, until } from '../support/harness.ts';
import { open, settled, signedIn } from './browser.ts';

/** Longer than a log is asked for anew. */
const SOON = { timeout: 10_000 };
const REPOSITORY = 'https://git.localhost/hello-express.git';

async function deployed(account: Opened, id: string): Promise<string> {
  const { status, body, error } = await account.call(createDeployment, { params: { id } });
  expect([status, error]).toEqual([202, undefined]);
  const { data } = body;
  await until(
    async () => (await account.call(getDeployment, { params: { id: data.id } })).body.data.finishedAt ?? undefined,
  );
  return data.id;
}

test('an earlier release is put in service again after asking, and the list says which one serves', async () => {
  const account = await newAccount();
  const body = { name: 'Rolls back', framework: 'EXPRESS' as const, repoUrl: REPOSITORY, deployNow: false };
  const app = (await account.call(createApp, { body })).body.data;
  const greet = (value: string) =>
    account.call(replaceEnv, { params: { id: app.id }, body: { vars: [{ key: 'GREETING', value }] } });
  await greet('the first');
  const first = await deployed(account, app.id);
  await greet('the second');
  await deployed(account, app.id);
  expect((await get(local.baseUrl, app.primaryDomain)).body).toContain('the second');

  const page = await open(await signedIn(account), `apps/${app.id}`);
  const rows = page.locator('a.row');
  expect(await rows.getByText('Serving').count()).toBe(1);
  await rows.nth(0).getByText('Serving').waitFor();
  await rows.nth(1).click();
  await page.waitForURL(`**/deployments/${first}`);
  await page.getByText(/^took \d+ s$/).waitFor();
  await page.getByRole('button', { name: 'Roll back to this' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Roll back to this' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Roll back to this' }).click();
  await page.waitForURL((url) => !url.pathname.endsWith(first) && url.pathname.includes('/deployments/'));
  await page.getByText('Rollback,', { exact: false }).waitFor();
  await page.getByText('Succeeded', { exact: true }).waitFor({ timeout: 30_000 });
  expect((await get(local.baseUrl, app.primaryDomain)).body).toContain('the first');
}, 90_000);

test('a log is searched, held still while it grows, and saved without its colours', async () => {
  const account = await newAccount();
  const { id } = (await account.call(createApp, { body: { name: 'Talks' } })).body.data;
  const context = await signedIn(account);
  const lines = Array.from({ length: 300 }, (_, n) => `\u001b[3${n % 8}mline\u001b[0m ${n}`);
  await context.route('**/dashboard/v1/apps/*/logs*', async (route) => {
    const after = Number(new URL(route.request().url()).searchParams.get('after') ?? -1);
    const data = lines
      .slice(after + 1)
      .map((text, at) => ({ id: String(after + 1 + at), at: '2026-01-31T09:30:00.000Z', text }));
    await route.fulfill({ json: { data, has_more: false } });
  });
  const page = await open(context, `apps/${id}/logs`);
  const log = page.getByRole('log', { name: 'Application log' });
  const text = async () => (await log.textContent()) ?? '';
  await expect.poll(text, SOON).toContain('line 299');
  expect(await log.evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight < 40)).toBe(true);

  await page.getByLabel('Search the log').fill('LINE 29');
  await page.getByText('11 lines').waitFor();
  expect(await text()).not.toContain('line 30');
  await page.getByLabel('Search the log').fill('');

  await page.getByRole('button', { name: 'Pause' }).click();
  lines.push('said while nobody looked');
  await page.waitForTimeout(2500);
  expect(await text()).not.toContain('nobody looked');
  await page.getByRole('button', { name: 'Follow' }).click();
  await expect.poll(text, SOON).toContain('nobody looked');

  await log.evaluate((box) => box.scrollTo(0, 0));
  lines.push('further down');
  await expect.poll(text, SOON).toContain('further down');
  expect(await log.evaluate((box) => box.scrollTop)).toBe(0);
  await page.getByRole('button', { name: 'To the end' }).click();
  await expect.poll(() => log.evaluate((box) => box.scrollTop), SOON).toBeGreaterThan(0);

  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download' }).click();
  const saved = await saving;
  expect(saved.suggestedFilename()).toBe('talks.log');
  const file = await readFile(await saved.path(), 'utf8');
  expect(file).toContain('09:30:00  line 0\n09:30:00  line 1\n');
  expect(file).not.toContain('\u001b');
});

test('a whole .env file is pasted, by its dialog or where a name belongs, and saved at once', async () => {
  const account = await newAccount();
  const { id } = (await account.call(createApp, { body: { name: 'Pasted' } })).body.data;
  await account.call(replaceEnv, { params: { id }, body: { vars: [{ key: 'OLD', value: 'one' }] } });
  const context = await signedIn(account);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const page = await open(context, `apps/${id}/env`);
  await page.getByRole('button', { name: 'Paste a .env file' }).click();
  const dialog = page.getByRole('dialog');
  expect(await dialog.getByRole('button', { name: 'Take over' }).isDisabled()).toBe(true);
  await dialog.getByLabel('Its text').fill('# the shop\nOLD=another\nexport GREETING="Sawubona, all"\n');
  await dialog.getByText('2 variables: OLD, GREETING').waitFor();
  await dialog.getByRole('button', { name: 'Take over' }).click();
  expect(await page.getByLabel('Value of OLD', { exact: true }).inputValue()).toBe('another');
  expect(await page.getByLabel('Value of GREETING', { exact: true }).inputValue()).toBe('Sawubona, all');
  await page.getByRole('button', { name: 'Add a variable' }).click();
  await page.evaluate("navigator.clipboard.writeText('FROM_A_PASTE=1\\nAND_MORE=2')");
  await page.getByLabel('Name').last().focus();
  await page.keyboard.press('ControlOrMeta+V');
  await page.getByRole('button', { name: 'Save variables' }).click();
  await page.getByText('Saved. Deploy to apply', { exact: false }).waitFor();
  const { keys } = (await account.dashboard.call(listEnvKeys, { params: { id } })).body.data;
  expect([...keys].sort()).toEqual(['AND_MORE', 'FROM_A_PASTE', 'GREETING', 'OLD']);
});

test('a database is made for an application, and says which variables tell of it', async () => {
  const account = await newAccount();
  const [one, other] = await Promise.all(
    ['Stores', 'Stores not'].map(async (name) => (await account.call(createApp, { body: { name } })).body.data.id),
  );
  const page = await open(await signedIn(account), `apps/${one}/databases`);
  await page.getByText('No databases yet').waitFor();
  await page.getByLabel('Name').fill('9 lives');
  await page.getByRole('button', { name: 'Create database' }).click();
  await page.getByText('beginning with a letter', { exact: false }).waitFor();
  await page.getByLabel('Name').fill('orders');
  await page.getByRole('button', { name: 'Create database' }).dblclick();
  const row = page.locator('.row', { hasText: 'orders' });
  await row.getByText('Available').waitFor({ timeout: 30_000 });
  for (const variable of ['DATABASE_ORDERS_URL', 'DATABASE_ORDERS_HOST'])
    await row.getByText(variable, { exact: false }).waitFor();
  expect(await page.locator('.row').count()).toBe(1);
  await page.goto(`apps/${other}/databases`);
  await settled(page);
  await page.getByText('No databases yet').waitFor();
});
