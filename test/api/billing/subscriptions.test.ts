import { expect, onTestFinished, test } from 'vitest';
import { getAccount } from '../../../contract/accounts/accounts.ts';
import { createApp } from '../../../contract/apps/apps.ts';
import { getInvoice, listInvoices } from '../../../contract/billing/invoices.ts';
import { cancelSubscription, createSubscription, listSubscriptions } from '../../../contract/billing/subscriptions.ts';
import { getWallet } from '../../../contract/billing/wallet.ts';
import { listHosting } from '../../../contract/hosting/hosting.ts';
import { createWebhook } from '../../../contract/webhooks/endpoints.ts';
import { uniqueDomain } from '../../support/domains.ts';
import { codeOf, newAccount, type OpenedAccount, raw, waitFor } from '../../support/harness.ts';
import { receiver } from '../../support/receivers.ts';

type Body = { plan: string; billingCycle: 'MONTHLY' | 'YEARLY'; hostingDomain?: string };
const buy = (account: OpenedAccount, body: Body) => account.dashboard.call(createSubscription, { body });
const monthly = (plan: string, hostingDomain?: string): Body => ({
  plan,
  billingCycle: 'MONTHLY',
  ...(hostingDomain ? { hostingDomain } : {}),
});

test('a plan is bought from the wallet: invoice, subscription, event and application limit', async () => {
  const account = await newAccount({ walletCents: 100_000, appLimit: 1 });
  const { url, received, stop } = await receiver();
  onTestFinished(stop);
  await account.call(createWebhook, { body: { url, events: ['subscription.activated', 'subscription.cancelled'] } });
  const { data } = (await buy(account, monthly('app-10'))).body;
  expect(data).toMatchObject({
    plan: { slug: 'app-10', name: 'App 10', category: 'APP' },
    status: 'ACTIVE',
    billingCycle: 'MONTHLY',
    hostingDomain: null,
    cancelledAt: null,
    invoice: { kind: 'PLAN', status: 'PAID', amount: '573.85', vat: '74.85' },
  });
  const invoice = (await account.call(getInvoice, { params: { id: data.invoice.id } })).body.data;
  expect(invoice.lines).toEqual([{ description: expect.stringMatching(/^App 10, monthly, 20/), amount: '573.85' }]);
  expect((await account.call(getWallet)).body.data.balance).toBe('426.15');
  expect((await account.call(getAccount)).body.data.plan).toEqual({ slug: 'app-10', name: 'App 10', appLimit: 10 });
  expect((await account.dashboard.call(listSubscriptions)).body).toMatchObject({
    data: [{ id: data.id }],
    has_more: false,
  });
  await waitFor(async () => received.length === 1);
  expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({
    type: 'subscription.activated',
    data: { subscriptionId: data.id, plan: 'app-10' },
  });

  const cancelled = await account.dashboard.call(cancelSubscription, { params: { id: data.id } });
  expect(cancelled.body).toEqual({ data: { id: data.id, deleted: true } });
  await waitFor(async () => received.length === 2);
  expect(JSON.parse(received[1]?.body ?? '').type).toBe('subscription.cancelled');
  const [listed] = (await account.dashboard.call(listSubscriptions)).body.data;
  expect(listed).toMatchObject({ status: 'CANCELLED', cancelledAt: expect.any(String) });
  // Paid for until then.
  expect((await account.call(getAccount)).body.data.plan.slug).toBe('app-10');
  expect(codeOf(await account.dashboard.call(cancelSubscription, { params: { id: data.id } }))).toBe('conflict');
});

test('web hosting is bought for a domain, yearly, and listed with the hosting subscriptions', async () => {
  const account = await newAccount({ walletCents: 100_000 });
  const [shop, mail] = [uniqueDomain('shop'), uniqueDomain('mail')];
  const body: Body = { plan: 'web-starter', billingCycle: 'YEARLY', hostingDomain: shop.toUpperCase() };
  const { data } = (await buy(account, body)).body;
  expect(data).toMatchObject({ hostingDomain: shop, invoice: { amount: '563.50' } });
  const inAYear = new Date(data.createdAt);
  inAYear.setUTCFullYear(inAYear.getUTCFullYear() + 1);
  expect(Date.parse(data.currentPeriodEnd)).toBe(inAYear.getTime());
  const hosting = await waitFor(async () => (await account.call(listHosting)).body.data[0]);
  expect(hosting).toMatchObject({ id: data.id, hostingDomain: shop, billingCycle: 'YEARLY' });
  const again = await buy(account, monthly('web-pro', shop));
  expect(again).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } });
  const until = data.currentPeriodEnd.slice(0, 10);
  expect(JSON.stringify(again.body)).toContain(`You have Web Starter for ${shop}, paid until ${until}. To change`);
  expect((await buy(account, monthly('email-basic', shop))).status).toBe(201);
  expect((await buy(account, monthly('email-basic', mail))).status).toBe(201);
  expect((await buy(account, monthly('web-starter', mail))).status).toBe(201);
});

test('a purchase without sufficient balance is 402 and has no effect', async () => {
  const account = await newAccount({ walletCents: 5634 });
  const answer = await buy(account, monthly('web-starter', 'example.co.za'));
  expect([answer.status, codeOf(answer)]).toEqual([402, 'insufficient_funds']);
  expect((await account.call(listInvoices)).body.data).toEqual([]);
  expect((await account.dashboard.call(listSubscriptions)).body.data).toEqual([]);
  expect((await account.call(getWallet)).body.data.balance).toBe('56.34');
});

test('the same plan twice is 409, also for concurrent orders', async () => {
  const account = await newAccount({ walletCents: 1_000_000 });
  const answers = await Promise.all(Array.from({ length: 5 }, () => buy(account, monthly('app-3'))));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
  expect((await account.call(listInvoices)).body.data).toHaveLength(1);
});

test('a repeated order with an Idempotency-Key buys once', async () => {
  const account = await newAccount({ walletCents: 1_000_000 });
  const body = JSON.stringify(monthly('web-starter', uniqueDomain()));
  const send = () =>
    raw('/dashboard/v1/subscriptions', {
      method: 'POST',
      body,
      headers: { authorization: `Bearer ${account.accessToken}`, 'idempotency-key': 'buy-it' },
    });
  const [first, second] = [await send(), await send()];
  expect([first.status, second.status]).toEqual([201, 201]);
  expect(await second.json()).toEqual(await first.json());
  expect((await account.call(listInvoices)).body.data).toHaveLength(1);
});

test('a plan with fewer applications than the account has is 409', async () => {
  const account = await newAccount({ walletCents: 1_000_000, appLimit: 10 });
  for (const name of ['One', 'Two'])
    await account.call(createApp, { body: { name: `${name} ${account.id}`, framework: 'NODE', deployNow: false } });
  for (const name of ['Three', 'Four'])
    await account.call(createApp, { body: { name: `${name} ${account.id}`, framework: 'NODE', deployNow: false } });
  expect(codeOf(await buy(account, monthly('app-3')))).toBe('conflict');
  expect((await buy(account, monthly('app-10'))).status).toBe(201);
});

test.each([
  ['plan', { billingCycle: 'MONTHLY' }],
  ['plan', { plan: '', billingCycle: 'MONTHLY' }],
  ['plan', { plan: 'app-1000', billingCycle: 'MONTHLY' }],
  ['plan', { plan: 7, billingCycle: 'MONTHLY' }],
  ['billingCycle', { plan: 'app-3' }],
  ['billingCycle', { plan: 'app-3', billingCycle: 'WEEKLY' }],
  ['billingCycle', { plan: 'app-3', billingCycle: 'monthly' }],
  ['hostingDomain', { plan: 'web-starter', billingCycle: 'MONTHLY' }],
  ['hostingDomain', { plan: 'web-starter', billingCycle: 'MONTHLY', hostingDomain: '' }],
  ['hostingDomain', { plan: 'web-starter', billingCycle: 'MONTHLY', hostingDomain: 'localhost' }],
  ['hostingDomain', { plan: 'web-starter', billingCycle: 'MONTHLY', hostingDomain: 'https://example.com' }],
  ['hostingDomain', { plan: 'email-basic', billingCycle: 'MONTHLY', hostingDomain: '10.0.0.1' }],
  // Names below it are sold: `co.za` itself can be no account's own.
  ['hostingDomain', { plan: 'web-starter', billingCycle: 'MONTHLY', hostingDomain: 'CO.za' }],
])('an order with an invalid %s is 400: %j', async (field, body) => {
  const account = await newAccount({ walletCents: 1_000_000 });
  const answer = await account.dashboard.call(createSubscription, { body: body as Body });
  expect([answer.status, codeOf(answer)]).toEqual([400, 'invalid_request']);
  expect(answer.error?.message.startsWith(`${field}: `)).toBe(true);
});

test("another account's subscription is 404", async () => {
  const [owner, stranger] = await Promise.all([newAccount({ walletCents: 100_000 }), newAccount()]);
  const { id } = (await buy(owner, monthly('app-3'))).body.data;
  expect((await stranger.dashboard.call(cancelSubscription, { params: { id } })).status).toBe(404);
  expect((await stranger.dashboard.call(listSubscriptions)).body.data).toEqual([]);
});

test('subscriptions are listed page by page', async () => {
  const account = await newAccount({ walletCents: 1_000_000 });
  const ids = [];
  for (const name of ['a', 'b', 'c'])
    ids.unshift((await buy(account, monthly('email-basic', uniqueDomain(name)))).body.data.id);
  const page = async (query: object) => {
    const { body } = await account.dashboard.call(listSubscriptions, { query });
    return [body.data.map(({ id }) => id), body.has_more];
  };
  expect(await page({})).toEqual([ids, false]);
  expect(await page({ limit: '2' })).toEqual([ids.slice(0, 2), true]);
  expect(await page({ limit: '2', offset: '2' })).toEqual([ids.slice(2), false]);
});
