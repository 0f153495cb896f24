import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { createApp } from '../../contract/apps/apps.ts';
import { listEnvKeys, replaceEnv } from '../../contract/apps/environment.ts';
import { getAppMetrics, getAppRequests, getAppStarts } from '../../contract/apps/metrics.ts';
import { listDatabases } from '../../contract/databases/databases.ts';
import { createDeployment, getDeployment } from '../../contract/deployments/deployments.ts';
import { get } from '../support/browse.ts';
import { invokeFunction } from '../support/functions.ts';
import { local, newAccount, type OpenedAccount, setLimits, waitFor } from '../support/harness.ts';
import { examine } from './accessibility.ts';
import { openScreen, POLL, signedInContext, waitUntilLoaded } from './browser.ts';

const REPOSITORY = 'https://git.localhost/hello-express.git';

async function deployAndWait(account: OpenedAccount, id: string): Promise<string> {
  const { status, body, error } = await account.call(createDeployment, { params: { id } });
  expect([status, error]).toEqual([202, undefined]);
  const { data } = body;
  await waitFor(
    async () => (await account.call(getDeployment, { params: { id: data.id } })).body.data.finishedAt ?? undefined,
  );
  return data.id;
}

test('an earlier release is rolled back to after confirmation, and the list marks the live one', async () => {
  const account = await newAccount();
  const body = { name: 'Rolls back', framework: 'EXPRESS' as const, repoUrl: REPOSITORY, deployNow: false };
  const app = (await account.call(createApp, { body })).body.data;
  const greet = (value: string) =>
    account.call(replaceEnv, { params: { id: app.id }, body: { vars: [{ key: 'GREETING', value }] } });
  await greet('the first');
  const first = await deployAndWait(account, app.id);
  await greet('the second');
  await deployAndWait(account, app.id);
  expect((await get(local.baseUrl, app.primaryDomain)).body).toContain('the second');

  const page = await openScreen(await signedInContext(account), `apps/${app.id}`);
  const rows = page.locator('a.row');
  expect(await rows.getByText('Live', { exact: true }).count()).toBe(1);
  await rows.nth(0).getByText('Live', { exact: true }).waitFor();
  await rows.nth(1).click();
  await page.waitForURL(`**/deployments/${first}`);
  await page.getByText(/^took \d+ s$/).waitFor();
  await page.getByRole('button', { name: 'Roll back' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  // While the dialog closes, its button has the same name.
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Roll back' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click();
  await page.waitForURL((url) => !url.pathname.endsWith(first) && url.pathname.includes('/deployments/'));
  await page.getByText('Rollback,', { exact: false }).waitFor();
  await page.getByText('Ready', { exact: true }).waitFor();
  expect((await get(local.baseUrl, app.primaryDomain)).body).toContain('the first');
});

test('requests of visitors are charted, readable by keyboard and as a table, and open their logs', async () => {
  const account = await newAccount();
  const body = { name: 'Measured', framework: 'EXPRESS' as const, repoUrl: REPOSITORY, deployNow: false };
  const app = (await account.call(createApp, { body })).body.data;
  const context = await signedInContext(account);
  const page = await openScreen(context, `apps/${app.id}/metrics`);
  await page.getByText('No requests in the last day').waitFor();
  await deployAndWait(account, app.id);
  for (const path of ['/', '/', '/missing']) await get(local.baseUrl, app.primaryDomain, path);

  const read = async () =>
    (await account.dashboard.call(getAppMetrics, { params: { id: app.id }, query: { range: 'hour' } })).body.data;
  // A request is recorded after its response.
  await waitFor(async () => (await read()).totals.requests === 3);
  expect(await read()).toMatchObject({ totals: { requests: 3, clientErrors: 1, serverErrors: 0, throttled: 0 } });
  const starts = await account.dashboard.call(getAppStarts, { params: { id: app.id }, query: { range: 'hour' } });
  expect(starts.body.data.points.reduce((sum, point) => sum + point.memoryMb, 0)).toBeGreaterThan(10);
  for (const route of [getAppMetrics, getAppRequests, getAppStarts]) {
    const wrong = await account.dashboard.call(route, {
      params: { id: app.id },
      query: { range: 'year' as 'hour' },
    });
    expect(wrong.error).toMatchObject({ code: 'invalid_request', message: expect.stringContaining('range') });
  }

  const requests: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/dashboard/v1/')) requests.push(request.url());
  });
  await page.getByRole('navigation', { name: 'Time range' }).getByText('Hour').click();
  await page.waitForURL('**/metrics?range=hour');
  const chart = page.getByRole('slider', { name: 'Requests', exact: true });
  await chart.waitFor();
  await page.locator('.chart-plot canvas').first().waitFor();
  await page.getByRole('slider', { name: 'Cold starts' }).waitFor();
  expect(new Set(requests.map((url) => new URL(url).pathname)).size).toBeLessThanOrEqual(3);
  await page.getByRole('link', { name: /·/ }).first().waitFor();
  // The last period is chosen first, and the requests may be of one before.
  await chart.focus();
  const said = () => chart.getAttribute('aria-valuetext');
  for (let period = 0; period < 10 && !/Requests [123],/.test((await said()) ?? ''); period += 1)
    await page.keyboard.press('ArrowLeft');
  expect(await said()).toMatch(/Requests [123], Errors [01], 5xx 0$/);
  const figure = page.locator('figure').first();
  await figure.getByText('Show as table').click();
  await figure.getByRole('row').nth(1).waitFor();

  await chart.focus();
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/logs\?from=.*&to=/);
  await page.getByText('Show live logs').waitFor();
  await page.getByRole('log', { name: 'Application log' }).or(page.getByText('No output in this time range')).waitFor();
  await page.goBack();
  await page.waitForURL('**/metrics?range=hour');

  await page.getByRole('tab', { name: 'Requests' }).click();
  const paths = page.getByRole('region', { name: 'Paths' }).getByRole('row');
  await paths.getByText('GET /missing').waitFor();
  const { violations } = await examine(page);
  expect(violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')).toEqual([]);
  expect(await paths.nth(1).textContent()).toMatch(/GET \/2(–|0%)/);
  await page.getByLabel('Sort paths').selectOption('Path');
  await page.getByLabel('Filter requests by status').selectOption('4xx');
  const latest = page.getByRole('region', { name: 'Latest requests' }).getByRole('row');
  await expect.poll(() => latest.count(), POLL).toBe(2);
  await latest.getByRole('link', { name: 'Logs of GET /missing' }).click();
  await page.waitForURL(/\/logs\?from=.*&to=.*&request=[\w-]{8}$/);
  await page.getByRole('log', { name: 'Application log' }).or(page.getByText('No output in this time range')).waitFor();
  expect(await page.getByText('REQUEST {').count()).toBe(0);
});

test('a log is searched, paused while it grows, and downloaded without its colors', async () => {
  const account = await newAccount();
  const { id } = (await account.call(createApp, { body: { name: 'Talks' } })).body.data;
  const context = await signedInContext(account);
  const lines = Array.from({ length: 300 }, (_, n) => `\u001b[3${n % 8}mline\u001b[0m ${n}`);
  await context.route('**/dashboard/v1/apps/*/logs*', async (route) => {
    const after = Number(new URL(route.request().url()).searchParams.get('after') ?? -1);
    const data = lines.slice(after + 1).map((text, at) => ({
      id: String(after + 1 + at),
      at: '2026-01-31T09:30:00.000Z',
      text,
      requestId: text.endsWith('7') ? 'request7' : null,
    }));
    await route.fulfill({ json: { data, has_more: false } });
  });
  const page = await openScreen(context, `apps/${id}/logs`);
  const log = page.getByRole('log', { name: 'Application log' });
  const text = async () => (await log.textContent()) ?? '';
  await expect.poll(text, POLL).toContain('line 299');
  // The log follows its end after it is drawn.
  const isAtEnd = () => log.evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight < 40);
  await expect.poll(isAtEnd, POLL).toBe(true);

  await page.getByLabel('Search the log').fill('LINE 29');
  await page.getByText('11 lines').waitFor();
  expect(await text()).not.toContain('line 30');
  await page.getByLabel('Search the log').fill('');

  await page.getByRole('button', { name: 'Pause' }).click();
  lines.push('printed while paused');
  await page.waitForTimeout(2500);
  expect(await text()).not.toContain('while paused');
  // The log of a span of time is not paused.
  await page.getByLabel('Time', { exact: true }).selectOption('Last hour');
  await expect.poll(text, POLL).toContain('while paused');
  await page.getByRole('link', { name: 'Show live logs' }).click();
  await page.getByRole('button', { name: 'Resume' }).click();
  await expect.poll(text, POLL).toContain('while paused');

  await log.evaluate((box) => box.scrollTo(0, 0));
  lines.push('further down');
  await expect.poll(text, POLL).toContain('further down');
  expect(await log.evaluate((box) => box.scrollTop)).toBe(0);
  await page.getByRole('button', { name: 'Jump to latest' }).click();
  await expect.poll(() => log.evaluate((box) => box.scrollTop), POLL).toBeGreaterThan(0);

  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download' }).click();
  const saved = await saving;
  expect(saved.suggestedFilename()).toMatch(/^talks(-[0-9a-f]{10})?\.log$/);
  const file = await readFile(await saved.path(), 'utf8');
  expect(file).toContain('11:30:00  line 0\n11:30:00  line 1\n');
  expect(file).toContain('11:30:00  [request7] line 7\n');
  expect(file).not.toContain('\u001b');

  await page.goto(`apps/${id}/logs?request=request7`);
  await page.getByText('30 of 302 lines belong to request').waitFor();
  await expect.poll(text, POLL).toContain('line 297');
  expect(await text()).not.toContain('line 298');
  await page.getByRole('button', { name: 'Show all lines' }).click();
  await expect.poll(text, POLL).toContain('line 298');
});

test('a .env file is pasted in its dialog or into a name field, and saved', async () => {
  const account = await newAccount();
  const { id } = (await account.call(createApp, { body: { name: 'Pasted' } })).body.data;
  await account.call(replaceEnv, { params: { id }, body: { vars: [{ key: 'OLD', value: 'one' }] } });
  const context = await signedInContext(account);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const page = await openScreen(context, `apps/${id}/env`);
  await page.getByRole('button', { name: 'Paste a .env file' }).click();
  const dialog = page.getByRole('dialog');
  expect(await dialog.getByRole('button', { name: 'Import' }).isDisabled()).toBe(true);
  await dialog.getByLabel('.env contents').fill('# the shop\nOLD=another\nexport GREETING="Sawubona, all"\n');
  await dialog.getByText('2 variables: OLD, GREETING').waitFor();
  expect(await dialog.getByText('could not be read', { exact: false }).count()).toBe(0);
  await dialog.getByLabel('.env contents').fill('OLD=another\nGREETING: Hello\nexport GREETING="Sawubona, all"\n');
  await dialog.getByText('Line 2 could not be read completely: check the variables.').waitFor();
  await dialog.getByRole('button', { name: 'Import' }).click();
  expect(await page.getByLabel('Value of OLD', { exact: true }).inputValue()).toBe('another');
  expect(await page.getByLabel('Value of GREETING', { exact: true }).inputValue()).toBe('Sawubona, all');
  await page.getByRole('button', { name: 'Add variable' }).click();
  await page.evaluate("navigator.clipboard.writeText('FROM_A_PASTE=1\\nAND_MORE=2\\nKEY: value')");
  await page.getByLabel('Name').last().focus();
  await page.keyboard.press('ControlOrMeta+V');
  await page.getByText('Line 3 could not be read completely', { exact: false }).waitFor();
  await page.getByRole('button', { name: 'Save variables' }).click();
  await page.getByText('Saved. Deploy to apply', { exact: false }).waitFor();
  const { keys } = (await account.dashboard.call(listEnvKeys, { params: { id } })).body.data;
  expect([...keys].sort()).toEqual(['AND_MORE', 'FROM_A_PASTE', 'GREETING', 'OLD']);
});

test('a database is created, shows its variables and connection, and its passwords are reset before it is deleted', async () => {
  const account = await newAccount();
  const [one, other] = await Promise.all(
    ['Stores', 'Stores not'].map(async (name) => (await account.call(createApp, { body: { name } })).body.data.id),
  );
  const page = await openScreen(await signedInContext(account), `apps/${one}/databases`);
  await page.getByText('No databases yet').waitFor();
  await page.getByLabel('Name').fill('9 lives');
  await page.getByRole('button', { name: 'Create database' }).click();
  await page.getByText('beginning with a letter', { exact: false }).waitFor();
  await page.getByLabel('Name').fill('orders');
  await page.getByRole('button', { name: 'Create database' }).dblclick();
  const row = page.locator('.row', { hasText: 'orders' });
  await row.getByText('Available').waitFor();
  for (const variable of ['DATABASE_ORDERS_URL', 'DATABASE_ORDERS_HOST'])
    await row.getByText(variable, { exact: false }).waitFor();
  expect(await page.locator('.row', { hasText: 'DATABASE_' }).count()).toBe(1);

  const dialog = page.getByRole('dialog');
  await row.getByRole('button', { name: 'Connect to orders' }).click();
  await dialog.getByText('Not measured yet').first().waitFor();
  await dialog.getByText('localhost', { exact: true }).waitFor();
  await dialog.getByRole('button', { name: 'Create password' }).click();
  const url = await dialog.locator('code', { hasText: 'postgres://admin:' }).textContent();
  expect(new URL(url ?? '').searchParams.get('sslmode')).toBe('require');
  await dialog.getByRole('button', { name: 'Done' }).click();
  // At a limit the screen says who is refused, beside how much is used.
  await page.getByText('MiB stored in all databases').waitFor();
  await setLimits(account.id, { databaseStorageMib: 0 });
  await waitFor(async () => {
    await invokeFunction(local, 'schedule-reconcile');
    const [database] = (await account.dashboard.call(listDatabases)).body.data;
    return database?.access === 'NONE';
  });
  await page.reload();
  await row.getByText('no new connections are opened', { exact: false }).waitFor();
  await setLimits(account.id, { databaseStorageMib: null });
  await row.getByRole('button', { name: 'Reset passwords of orders' }).click();
  await dialog.getByRole('button', { name: 'Reset passwords' }).click();
  await page.getByText('The passwords are being revoked', { exact: false }).waitFor();
  await row.getByRole('button', { name: 'Delete orders' }).click();
  expect(await dialog.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true);
  await dialog.getByLabel('Type “orders” to confirm').fill('orders');
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No databases yet').waitFor();
  await page.goto(`apps/${other}/databases`);
  await waitUntilLoaded(page);
  await page.getByText('No databases yet').waitFor();
});
