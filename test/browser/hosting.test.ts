import { expect, test } from 'vitest';
import { local, type OpenedAccount } from '../support/harness.ts';
import { openScreen, signedInContext } from './browser.ts';

const ownerOf = ({ dashboardToken }: { dashboardToken: string }): Pick<OpenedAccount, 'accessToken'> => ({
  accessToken: dashboardToken,
});

test('web hosting shows its usage and mailboxes, live from the server', async () => {
  const page = await openScreen(await signedInContext(ownerOf(local.accounts.demo)), 'hosting');
  await page.locator('a.row').first().click();
  await page.getByRole('heading', { name: 'Usage' }).waitFor();
  expect(await page.getByRole('cell', { name: '@' }).count()).toBe(2);
});

test('a server that does not respond is reported with the request id, and can be retried', async () => {
  const page = await openScreen(await signedInContext(ownerOf(local.accounts.other)), 'hosting');
  await page.locator('a.row').first().click();
  await page.getByRole('alert').getByText('Request id').waitFor({ timeout: 45_000 });
  await page.getByRole('button', { name: 'Try again' }).waitFor();
});
