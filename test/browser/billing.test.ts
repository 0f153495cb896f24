import { expect, test } from 'vitest';
import { listInvoices } from '../../contract/billing/invoices.ts';
import { listPlans } from '../../contract/billing/plans.ts';
import { createTopUp, getAutoTopUp } from '../../contract/billing/top-ups.ts';
import { getWallet } from '../../contract/billing/wallet.ts';
import { local, newAccount } from '../support/harness.ts';
import { open, signedIn } from './browser.ts';

/** An invoice that the account has not paid. */
async function unpaid(accountId: string) {
  Object.assign(process.env, local.environment);
  const [{ deps }, { issueInvoice }, { vatInside }, { nothing, withWallet }] = await Promise.all([
    import('../../runtime/deps.ts'),
    import('../../domain/billing/invoices.ts'),
    import('../../domain/billing/money.ts'),
    import('../../domain/billing/wallet.ts'),
  ]);
  return await withWallet(deps, accountId, nothing, async (wallet) => {
    const lines = [{ description: 'Something', ...vatInside(4000) }];
    const invoice = issueInvoice(deps, wallet, { kind: 'DOMAIN', lines });
    return await deps.commit(wallet.writes(), invoice);
  });
}

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

test('a plan is bought for what was said, its invoice can be read, and the plan is cancelled after asking', async () => {
  const account = await newAccount({ walletCents: 500_000 });
  const page = await open(await signedIn(account), 'billing/plans');
  await page.getByText('No subscriptions yet').waitFor();
  const { data: plans } = (await account.call(listPlans)).body;
  const plan = plans.find(({ category }) => category === 'WEB');
  if (!plan) throw new Error('no web plan is on sale');
  await page.getByRole('button', { name: `Buy ${plan.name}`, exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Billed').selectOption('YEARLY');
  await dialog.getByRole('button', { name: 'Buy for R', exact: false }).click();
  await dialog.getByText(/^This /).waitFor();
  await dialog.getByLabel('Domain it is for').fill(`plan-${Date.now()}.co.za`);
  await dialog.getByRole('button', { name: 'Buy for R', exact: false }).dblclick();
  const row = page.locator('.row', { hasText: plan.name });
  await row.getByText('Active').waitFor();
  const { data: invoices } = (await account.call(listInvoices)).body;
  expect(invoices.map(({ kind, status }) => [kind, status])).toEqual([['PLAN', 'PAID']]);
  await row.getByRole('button', { name: 'Cancel plan' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel plan' }).click();
  await row.getByText('Cancelled').waitFor();
  await page.getByRole('tab', { name: 'Invoices' }).click();
  await page.getByRole('link', { name: invoices[0]?.number ?? '' }).click();
  await page.getByRole('cell', { name: 'VAT (15%), included' }).waitFor();
  await page.emulateMedia({ media: 'print' });
  expect(await page.getByRole('navigation').isVisible()).toBe(false);
  expect(await page.getByRole('button', { name: 'Print' }).isVisible()).toBe(false);
  expect(await page.getByRole('cell', { name: 'VAT (15%), included' }).isVisible()).toBe(true);
});

test('an invoice that waits is paid from the wallet after asking, and not without the money', async () => {
  const account = await newAccount();
  const { id } = await unpaid(account.id);
  const page = await open(await signedIn(account), `billing/invoices/${id}`);
  await page.getByRole('button', { name: 'Pay from wallet' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Pay from wallet' }).click();
  await dialog.getByRole('alert').getByText('Request id').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  const { data } = (await account.dashboard.call(createTopUp, { body: { amount: '50.00' } })).body;
  await fetch(data.paymentUrl, { method: 'POST' });
  await page.getByText('Paid', { exact: true }).first().waitFor({ timeout: 30_000 });
});
