import { createHmac } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { getInvoice, listInvoices, payInvoice } from '../../../contract/billing/invoices.ts';
import { createTopUp, getAutoTopUp, getTopUp, setAutoTopUp } from '../../../contract/billing/top-ups.ts';
import { getWallet } from '../../../contract/billing/wallet.ts';
import { createWebhook } from '../../../contract/webhooks/endpoints.ts';
import { issueInvoice, payInvoice as settle } from '../../../domain/billing/invoices.ts';
import { vatInside } from '../../../domain/billing/money.ts';
import { readNothing as nothing, withWallet } from '../../../domain/billing/wallet.ts';
import { Account } from '../../../table/entities/accounts.ts';
import { Invoice } from '../../../table/entities/billing.ts';
import {
  codeOf,
  local,
  newAccount,
  type OpenedAccount,
  platformDeps,
  raw,
  secretOf,
  waitFor,
} from '../../support/harness.ts';
import { receiver } from '../../support/receivers.ts';

const deps = await platformDeps();

const topUp = async (account: OpenedAccount, amount: string) =>
  (await account.dashboard.call(createTopUp, { body: { amount } })).body.data;
const pay = async (url: string) => (await fetch(url, { method: 'POST' })).json();
const walletOf = async (account: OpenedAccount) => (await account.call(getWallet)).body.data;
const order = (accountId: string, cents: number) =>
  withWallet(deps, accountId, nothing, async (wallet) => {
    const lines = [{ description: 'Something', ...vatInside(cents) }];
    const invoice = issueInvoice(deps, wallet, { kind: 'DOMAIN', lines });
    return await deps.commit(wallet.writes(), invoice);
  });

/** Builds a callback as the payment provider sends it. */
const callback = (event: string, data: object, secret = secretOf('PAYMENTS_SECRET_NAME')) => {
  const body = JSON.stringify({ event, data });
  const signature = createHmac('sha512', secret).update(body).digest('hex');
  return raw('/hooks/payments', { method: 'POST', body, headers: { 'x-paystack-signature': signature } });
};
const referenceOf = (paymentId: string) => paymentId.replace('_', '-');

test('a card payment is started, paid on its page, and credited before the page redirects back', async () => {
  const account = await newAccount();
  const { paymentId, paymentUrl, ...rest } = await topUp(account, '250.00');
  expect(rest).toEqual({ amount: '250.00', status: 'PENDING' });
  expect(paymentUrl.startsWith(`${local.baseUrl}/`)).toBe(true);
  const asked = async (by: OpenedAccount) => await by.dashboard.call(getTopUp, { params: { id: paymentId } });
  expect((await asked(account)).body.data).toEqual({ paymentId, amount: '250.00', status: 'PENDING' });
  expect(codeOf(await asked(await newAccount()))).toBe('not_found');
  expect((await walletOf(account)).balance).toBe('0.00');
  expect(await (await fetch(paymentUrl)).text()).toContain('R250.00');
  expect(await pay(paymentUrl)).toEqual({ status: 'SUCCEEDED' });
  expect((await asked(account)).body.data.status).toBe('SUCCEEDED');
  const { balance, transactions } = await walletOf(account);
  expect(balance).toBe('250.00');
  expect(transactions).toMatchObject([{ type: 'TOPUP', amount: '250.00', description: `Card payment ${paymentId}` }]);
  // Once more, from a browser: nothing is paid twice, and it is redirected back.
  const again = await fetch(paymentUrl, { method: 'POST', headers: { accept: 'text/html' }, redirect: 'manual' });
  expect([again.status, again.headers.get('location')]).toEqual([
    303,
    expect.stringContaining(`${local.baseUrl}/dashboard/`),
  ]);
  expect((await walletOf(account)).balance).toBe('250.00');
});

test('webhooks report payments: those that succeed, and the R13.00 that are declined', async () => {
  const account = await newAccount();
  const { url, received, stop } = await receiver();
  onTestFinished(stop);
  await account.call(createWebhook, { body: { url, events: ['payment.succeeded', 'payment.failed'] } });
  const declined = await topUp(account, '13.00');
  expect(await pay(declined.paymentUrl)).toEqual({ status: 'FAILED' });
  expect((await walletOf(account)).transactions).toEqual([]);
  const paid = await topUp(account, '20.00');
  await pay(paid.paymentUrl);
  await waitFor(async () => received.length === 2);
  const told = received.map(({ body }) => JSON.parse(body));
  expect(told.map(({ type, data }) => [type, data]).sort()).toEqual([
    ['payment.failed', { paymentId: declined.paymentId, amount: '13.00' }],
    ['payment.succeeded', { paymentId: paid.paymentId, amount: '20.00' }],
  ]);
});

test.each([
  ['nothing', undefined],
  ['a number', 100],
  ['no decimals', '100'],
  ['one decimal', '100.0'],
  ['three decimals', '100.000'],
  ['less than a rand', '0.99'],
  ['more than a hundred thousand', '100000.01'],
  ['a minus', '-50.00'],
  ['letters', 'ten'],
  ['an exponent', '1e3'],
])('an amount that is %s is 400', async (_what, amount) => {
  const account = await newAccount();
  const answer = await account.dashboard.call(createTopUp, { body: { amount: amount as string } });
  expect([answer.status, codeOf(answer)]).toEqual([400, 'invalid_request']);
  expect(answer.error?.message).toMatch(/^amount: /);
});

test('rejects a forged or unsigned callback with 401 and credits nothing', async () => {
  const account = await newAccount();
  const { paymentId } = await topUp(account, '99.00');
  const data = { reference: referenceOf(paymentId), status: 'success', amount: 9900, currency: 'ZAR' };
  expect((await callback('charge.success', data, 'sk_live_guessed')).status).toBe(401);
  const unsigned = await raw('/hooks/payments', {
    method: 'POST',
    body: JSON.stringify({ event: 'charge.success', data }),
  });
  expect([unsigned.status, await unsigned.json()]).toMatchObject([401, { error: { code: 'unauthorized' } }]);
  expect((await walletOf(account)).balance).toBe('0.00');
});

test('credits what the payment provider confirms on request, not what the callback says', async () => {
  const account = await newAccount();
  const { paymentId } = await topUp(account, '99.00');
  // The callback reports a success that the payment provider does not confirm.
  const early = await callback('charge.success', {
    reference: referenceOf(paymentId),
    status: 'success',
    amount: 9900,
  });
  expect([early.status, await early.json()]).toEqual([200, { data: { settled: false } }]);
  expect((await walletOf(account)).balance).toBe('0.00');
});

test('credits repeated callbacks once, whether concurrent or later', async () => {
  const account = await newAccount();
  const { paymentId, paymentUrl } = await topUp(account, '40.00');
  await pay(paymentUrl);
  const data = { reference: referenceOf(paymentId), status: 'success', amount: 4000 };
  const answers = await Promise.all(Array.from({ length: 5 }, () => callback('charge.success', data)));
  for (const { status } of answers) expect(status).toBe(200);
  expect(await walletOf(account)).toMatchObject({ balance: '40.00', transactions: [{ amount: '40.00' }] });
});

test('credits the received amount if it differs from the requested one', async () => {
  const account = await newAccount();
  const { paymentUrl } = await topUp(account, '40.00');
  expect(await pay(`${paymentUrl}?amount=1500`)).toEqual({ status: 'SUCCEEDED' });
  expect((await walletOf(account)).balance).toBe('15.00');
});

test('credits a failed payment that is then made with another card', async () => {
  const account = await newAccount();
  const { paymentUrl } = await topUp(account, '13.00');
  expect(await pay(paymentUrl)).toEqual({ status: 'FAILED' });
  expect(await pay(`${paymentUrl}?amount=1400`)).toEqual({ status: 'SUCCEEDED' });
  expect((await walletOf(account)).balance).toBe('14.00');
});

test('acknowledges callbacks about other things and about unknown payments', async () => {
  for (const [event, reference] of [
    ['transfer.success', 'pay-none'],
    ['charge.success', 'pay-none'],
    ['charge.success', 'foreign-reference'],
  ] as const) {
    const answer = await callback(event, { reference });
    expect([answer.status, await answer.json()]).toEqual([200, { data: { settled: false } }]);
  }
  expect((await callback('charge.success', {})).status).toBe(200);
});

test('a credit pays unpaid invoices, oldest first, skipping those that it does not cover', async () => {
  const account = await newAccount();
  const [first, large, last] = [
    await order(account.id, 3000),
    await order(account.id, 90_000),
    await order(account.id, 2500),
  ];
  const { paymentUrl } = await topUp(account, '60.00');
  await pay(paymentUrl);
  const paid = await waitFor(async () => {
    const { data } = (await account.call(listInvoices, { query: { status: 'PAID' } })).body;
    return data.length === 2 && data;
  });
  expect(paid.map(({ id }) => id)).toEqual([last.id, first.id]);
  expect((await account.call(listInvoices, { query: { status: 'UNPAID' } })).body.data).toMatchObject([
    { id: large.id },
  ]);
  expect((await walletOf(account)).balance).toBe('5.00');
});

test('an invoice is paid on request: 402 without sufficient balance, 409 if paid, 404 for another account', async () => {
  const [account, stranger] = await Promise.all([newAccount(), newAccount()]);
  const { id } = await order(account.id, 5000);
  const request = (from: OpenedAccount) => from.dashboard.call(payInvoice, { params: { id } });
  expect([(await request(account)).status, codeOf(await request(account))]).toEqual([402, 'insufficient_funds']);
  expect((await request(stranger)).status).toBe(404);
  // Credited like an operator would: no automatic payment follows before the invoice is paid here.
  await withWallet(deps, account.id, nothing, async (wallet) => {
    wallet.move('ADJUSTMENT', 5000, 'Goodwill');
    const invoice = await deps.table.get(Invoice, { accountId: account.id, id });
    if (invoice) settle(wallet, invoice);
    return await deps.commit(wallet.writes(), undefined);
  });
  expect([(await request(account)).status, codeOf(await request(account))]).toEqual([409, 'conflict']);
  expect((await account.call(getInvoice, { params: { id } })).body.data.status).toBe('PAID');
});

test('the saved card is charged once when the balance falls below the threshold, and the wallet announces it', async () => {
  const account = await newAccount();
  const settings = { enabled: true, threshold: '50.00', amount: '200.00' };
  const put = (body: typeof settings) => account.dashboard.call(setAutoTopUp, { body });
  const nothingChosen = { enabled: false, threshold: '0.00', amount: '0.00', card: null };
  expect((await account.dashboard.call(getAutoTopUp)).body.data).toEqual(nothingChosen);
  expect((await put(settings)).body.data).toEqual({ ...settings, card: null });
  expect((await account.dashboard.call(getAutoTopUp)).body.data).toEqual({ ...settings, card: null });
  expect((await walletOf(account)).autoTopUpEnabled).toBe(true);
  await pay((await topUp(account, '100.00')).paymentUrl);
  expect((await put(settings)).body.data.card).toEqual({ brand: 'visa', lastFour: '4081' });
  await order(account.id, 6000);
  const { transactions } = await waitFor(async () => {
    const wallet = await walletOf(account);
    return wallet.balance === '240.00' && wallet;
  });
  expect(transactions.map(({ type, amount }) => [type, amount])).toEqual([
    ['TOPUP', '200.00'],
    ['PAYMENT', '-60.00'],
    ['TOPUP', '100.00'],
  ]);
  expect((await put({ ...settings, enabled: false })).body.data.enabled).toBe(false);
  expect((await walletOf(account)).autoTopUpEnabled).toBe(false);
});

test('the saved card is charged for an invoice that the balance does not cover, which is then paid', async () => {
  const account = await newAccount();
  await pay((await topUp(account, '10.00')).paymentUrl);
  await account.dashboard.call(setAutoTopUp, { body: { enabled: true, threshold: '0.00', amount: '100.00' } });
  const { id } = await order(account.id, 10_500);
  await waitFor(async () => (await account.call(getInvoice, { params: { id } })).body.data.status === 'PAID');
  expect((await walletOf(account)).balance).toBe('5.00');
});

test('a declined card is not charged repeatedly', async () => {
  const account = await newAccount();
  await pay((await topUp(account, '10.00')).paymentUrl);
  await account.dashboard.call(setAutoTopUp, { body: { enabled: true, threshold: '50.00', amount: '13.00' } });
  await waitFor(async () => (await deps.table.get(Account, { id: account.id }))?.noAutoTopUpBefore);
  await order(account.id, 500);
  const { transactions } = await walletOf(account);
  expect(transactions.map(({ type }) => type)).toEqual(['PAYMENT', 'TOPUP']);
  expect((await deps.table.get(Account, { id: account.id }))?.autoTopUpId).toBeUndefined();
});

test.each([
  ['enabled', { threshold: '1.00', amount: '10.00' }],
  ['enabled', { enabled: 'yes', threshold: '1.00', amount: '10.00' }],
  ['threshold', { enabled: true, amount: '10.00' }],
  ['threshold', { enabled: true, threshold: '-1.00', amount: '10.00' }],
  ['amount', { enabled: true, threshold: '1.00' }],
  ['amount', { enabled: true, threshold: '1.00', amount: '0.00' }],
  ['amount', { enabled: true, threshold: '1.00', amount: '9.99' }],
  ['amount', { enabled: true, threshold: '1.00', amount: 10 }],
  ['amount', { enabled: false, amount: '100000.01' }],
])('rejects auto top-up settings with an invalid %s with 400: %j', async (field, body) => {
  const account = await newAccount();
  const answer = await account.dashboard.call(setAutoTopUp, { body: body as never });
  expect(answer.status).toBe(400);
  expect(answer.error?.message.startsWith(`${field}: `)).toBe(true);
});

test('auto top-up is disabled without amounts, which stay, and with those that were read', async () => {
  const { dashboard } = await newAccount();
  const set = async (body: object) => (await dashboard.call(setAutoTopUp, { body: body as never })).body.data;
  expect(await set({ enabled: false })).toMatchObject({ enabled: false, threshold: '0.00', amount: '0.00' });
  expect(await set({ enabled: false, threshold: '0.00', amount: '0.00' })).toMatchObject({ enabled: false });
  await set({ enabled: true, threshold: '25.00', amount: '150.00' });
  expect(await set({ enabled: false })).toMatchObject({ enabled: false, threshold: '25.00', amount: '150.00' });
});

test('requires a login: an API key is rejected', async () => {
  const account = await newAccount();
  const answer = await raw('/dashboard/v1/wallet/topups', {
    method: 'POST',
    body: JSON.stringify({ amount: '10.00' }),
    headers: { authorization: `Bearer ${account.secretKey}` },
  });
  expect(answer.status).toBe(401);
});
