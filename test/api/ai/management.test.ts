import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { createKey, listKeys, updateKey } from '../../../contract/accounts/api-keys.ts';
import { getOverview } from '../../../contract/accounts/overview.ts';
import { getAiProviderStats, listAiCalls } from '../../../contract/ai/calls.ts';
import { listModels } from '../../../contract/ai/gateway.ts';
import {
  buyAiCredits,
  deleteProviderKey,
  getAiCredits,
  getAiUsage,
  listProviderKeys,
  putProviderKey,
} from '../../../contract/ai/management.ts';
import { getInvoice } from '../../../contract/billing/invoices.ts';
import { getWallet } from '../../../contract/billing/wallet.ts';
import { listEvents } from '../../../contract/webhooks/feed.ts';
import { clientOf, codeOf, local, newAccount, raw, waitFor } from '../../support/harness.ts';

const sdk = (accessToken: string) =>
  new OpenAI({ apiKey: accessToken, baseURL: `${local.baseUrl}/dashboard/v1/ai`, maxRetries: 0 });
const ask = { model: 'openai/gpt-4o-mini', messages: [{ role: 'user' as const, content: 'say exactly: hello' }] };

test('credits are bought from the wallet, rand for rand, with an invoice', async () => {
  const account = await newAccount({ walletCents: 15_000 });
  const { status, body } = await account.dashboard.call(buyAiCredits, { body: { amount: '100.00' } });
  expect(status).toBe(201);
  expect(body.data).toMatchObject({ amount: '100.00', balance: '100.00', available: '100.00', has_more: false });
  expect(body.data.invoice).toMatchObject({ kind: 'AI_CREDITS', status: 'PAID', amount: '100.00', vat: '13.04' });
  const { data } = (await account.dashboard.call(getAiCredits)).body;
  expect(data).toMatchObject({ balance: '100.00', balanceMicroRand: 100_000_000, entries: body.data.entries });
  expect(data.entries).toMatchObject([{ type: 'PURCHASE', amountMicroRand: 100_000_000, model: null }]);
  expect((await account.call(getWallet)).body.data.balance).toBe('50.00');
  const invoice = await account.call(getInvoice, { params: { id: body.data.invoice.id } });
  expect(invoice.body.data.lines).toEqual([{ description: 'AI credits of R100.00', amount: '100.00' }]);
});

test('rejects a purchase that the wallet cannot pay with 402; of ten concurrent ones, as many succeed as it covers', async () => {
  const account = await newAccount({ walletCents: 3500 });
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => account.dashboard.call(buyAiCredits, { body: { amount: '10.00' } })),
  );
  const counted = answers.map((answer) => codeOf(answer) ?? 'bought');
  expect(counted.filter((each) => each === 'bought')).toHaveLength(3);
  expect(counted.filter((each) => each === 'insufficient_funds')).toHaveLength(7);
  const [credits, wallet] = [await account.dashboard.call(getAiCredits), await account.call(getWallet)];
  expect([credits.body.data.balance, wallet.body.data.balance]).toEqual(['30.00', '5.00']);
});

test('the usage is summed by day, key and model, beyond any page of the ledger', async () => {
  const account = await newAccount({ aiCreditsMicroRand: 50_000_000 });
  const [key] = (await account.dashboard.call(listKeys)).body.data;
  const client = new OpenAI({ apiKey: account.secretKey, baseURL: `${local.baseUrl}/ai/v1`, maxRetries: 5 });
  for (let call = 0; call < 3; call += 1) await client.chat.completions.create(ask);
  await sdk(account.accessToken).chat.completions.create(ask);
  // The entry of a call comes before its charge.
  const { balanceMicroRand, entries } = await waitFor(async () => {
    const { data } = (await account.dashboard.call(getAiCredits)).body;
    const sum = data.entries.reduce((so, { amountMicroRand }) => so + amountMicroRand, 0);
    return data.entries.length === 5 && data.balanceMicroRand === sum && data;
  });
  // Without waiting: what is in the ledger is in the usage.
  const usage = (await account.dashboard.call(getAiUsage)).body.data;
  const day = entries[0]?.createdAt.slice(0, 10);
  expect(usage).toMatchObject([
    { keyId: null, keyName: null, model: ask.model, calls: 1 },
    { day, keyId: key?.id, keyName: 'test', model: ask.model, calls: 3, outputTokens: 3 },
  ]);
  expect(usage.reduce((sum, each) => sum + each.amountMicroRand, 0)).toBe(50_000_000 - balanceMicroRand);
  const tooLong = await account.dashboard.call(getAiUsage, { query: { days: '91' } });
  expect(tooLong.error?.message).toMatch(/^days: /);
});

test('the request log has each call with its cost and result, without its text, and statistics by provider', async () => {
  const account = await newAccount({ aiCreditsMicroRand: 50_000_000 });
  const client = new OpenAI({ apiKey: account.secretKey, baseURL: `${local.baseUrl}/ai/v1`, maxRetries: 5 });
  for (let call = 0; call < 2; call += 1) await client.chat.completions.create(ask);
  await sdk(account.accessToken)
    .chat.completions.create({ ...ask, model: 'openai/none' })
    .catch(() => undefined);
  const list = (query = {}) => account.dashboard.call(listAiCalls, { query });
  const calls = await waitFor(async () => {
    const { data } = (await list()).body;
    return data.length === 3 && data;
  });
  const [failed, second] = calls;
  expect(failed).toMatchObject({ keyId: null, status: 400, code: 'invalid_request', amountMicroRand: 0 });
  expect(second).toMatchObject({ model: ask.model, provider: 'openai', status: 200, code: null, outputTokens: 1 });
  expect(second?.amountMicroRand).toBeGreaterThan(0);
  expect(JSON.stringify(calls)).not.toContain('hello');
  expect((await list({ failed: 'true' })).body.data.map(({ id }) => id)).toEqual([failed?.id]);
  expect((await list({ model: ask.model, limit: '1' })).body).toMatchObject({
    data: [{ id: second?.id }],
    has_more: true,
  });
  expect((await list({ failed: 'maybe' })).error?.message).toMatch(/^failed: /);
  const stats = (await account.dashboard.call(getAiProviderStats)).body.data;
  expect(stats).toMatchObject({ providers: [{ provider: 'openai', failed: 1, calls: 3 }], complete: true });
  expect((await account.dashboard.call(getAiProviderStats, { query: { days: '31' } })).error?.message).toMatch(
    /^days: /,
  );
});

test('a key spends at most its budget of the credits; the budget is announced, raised and removed', async () => {
  const account = await newAccount({ aiCreditsMicroRand: 500_000_000 });
  const { dashboard } = account;
  const { cursor } = (await account.call(listEvents)).body;
  const body = { name: 'Budgeted', scopes: ['ai' as const], aiBudget: '8.00' };
  const { id, secretKey, aiBudget, aiSpent } = (await dashboard.call(createKey, { body })).body.data;
  expect([aiBudget, aiSpent]).toEqual(['8.00', '0.00']);
  const client = new OpenAI({ apiKey: secretKey, baseURL: `${local.baseUrl}/ai/v1`, maxRetries: 0 });
  const { data: models } = (await account.call(listModels)).body;
  const [dearest] = models.sort(
    (a, b) => Number(b.pricing_zar_per_million.output) - Number(a.pricing_zar_per_million.output),
  );
  const content = `say exactly: ${'word '.repeat(400)}`;
  const call = () =>
    client.chat.completions.create({ model: dearest?.id ?? '', messages: [{ role: 'user', content }] }).then(
      () => 'answered',
      ({ status, code, message }) => `${status} ${code} ${message}`,
    );
  const answers = [];
  for (let attempt = 0; attempt < 40 && !String(answers.at(-1)).startsWith('402'); attempt += 1)
    answers.push(await call());
  expect(answers.at(-1)).toMatch(/^402 insufficient_credits .*budget/);
  // A call is settled after its last byte.
  const spent = await waitFor(async () => {
    const key = (await dashboard.call(listKeys)).body.data.find((each) => each.id === id);
    return Number(key?.aiSpent) > 6.4 && Number(key?.aiSpent);
  });
  expect(spent).toBeLessThanOrEqual(8);
  const { budgets } = (await dashboard.call(getOverview)).body.data;
  expect(budgets).toMatchObject([{ id, name: 'Budgeted', aiBudget: '8.00' }]);
  const [event] = await waitFor(async () => {
    const { data } = (await account.call(listEvents, { query: { after: cursor } })).body;
    const alerts = data.filter(({ type }) => type === 'ai.budget_near');
    return alerts.length > 0 && alerts;
  });
  expect(event?.data).toMatchObject({ keyId: id, budget: '8.00' });
  const other = new OpenAI({ apiKey: account.secretKey, baseURL: `${local.baseUrl}/ai/v1`, maxRetries: 0 });
  await other.chat.completions.create(ask);

  const budget = async (aiBudget: string | null) =>
    await dashboard.call(updateKey, { params: { id }, body: { aiBudget } });
  expect((await budget('0.50')).error?.message).toMatch(/^aiBudget: /);
  expect((await budget('100.00')).body.data).toMatchObject({ id, name: 'Budgeted', aiBudget: '100.00' });
  expect(await call()).toBe('answered');
  expect((await budget('8.00')).body.data.aiBudget).toBe('8.00');
  expect(await call()).toMatch(/^402 /);
  expect((await budget(null)).body.data.aiBudget).toBeNull();
  expect(await call()).toBe('answered');
  expect(codeOf(await dashboard.call(updateKey, { params: { id: 'key_none' }, body: { name: 'x' } }))).toBe(
    'not_found',
  );
});

test('a double click buys once', async () => {
  const account = await newAccount({ walletCents: 5000 });
  const { accessToken } = account;
  const form = clientOf({ accessToken: () => accessToken, headers: { 'idempotency-key': 'one-form' } });
  const answers = await Promise.all([1, 2, 3].map(() => form.call(buyAiCredits, { body: { amount: '20.00' } })));
  expect(new Set(answers.map(({ body }) => body.data?.invoice.id)).size).toBe(1);
  expect((await account.call(getWallet)).body.data.balance).toBe('30.00');
});

test.each(['0.00', '0.99', '-10.00', '10', '10.5', '1e3', '10000000.00', ''])(
  'an amount of %j is 400 naming the field',
  async (amount) => {
    const account = await newAccount({ walletCents: 500 });
    const answer = await account.dashboard.call(buyAiCredits, { body: { amount } });
    expect([answer.status, answer.error?.message.split(':')[0]]).toEqual([400, 'amount']);
  },
);

describe('provider keys', () => {
  test('are listed for every provider with their last four characters only', async () => {
    const { dashboard } = await newAccount();
    const none = (await dashboard.call(listProviderKeys)).body.data;
    expect(none).toHaveLength(9);
    expect(none.every(({ saved, lastFour }) => !saved && lastFour === null)).toBe(true);
    const saved = await dashboard.call(putProviderKey, {
      params: { id: 'mistral' },
      body: { key: 'secret-part-wxyz' },
    });
    expect(saved.body.data).toEqual({ id: 'mistral', name: 'Mistral AI', saved: true, lastFour: 'wxyz' });
    const { body } = await dashboard.call(listProviderKeys);
    expect(body.data.filter((each) => each.saved)).toEqual([saved.body.data]);
    expect(JSON.stringify(body)).not.toContain('secret-part');
    await dashboard.call(deleteProviderKey, { params: { id: 'mistral' } });
    expect((await dashboard.call(listProviderKeys)).body.data).toEqual(none);
  });

  test('of an unknown provider are 404, and an invalid key is 400', async () => {
    const { dashboard } = await newAccount();
    const key = 'sk-something-long';
    expect(codeOf(await dashboard.call(putProviderKey, { params: { id: 'unknown' }, body: { key } }))).toBe(
      'not_found',
    );
    expect(codeOf(await dashboard.call(deleteProviderKey, { params: { id: 'unknown' } }))).toBe('not_found');
    for (const wrong of ['', 'short', 'with a space inside', 'übermäßig-lang', 'x'.repeat(513)]) {
      const answer = await dashboard.call(putProviderKey, { params: { id: 'openai' }, body: { key: wrong } });
      expect([answer.status, answer.error?.message.split(':')[0]]).toEqual([400, 'key']);
    }
  });

  test('are private: another account can neither read nor delete them', async () => {
    const [owner, stranger] = [await newAccount(), await newAccount()];
    const params = { id: 'openai' };
    await owner.dashboard.call(putProviderKey, { params, body: { key: 'sk-of-the-owner' } });
    await stranger.dashboard.call(deleteProviderKey, { params });
    const savedBy = async ({ dashboard }: typeof owner) =>
      (await dashboard.call(listProviderKeys)).body.data.filter(({ saved }) => saved).map(({ id }) => id);
    expect([await savedBy(owner), await savedBy(stranger)]).toEqual([['openai'], []]);
  });
});

describe('the playground', () => {
  test('lists the models and streams a response, charged to the account’s credits', async () => {
    const account = await newAccount({ aiCreditsMicroRand: 100_000_000 });
    expect((await account.dashboard.call(listModels)).body.data.map(({ id }) => id)).toContain(ask.model);
    const stream = await sdk(account.accessToken).chat.completions.create({ ...ask, stream: true });
    let text = '';
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
    expect(text).toBe('hello');
    const entry = await waitFor(async () => (await account.dashboard.call(getAiCredits)).body.data.entries[0]);
    expect(entry).toMatchObject({ type: 'CALL', model: ask.model });
  });

  test('requires a login, rejects API keys, and counts against the login’s limit', async () => {
    const account = await newAccount({ aiCreditsMicroRand: 100_000_000 });
    const post = (token: string) =>
      raw('/dashboard/v1/ai/chat/completions', {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
        body: JSON.stringify(ask),
      });
    const refused = await post(account.secretKey);
    expect(await refused.json()).toMatchObject({ error: { code: 'unauthorized', status: 401 } });
    const answer = await post(account.accessToken);
    expect([answer.status, answer.headers.get('x-ratelimit-limit')]).toEqual([200, '300']);
    await answer.body?.cancel();
  });
});
