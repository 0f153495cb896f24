import { expect, test } from 'vitest';
import { getAutoTopUp } from '../../contract/top-ups.ts';
import { getWallet } from '../../contract/wallet.ts';
import { newAccount } from '../world.ts';
import { open, signedIn } from './browser.ts';

test('the wallet is topped up on the page of the processor, and the browser comes back to see it', async () => {
  const account = await newAccount();
  const page = await open(await signedIn(account), 'billing');
  await page.getByText('Nothing has moved yet').waitFor();
  await page.getByLabel('Amount in rand').fill('250');
  await page.getByRole('button', { name: 'Top up by card' }).click();
  await page.getByRole('button', { name: 'Pay' }).click();
  await page.getByText('Your card payment of R250.00 is in your wallet.').waitFor();
  await page.getByRole('cell', { name: 'R250.00' }).first().waitFor();
  expect((await account.call(getWallet)).body.data.balance).toBe('250.00');
});

test('a card that is declined is said to be, and nothing moves', async () => {
  const account = await newAccount();
  const page = await open(await signedIn(account), 'billing');
  await page.getByLabel('Amount in rand').fill('13.00');
  await page.getByRole('button', { name: 'Top up by card' }).click();
  await page.getByRole('button', { name: 'Pay' }).click();
  await page.getByText('was declined', { exact: false }).waitFor();
  expect((await account.call(getWallet)).body.data.balance).toBe('0.00');
});

test('automatic top-ups are switched on, and amounts that are none are refused at their field', async () => {
  const account = await newAccount();
  const page = await open(await signedIn(account), 'billing');
  await page.getByLabel('Top up automatically').check({ force: true });
  await page.getByLabel('By (rand)').fill('nothing');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('must be rand with two decimals', { exact: false }).waitFor();
  await page.getByLabel('By (rand)').fill('300');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The wallet tops itself up.').waitFor();
  const { data } = (await account.dashboard.call(getAutoTopUp)).body;
  expect(data).toMatchObject({ enabled: true, threshold: '50.00', amount: '300.00' });
});
