import { expect, test } from 'vitest';
import { local, type Opened } from '../support/harness.ts';
import { open, signedIn } from './browser.ts';

const ownerOf = ({ dashboardToken }: { dashboardToken: string }): Pick<Opened, 'accessToken'> => ({
  accessToken: dashboardToken,
});

test('web hosting is shown with its usage and mailboxes, live from the server', async () => {
  const page = await open(await signedIn(ownerOf(local.accounts.demo)), 'hosting');
  await page.locator('a.row').first().click();
  await page.getByRole('heading', { name: 'Usage' }).waitFor();
  expect(await page.getByRole('cell', { name: '@' }).count()).toBe(2);
});

test('a server that does not answer is said not to, with the request id, and may be asked again', async () => {
  const page = await open(await signedIn(ownerOf(local.accounts.other)), 'hosting');
  await page.locator('a.row').first().click();
  await page.getByRole('alert').getByText('Request id').waitFor({ timeout: 45_000 });
  await page.getByRole('button', { name: 'Try again' }).waitFor();
});
