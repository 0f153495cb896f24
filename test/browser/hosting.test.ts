import { expect, test } from 'vitest';
import { local, newAccount, type OpenedAccount } from '../support/harness.ts';
import { openScreen, signedInContext } from './browser.ts';

const ownerOf = ({ dashboardToken }: { dashboardToken: string }): Pick<OpenedAccount, 'accessToken'> => ({
  accessToken: dashboardToken,
});

test('web hosting shows its usage and mailboxes, live from the server, and opens its control panel', async () => {
  const page = await openScreen(await signedInContext(ownerOf(local.accounts.demo)), 'hosting');
  await page.locator('a.row').first().click();
  await page.getByRole('heading', { name: 'Usage' }).waitFor();
  expect(await page.getByRole('cell', { name: '@' }).count()).toBe(2);
  const records = page.getByRole('region', { name: 'DNS records' });
  await records.getByText('mail.web.example', { exact: true }).waitFor();
  // Text in a box without a width counts as visible.
  expect((await records.boundingBox())?.width).toBeGreaterThan(200);
  const [panel] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('button', { name: 'Open control panel' }).click(),
  ]);
  await panel.getByRole('heading', { name: 'Mailboxes' }).waitFor();
});

test('a server that does not respond is reported with the request id, and can be retried', async () => {
  const page = await openScreen(await signedInContext(ownerOf(local.accounts.other)), 'hosting');
  await page.locator('a.row').first().click();
  await page.getByRole('alert').getByText('Request id').waitFor();
  await page.getByRole('button', { name: 'Try again' }).waitFor();
});

test('a hosting account is announced while it is created, shown once it is there, and gone when it has ended', async () => {
  const context = await signedInContext(await newAccount());
  const hosting = { id: 'sub_1', hostingDomain: 'new.example', panelStatus: 'PENDING', usage: {}, mailboxes: [] };
  const challenge = { type: 'TXT', name: '_verify.new.example', value: 'abc' };
  const domain = { domain: 'new.example', status: 'PENDING', challenge, problem: null, checkedAt: null, records: [] };
  await context.route('**/dashboard/v1/hosting/sub_1', (route) => route.fulfill({ json: { data: hosting } }));
  await context.route('**/dashboard/v1/hosting/sub_1/domain', (route) => route.fulfill({ json: { data: domain } }));
  const page = await openScreen(context, 'hosting/sub_1');
  await page.getByText('Your hosting account is being created', { exact: false }).waitFor();
  expect(await page.getByText('No mailboxes yet').count()).toBe(0);
  Object.assign(hosting, { panelStatus: 'ACTIVE', usage: { 'Disk Usage': '0 MB of 10 GB' } });
  Object.assign(domain, { status: 'VERIFIED' });
  await page.getByText('0 MB of 10 GB').waitFor();
  await page.getByText('No mailboxes yet').waitFor();
  await page.getByText('The server accepts mail for this domain.').waitFor();
  Object.assign(hosting, { panelStatus: 'REMOVED', usage: {} });
  await page.reload();
  await page.getByText('This hosting has ended.', { exact: false }).waitFor();
  const texts = ['No mailboxes yet', 'The server accepts mail for this domain.', 'Live from the server.'];
  for (const text of texts) expect(await page.getByText(text).count(), text).toBe(0);
});
