import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { listInvoices } from '../../contract/billing/invoices.ts';
import { DEFAULT_PLAN, listPlans } from '../../contract/billing/plans.ts';
import { createSubscription } from '../../contract/billing/subscriptions.ts';
import { createTopUp, getAutoTopUp } from '../../contract/billing/top-ups.ts';
import { getWallet } from '../../contract/billing/wallet.ts';
import { issueInvoice } from '../../domain/billing/invoices.ts';
import { vatInside } from '../../domain/billing/money.ts';
import { readNothing as nothing, withWallet } from '../../domain/billing/wallet.ts';
import { Account } from '../../table/entities/accounts.ts';
import { Subscription } from '../../table/entities/billing.ts';
import { change } from '../../table/writes.ts';
import { newAccount, platformDeps } from '../support/harness.ts';
import { openScreen, POLL, signedInContext } from './browser.ts';

/** Issues an unpaid invoice. */
async function issueUnpaidInvoice(accountId: string) {
  const deps = await platformDeps();
  return await withWallet(deps, accountId, nothing, async (wallet) => {
    const lines = [{ description: 'Something', ...vatInside(4000) }];
    const invoice = issueInvoice(deps, wallet, { kind: 'DOMAIN', lines });
    return await deps.commit(wallet.writes(), invoice);
  });
}

test("the wallet is topped up on the payment provider's page, which returns to the dashboard", async () => {
  const account = await newAccount();
  const page = await openScreen(await signedInContext(account), 'billing');
  await page.getByText('No transactions yet').waitFor();
  await page.getByLabel('Amount in rand').fill('250');
  await page.getByRole('button', { name: 'Top up by card' }).click();
  await page.getByRole('button', { name: 'Pay' }).click();
  await page.getByText('Your card payment of R250.00 was added to your wallet.').waitFor();
  await page.getByRole('cell', { name: 'R250.00' }).first().waitFor();
  // An amount and its sign are never on two lines.
  const styles =
    "[...document.querySelectorAll('td')].filter(({ innerText }) => innerText === 'R250.00').map((cell) => getComputedStyle(cell).whiteSpace)";
  expect(new Set(await page.evaluate<string[]>(styles))).toEqual(new Set(['nowrap']));
  expect((await account.call(getWallet)).body.data.balance).toBe('250.00');
});

test('a decided payment shows the card that it saved, and one that cannot be read the error', async () => {
  const context = await signedInContext(await newAccount());
  const payment = { paymentId: 'pay_1', amount: '250.00', status: 'PENDING' };
  const card = { brand: 'visa', lastFour: '4081' };
  const settings = { enabled: true, threshold: '50.00', amount: '200.00', card: null as typeof card | null };
  await context.route('**/dashboard/v1/wallet/topups/pay_1', (route) => route.fulfill({ json: { data: payment } }));
  await context.route('**/dashboard/v1/wallet/auto-top-up', (route) => route.fulfill({ json: { data: settings } }));
  const page = await openScreen(context, 'billing?payment=pay_1');
  await page.getByText('is being processed', { exact: false }).waitFor();
  await page.getByText('No card saved yet', { exact: false }).waitFor();
  payment.status = 'SUCCEEDED';
  settings.card = card;
  await page.getByText('was added to your wallet', { exact: false }).waitFor();
  await page.getByText('Card: visa ending in 4081.').waitFor();
  await page.goto('billing?payment=pay_unknown');
  await page.getByRole('alert').getByText('Request id').waitFor();
});

test('a declined card is reported, and the balance stays the same', async () => {
  const account = await newAccount();
  const page = await openScreen(await signedInContext(account), 'billing');
  await page.getByLabel('Amount in rand').fill('13.00');
  await page.getByRole('button', { name: 'Top up by card' }).click();
  await page.getByRole('button', { name: 'Pay' }).click();
  await page.getByText('was declined', { exact: false }).waitFor();
  expect(await page.getByLabel('Amount in rand').inputValue()).toBe('13.00');
  expect((await account.call(getWallet)).body.data.balance).toBe('0.00');
});

test('auto top-up is switched on and off, and invalid amounts are rejected at their field', async () => {
  const account = await newAccount();
  const page = await openScreen(await signedInContext(account), 'billing');
  await page.getByLabel('Auto top-up').check({ force: true });
  await page.getByLabel('Top-up amount (rand)').fill('nothing');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('must be rand with two decimals', { exact: false }).waitFor();
  await page.getByLabel('Top-up amount (rand)').fill('300');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Auto top-up is on.').waitFor();
  const { data } = (await account.dashboard.call(getAutoTopUp)).body;
  expect(data).toMatchObject({ enabled: true, threshold: '50.00', amount: '300.00' });
  // What is hidden is not validated.
  await page.getByLabel('Top-up amount (rand)').fill('nothing');
  await page.getByLabel('Auto top-up').uncheck({ force: true });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Auto top-up is off.').waitFor();
  const saved = (await account.dashboard.call(getAutoTopUp)).body.data;
  expect(saved).toMatchObject({ enabled: false, threshold: '50.00', amount: '300.00' });
});

test('a plan is bought for the announced price, its invoice can be read, and the plan is cancelled after confirmation', async () => {
  const account = await newAccount({ walletCents: 500_000 });
  const page = await openScreen(await signedInContext(account), 'billing/plans');
  await page.getByText('No subscriptions yet').waitFor();
  const { data: plans } = (await account.call(listPlans)).body;
  const plan = plans.find(({ category }) => category === 'WEB');
  if (!plan) throw new Error('no web plan is on sale');
  await page.getByRole('button', { name: `Subscribe to ${plan.name}`, exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Billing cycle').selectOption('YEARLY');
  await dialog.getByRole('button', { name: 'Subscribe for R', exact: false }).click();
  await dialog.getByText(/^This /).waitFor();
  await dialog.getByLabel('Domain').fill(`plan-${Date.now()}.co.za`);
  await dialog.getByRole('button', { name: 'Subscribe for R', exact: false }).dblclick();
  const row = page.locator('.row', { hasText: plan.name });
  await row.getByText('Active').waitFor();
  const { data: invoices } = (await account.call(listInvoices)).body;
  expect(invoices.map(({ kind, status }) => [kind, status])).toEqual([['PLAN', 'PAID']]);
  await row.getByRole('button', { name: 'Cancel plan' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Keep plan' }).click();
  await row.getByRole('button', { name: 'Cancel plan' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel plan' }).click();
  await row.getByText('Cancelled').waitFor();
  await page.getByRole('tab', { name: 'Invoices' }).click();
  const spendingTab = page.getByRole('tab', { name: 'Spending' });
  await spendingTab.click();
  await page.getByText('Forecast for this month').waitFor();
  expect(await page.getByRole('list', { name: 'Spending by month' }).getByRole('listitem').count()).toBe(12);
  await page.getByText('Plan usage').waitFor();
  expect(await page.getByRole('meter').count()).toBeGreaterThan(2);
  await page.getByText('API keys that are not revoked', { exact: true }).waitFor();
  await page.getByRole('tab', { name: 'Invoices' }).click();
  await page.getByRole('link', { name: invoices[0]?.number ?? '' }).click();
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download PDF' }).click();
  const saved = await saving;
  expect(saved.suggestedFilename()).toBe(`${invoices[0]?.number}.pdf`);
  expect((await readFile(await saved.path())).subarray(0, 5).toString()).toBe('%PDF-');
  await page.getByRole('cell', { name: 'VAT (15%), included' }).waitFor();
  const document = page.getByRole('article', { name: /^Tax invoice INV-/ });
  for (const text of ['Example Hosting (Pty) Ltd', 'VAT no. 4000000000', 'test@example.com', 'Total excluding VAT'])
    await document.getByText(text).waitFor();
  await page.emulateMedia({ media: 'print' });
  expect(await page.getByRole('navigation').isVisible()).toBe(false);
  expect(await page.getByRole('button', { name: 'Download PDF' }).isVisible()).toBe(false);
  expect(await page.getByRole('cell', { name: 'VAT (15%), included' }).isVisible()).toBe(true);
});

test('the current plan is marked, a change says what it costs and replaces, and a cancelled plan is bought again', async () => {
  const account = await newAccount({ walletCents: 500_000 });
  const page = await openScreen(await signedInContext(account), 'billing/plans');
  await page.getByText('3 applications · 15 GB storage').waitFor();
  await page.getByRole('button', { name: 'Subscribe to App 3', exact: true }).click();
  const dialog = page.getByRole('dialog');
  // The free plan is no purchase that another one replaces.
  expect(await dialog.getByText('replaces', { exact: false }).count()).toBe(0);
  await dialog.getByRole('button', { name: 'Subscribe for R', exact: false }).click();
  const card = page.locator('.card', { hasText: 'Current plan' });
  await card.getByText('App 3', { exact: true }).waitFor();
  expect(await page.getByRole('button', { name: 'Subscribe to App 3', exact: true }).count()).toBe(0);
  await page.getByRole('button', { name: 'Subscribe to App 10', exact: true }).click();
  await dialog.getByText('App 10 replaces App 3 now. You pay the full price', { exact: false }).waitFor();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'Cancel plan' }).click();
  await dialog.getByRole('button', { name: 'Cancel plan' }).click();
  await page.getByRole('button', { name: 'Subscribe to App 3', exact: true }).click();
  await dialog.getByText('A new period of the plan begins now.', { exact: false }).waitFor();
  await dialog.getByLabel('Billing cycle').selectOption('YEARLY');
  await dialog.getByRole('button', { name: 'Subscribe for R', exact: false }).click();
  await page.locator('.row', { hasText: 'App 3' }).getByText('yearly', { exact: false }).waitFor();
  expect(await page.getByRole('button', { name: 'Subscribe to App 3', exact: true }).count()).toBe(0);
});

test('a purchase that the balance does not pay says what is missing, and the top-up of it leads back', async () => {
  const account = await newAccount({ walletCents: 5000 });
  const page = await openScreen(await signedInContext(account), 'billing');
  await page.getByLabel('Amount in rand').fill('50.00');
  await page.getByRole('tab', { name: 'Plans' }).click();
  await page.getByText('R228.85/month', { exact: false }).waitFor();
  await page.getByRole('button', { name: 'Subscribe to App 3', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Subscribe for R228.85', exact: true }).click();
  await dialog.getByText('R178.85 is missing', { exact: false }).waitFor();
  await dialog.getByRole('link', { name: 'Top up' }).click();
  expect(await page.getByLabel('Amount in rand').inputValue()).toBe('178.85');
  // A declined card does not take the way back away: 13.00 is what the local provider declines.
  await page.getByLabel('Amount in rand').fill('13.00');
  await page.getByRole('button', { name: 'Top up by card' }).click();
  await page.getByRole('button', { name: 'Pay' }).click();
  await page.getByText('was declined', { exact: false }).waitFor();
  await page.getByLabel('Amount in rand').fill('178.85');
  await page.getByRole('button', { name: 'Top up by card' }).click();
  await page.getByRole('button', { name: 'Pay' }).click();
  await page.getByRole('link', { name: 'Back to your purchase' }).click();
  await page.getByRole('button', { name: 'Subscribe to App 3', exact: true }).click();
  await dialog.getByRole('button', { name: 'Subscribe for R228.85', exact: true }).click();
  await page.locator('.row', { hasText: 'App 3' }).getByText('Active').waitFor();
});

test('the plan that every account has free is marked, and not offered for money', async () => {
  const account = await newAccount();
  const deps = await platformDeps();
  await deps.table.write(Account, change(Account, { id: account.id }, { set: { plan: DEFAULT_PLAN } }));
  const page = await openScreen(await signedInContext(account), 'billing/plans');
  const card = page.locator('.card', { hasText: 'Current plan' });
  await card.getByText('Free with every account').waitFor();
  expect(await card.getByRole('button').count()).toBe(0);
  await page.getByRole('button', { name: 'Subscribe to App 3', exact: true }).waitFor();
});

test('a plan that is free for every account shows its price where it is paid for, until it is cancelled', async () => {
  const account = await newAccount({ walletCents: 500_000 });
  await account.dashboard.call(createSubscription, { body: { plan: DEFAULT_PLAN.slug, billingCycle: 'MONTHLY' } });
  const page = await openScreen(await signedInContext(account), 'billing/plans');
  const card = page.locator('.card', { hasText: 'Current plan' });
  await card.getByText('R90.85/month', { exact: false }).waitFor();
  expect(await card.getByText('Free with every account').count()).toBe(0);
  await page.getByRole('button', { name: 'Cancel plan' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Every account has App 1 free: nothing else changes.', { exact: false }).waitFor();
  expect(await dialog.getByText('suspended', { exact: false }).count()).toBe(0);
  await dialog.getByRole('button', { name: 'Cancel plan' }).click();
  await card.getByText('Free with every account').waitFor();
});

test('a plan whose renewal is overdue is still the plan, and is not offered again', async () => {
  const account = await newAccount({ walletCents: 500_000 });
  const { data } = (
    await account.dashboard.call(createSubscription, { body: { plan: 'app-10', billingCycle: 'MONTHLY' } })
  ).body;
  const deps = await platformDeps();
  const of = { accountId: account.id, id: data.id };
  const set = { currentPeriodEnd: new Date(Date.now() - 86_400_000).toISOString() };
  await deps.table.write(Subscription, change(Subscription, of, { set }));
  const page = await openScreen(await signedInContext(account), 'billing/plans');
  const card = page.locator('.card', { hasText: 'Current plan' });
  await card.getByText('App 10', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Subscribe to App 3', exact: true }).click();
  await page.getByText('App 3 replaces App 10 now.', { exact: false }).waitFor();
  expect(await page.getByRole('button', { name: 'Subscribe to App 10', exact: true }).count()).toBe(0);
});

test('an unpaid invoice is paid from the wallet after confirmation, and not without sufficient balance', async () => {
  const account = await newAccount();
  const { id } = await issueUnpaidInvoice(account.id);
  const page = await openScreen(await signedInContext(account), `billing/invoices/${id}`);
  await page.getByRole('button', { name: 'Pay from wallet' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Pay from wallet' }).click();
  await dialog.getByRole('alert').getByText('Request id').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  const { data } = (await account.dashboard.call(createTopUp, { body: { amount: '50.00' } })).body;
  await fetch(data.paymentUrl, { method: 'POST' });
  await page.getByText('Paid', { exact: true }).first().waitFor();
});

test('forced colors show the state of switches and tabs, and the colors of charts', async () => {
  const account = await newAccount({ walletCents: 50_000 });
  await issueUnpaidInvoice(account.id);
  const page = await openScreen(await signedInContext(account), 'billing');
  await page.emulateMedia({ forcedColors: 'active' });
  const track = page.locator('.mantine-Switch-track');
  const off = await track.screenshot();
  await page.getByRole('switch').click();
  await page.getByLabel('Top-up amount (rand)').waitFor();
  await expect.poll(async () => off.equals(await track.screenshot()), POLL).toBe(false);
  const lines = await page
    .getByRole('tab')
    .evaluateAll((tabs) => tabs.map((tab) => tab.ownerDocument.defaultView?.getComputedStyle(tab).textDecorationLine));
  expect([lines[0], new Set(lines.slice(1))]).toEqual(['underline', new Set(['none'])]);
  await page.goto('billing/spending');
  await page.locator('.column-legend').waitFor();
  const colors = await page.evaluate<string[]>(
    `[...document.querySelectorAll('.column-legend span')].map((span) => getComputedStyle(span).backgroundColor)`,
  );
  expect(new Set(colors).size).toBe(3);
});
