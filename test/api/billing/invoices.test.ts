import { expect, test } from 'vitest';
import { getAccount } from '../../../contract/accounts/accounts.ts';
import { createKey } from '../../../contract/accounts/api-keys.ts';
import { getOverview } from '../../../contract/accounts/overview.ts';
import { buyAiCredits } from '../../../contract/ai/management.ts';
import { getInvoice, getSpending, listInvoices } from '../../../contract/billing/invoices.ts';
import { getWallet } from '../../../contract/billing/wallet.ts';
import { createWebhook } from '../../../contract/webhooks/endpoints.ts';
import { updateWebhook } from '../../../contract/webhooks/management.ts';
import { issueInvoice, voidInvoice } from '../../../domain/billing/invoices.ts';
import { addVat } from '../../../domain/billing/money.ts';
import { readNothing as nothing, withWallet } from '../../../domain/billing/wallet.ts';
import type { Deps } from '../../../domain/deps.ts';
import type { Invoice } from '../../../table/entities/billing.ts';
import { codeOf, local, newAccount, platformDeps, raw, waitFor } from '../../support/harness.ts';

const deps = await platformDeps();

const order = (of: Deps, accountId: string, cents: number, count = 1) =>
  withWallet(of, accountId, nothing, async (wallet) => {
    const lines = Array.from({ length: count }, (_, at) => ({ description: `Line ${at + 1}`, ...addVat(cents) }));
    const invoice = issueInvoice(of, wallet, { kind: 'DOMAIN', lines });
    return await of.commit(wallet.writes(), invoice);
  });

test('an invoice shows its lines with VAT included, and they add up', async () => {
  const account = await newAccount({ walletCents: 10_000 });
  const { id, number } = await order(deps, account.id, 333, 3);
  const { body } = await account.call(getInvoice, { params: { id } });
  expect(body.data).toMatchObject({ id, number, kind: 'DOMAIN', status: 'PAID', amount: '11.49', vat: '1.50' });
  expect(body.data.lines).toEqual([1, 2, 3].map((at) => ({ description: `Line ${at}`, amount: '3.83' })));
  expect(body.data.paidAt).toBe(body.data.issuedAt);
  expect(number).toMatch(/^INV-20\d\d-\d{6,}$/);
});

test('an invoice is a PDF document, for its account only', async () => {
  const account = await newAccount({ walletCents: 10_000 });
  const { id } = await order(deps, account.id, 333, 3);
  const path = `/v1/invoices/${id}/pdf`;
  const read = (key: string, of = path) =>
    fetch(`${local.baseUrl}${of}`, { headers: { authorization: `Bearer ${key}` } });
  const answer = await read(account.secretKey);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/pdf']);
  const bytes = Buffer.from(await answer.arrayBuffer());
  expect(bytes.subarray(0, 5).toString()).toBe('%PDF-');
  expect(bytes.subarray(-6).toString()).toContain('%%EOF');
  const other = await newAccount();
  for (const refused of [await read(other.secretKey), await read(account.secretKey, '/v1/invoices/inv_none/pdf')]) {
    expect(refused.status).toBe(404);
    expect(await refused.json()).toMatchObject({ error: { code: 'not_found' } });
  }
  expect((await read(account.publicKey)).status).toBe(401);
});

test('spending is summed by product and month, without void invoices', async () => {
  const account = await newAccount({ walletCents: 2300 });
  await order(deps, account.id, 1000);
  await order(deps, account.id, 500);
  const unpaid = await order(deps, account.id, 2000);
  const spending = async () => (await account.dashboard.call(getSpending)).body.data;
  const { months, forecast, recurringMonthly } = await spending();
  expect(months).toHaveLength(12);
  const current = { plans: '0.00', domains: '40.25', aiCredits: '0.00', total: '40.25' };
  expect(months.at(-1)).toEqual({ month: new Date().toISOString().slice(0, 7), ...current });
  expect([forecast, recurringMonthly]).toEqual([{ total: '40.25', renewals: [] }, '0.00']);
  await withWallet(deps, account.id, nothing, async (wallet) => {
    voidInvoice(wallet, unpaid);
    return await deps.commit(wallet.writes(), undefined);
  });
  expect((await spending()).months.at(-1)?.total).toBe('17.25');
});

test('the overview has due amounts, how long the money lasts, expiries and recent changes', async () => {
  const account = await newAccount({ walletCents: 10_000 });
  const { dashboard } = account;
  const overview = async () => (await dashboard.call(getOverview)).body.data;
  expect(await overview()).toMatchObject({
    unpaidInvoices: { count: 0, total: '0.00' },
    wallet: { balance: '100.00', lasts: null },
    aiCredits: { available: '0.00', lasts: null },
    webhooks: { endpoints: 0, failing: [] },
    expiringKeys: [],
    budgets: [],
    expiringDomains: [],
  });
  await dashboard.call(buyAiCredits, { body: { amount: '90.00' } });
  await order(deps, account.id, 2000);
  const expiresAt = new Date(Date.now() + 5 * 86_400_000).toISOString();
  const key = (await dashboard.call(createKey, { body: { name: 'CI', scopes: ['read'], expiresAt } })).body.data;
  await dashboard.call(createKey, { body: { name: 'Later', scopes: ['read'] } });
  const { id } = (await account.call(createWebhook, { body: { url: 'https://example.com/hooks' } })).body.data;
  await dashboard.call(updateWebhook, { params: { id }, body: { active: false } });
  const found = await waitFor(async () => {
    const data = await overview();
    return data.changes.length >= 5 && data.unpaidInvoices.count === 1 && data.expiringKeys.length === 1 && data;
  });
  expect(found).toMatchObject({
    unpaidInvoices: { count: 1, total: '23.00' },
    aiCredits: { available: '90.00', lasts: null },
    webhooks: { endpoints: 1, failing: [{ id, active: false, failureCount: 0 }] },
    expiringKeys: [{ id: key.id, name: 'CI', expiresAt }],
  });
  expect(found.wallet.balance).toBe('10.00');
  // R90.00 in three months at most: below R90.00 a day, and above 90 cents.
  expect(found.wallet.lasts?.days).toBeGreaterThanOrEqual(0);
  expect(Number(found.wallet.lasts?.perDay)).toBeGreaterThan(0.9);
  expect(found.changes[0]).toMatchObject({ action: 'webhook.updated', subjectId: id });
  expect(JSON.stringify(found)).not.toContain(key.secretKey);
});

test('lists invoices newest first, all or by status, page by page, without lines', async () => {
  const account = await newAccount({ walletCents: 2300 });
  const made: Invoice[] = [];
  for (let count = 0; count < 5; count += 1) made.push(await order(deps, account.id, 1000));
  const [first] = made;
  await withWallet(deps, account.id, nothing, async (wallet) => {
    if (first) voidInvoice(wallet, first);
    return await deps.commit(wallet.writes(), undefined);
  });
  const list = async (query = {}): Promise<[number[], boolean]> => {
    const { body } = await account.call(listInvoices, { query });
    for (const each of body.data) expect(each).not.toHaveProperty('lines');
    return [body.data.map(({ number }) => made.findIndex((one) => one.number === number)), body.has_more];
  };
  // The refund of the void invoice pays the oldest unpaid one.
  await waitFor(async () => (await list({ status: 'PAID' }))[0]?.length === 2);
  expect(await list()).toEqual([[4, 3, 2, 1, 0], false]);
  expect(await list({ limit: '2', offset: '1' })).toEqual([[3, 2], true]);
  expect(await list({ status: 'PAID' })).toEqual([[2, 1], false]);
  expect(await list({ status: 'UNPAID', limit: '1' })).toEqual([[4], true]);
  expect(await list({ status: 'UNPAID', limit: '1', offset: '1' })).toEqual([[3], false]);
  expect(await list({ status: 'VOID' })).toEqual([[0], false]);
  expect(await list({ status: 'VOID', offset: '1' })).toEqual([[], false]);
});

test.each(['limit=0', 'limit=101', 'limit=ten', 'offset=-1', 'status=paid', 'status=', 'status=OPEN'])(
  'rejects a list by %s naming the field',
  async (query) => {
    const answer = await raw(`/v1/invoices?${query}`, {
      headers: { authorization: `Bearer ${local.accounts.other.secretKey}` },
    });
    expect(answer.status).toBe(400);
    const { error } = (await answer.json()) as { error: { message: string } };
    expect(error.message.startsWith(`${query.split('=')[0]}: `)).toBe(true);
  },
);

test("another account's invoice is 404", async () => {
  const [owner, stranger] = await Promise.all([newAccount(), newAccount()]);
  const { id } = await order(deps, owner.id, 1000);
  expect(codeOf(await stranger.call(getInvoice, { params: { id } }))).toBe('not_found');
  expect((await stranger.call(listInvoices)).body.data).toEqual([]);
});

test('the wallet shows the balance and its changes, newest first', async () => {
  const account = await newAccount({ walletCents: 5000 });
  const paid = await order(deps, account.id, 1000);
  await withWallet(deps, account.id, nothing, async (wallet) => {
    voidInvoice(wallet, paid);
    return await deps.commit(wallet.writes(), undefined);
  });
  await order(deps, account.id, 4000);
  const { body } = await account.call(getWallet);
  const shown = body.data.transactions.map(({ type, amount, balanceAfter }) => [type, amount, balanceAfter]);
  expect(shown).toEqual([
    ['PAYMENT', '-46.00', '4.00'],
    ['REFUND', '11.50', '50.00'],
    ['PAYMENT', '-11.50', '38.50'],
    ['ADJUSTMENT', '50.00', '50.00'],
  ]);
  expect(body.data).toMatchObject({ balance: '4.00', autoTopUpEnabled: false });
  expect((await account.call(getAccount)).body.data.walletBalance).toBe('4.00');
  expect((await (await newAccount()).call(getWallet)).body.data).toMatchObject({ balance: '0.00', transactions: [] });
});

test('the wallet shows the newest 100 transactions', async () => {
  const account = await newAccount();
  for (let count = 1; count <= 103; count += 1) {
    await withWallet(deps, account.id, nothing, async (wallet) => {
      wallet.move('ADJUSTMENT', count, `Gift ${count}`);
      return await deps.commit(wallet.writes(), undefined);
    });
  }
  const { transactions } = (await account.call(getWallet)).body.data;
  expect(transactions).toHaveLength(100);
  expect(transactions.at(0)?.description).toBe('Gift 103');
  expect(transactions.at(-1)?.description).toBe('Gift 4');
});

test('reading requires the read scope', async () => {
  const writer = await newAccount({ scopes: ['write', 'deploy', 'domains', 'ai'] });
  for (const route of [listInvoices, getWallet] as const)
    expect(codeOf(await writer.call(route))).toBe('insufficient_scope');
  expect(codeOf(await writer.call(getInvoice, { params: { id: 'inv_none' } }))).toBe('insufficient_scope');
});
