import { describe, expect, test } from 'vitest';
import { getAccount } from '../../contract/accounts/accounts.ts';
import { createKey, listKeys, revokeKey } from '../../contract/accounts/api-keys.ts';
import { createChatCompletion } from '../../contract/ai/chat.ts';
import { putProviderKey } from '../../contract/ai/management.ts';
import { createApp, deleteApp } from '../../contract/apps/apps.ts';
import { getAppRequests, getAppStarts } from '../../contract/apps/metrics.ts';
import { inspectRepository } from '../../contract/apps/repository-inspection.ts';
import { listInvoices } from '../../contract/billing/invoices.ts';
import { createTopUp } from '../../contract/billing/top-ups.ts';
import { type ApiResponse, createClient } from '../../contract/client.ts';
import { createDatabase } from '../../contract/databases/databases.ts';
import { createDeployment, getDeployment } from '../../contract/deployments/deployments.ts';
import { ERRORS } from '../../contract/errors.ts';
import {
  isRefused,
  KEYS_WITH_RESERVE,
  LIMIT_NAMES,
  LIMITS,
  type LimitName,
  type LimitOverrides,
  limitRule,
} from '../../contract/limits/limits.ts';
import { listDomains } from '../../contract/registrar/domains.ts';
import { orderDomain } from '../../contract/registrar/orders.ts';
import { createWebhook } from '../../contract/webhooks/endpoints.ts';
import { listDeliveries, pingWebhook, resendDelivery } from '../../contract/webhooks/management.ts';
import { Account } from '../../table/entities/accounts.ts';
import { AiAccount } from '../../table/entities/ai.ts';
import { change } from '../../table/writes.ts';
import { registrant, uniqueDomain } from '../support/domains.ts';
import {
  clientOf,
  local,
  newAccount,
  type OpenedAccount,
  platformDeps,
  setLimits,
  waitFor,
} from '../support/harness.ts';

/** Sets limits of an account, and changes its item where a test cannot wait for a month to pass. */
async function asOperator(accountId: string, limits: LimitOverrides, fields: Record<string, unknown> = {}) {
  await setLimits(accountId, limits);
  const deps = await platformDeps();
  if (Object.keys(fields).length > 0) await deps.table.transact([change(Account, { id: accountId }, { set: fields })]);
}

/** Changes the item of an account's AI calls as running calls do, so that a test need not make a hundred of them. */
async function setAiAccount(accountId: string, set: Record<string, unknown>) {
  const deps = await platformDeps();
  await deps.table.transact([change(AiAccount, { accountId }, { set })]);
}

const REPO = 'https://git.localhost/no-such-repository.git';
const key = (name: string) => ({ name, scopes: ['read' as const] });
const thisMonth = () => new Date().toISOString().slice(0, 7);

/** An application without a deployment. */
const idleApp = async (account: OpenedAccount) =>
  (await account.call(createApp, { body: { name: 'Idle', repoUrl: REPO, deployNow: false } })).body.data.id;

/** A delivery of the account that can be resent. */
async function delivery(account: OpenedAccount): Promise<string> {
  const { id } = (await account.call(createWebhook, { body: { url: 'https://hooks.example.com/' } })).body.data;
  await account.dashboard.call(pingWebhook, { params: { id } });
  return await waitFor(async () => {
    const [found] = (await account.dashboard.call(listDeliveries, { params: { id } })).body.data;
    return found?.id;
  });
}

interface Case {
  /** The limit that an operator sets. */
  limit: number;
  /** Requests that succeed; the limit itself unless something counts already. */
  allowed?: number;
  /** Attributes of the account's item. */
  fields?: () => Record<string, unknown>;
  prepare?(account: OpenedAccount): Promise<string>;
  request(account: OpenedAccount, prepared: string, index: number): Promise<ApiResponse<unknown>>;
}

/** Limits that a request over HTTP is refused by. All requests of a case race: exactly as many as allowed succeed. */
const CASES: Partial<Record<LimitName, Case>> = {
  apiKeys: {
    limit: 3,
    // The account was opened with one.
    allowed: 2,
    request: (account, _, index) => account.dashboard.call(createKey, { body: key(`key ${index}`) }),
  },
  apiKeysPerDay: {
    limit: 2,
    request: (account, _, index) => account.dashboard.call(createKey, { body: key(`key ${index}`) }),
  },
  applications: { limit: 2, request: (account) => account.call(createApp, { body: { name: 'Limited' } }) },
  buildMinutesPerMonth: {
    limit: 7,
    allowed: 0,
    fields: () => ({ buildMonth: thisMonth(), buildMinutes: 7 }),
    request: (account) => account.call(createApp, { body: { name: 'Built', repoUrl: REPO } }),
  },
  databases: {
    limit: 0,
    prepare: idleApp,
    request: (account, applicationId, index) =>
      account.dashboard.call(createDatabase, { body: { applicationId, name: `db${index}` } }),
  },
  databaseStorageMib: {
    limit: 7,
    allowed: 0,
    fields: () => ({ databaseMib: 7 }),
    prepare: idleApp,
    request: (account, applicationId, index) =>
      account.dashboard.call(createDatabase, { body: { applicationId, name: `db${index}` } }),
  },
  databaseUnitsPerMonth: {
    limit: 7,
    allowed: 0,
    fields: () => ({ databaseMonth: thisMonth(), databaseUnits: 7 }),
    prepare: idleApp,
    request: (account, applicationId, index) =>
      account.dashboard.call(createDatabase, { body: { applicationId, name: `db${index}` } }),
  },
  customDomainsPerDay: {
    limit: 2,
    request: (account) =>
      account.call(createApp, { body: { name: 'Named', customDomain: uniqueDomain('limited', 'example') } }),
  },
  unpaidDomainOrders: {
    limit: 3,
    request: (account) => account.call(orderDomain, { body: { domain: uniqueDomain(), registrant } }),
  },
  concurrentAiCalls: {
    limit: 0,
    request: (account) =>
      createClient({ baseUrl: local.baseUrl, secretKey: account.secretKey }).call(createChatCompletion, {
        body: { model: 'openai/gpt-4o-mini', messages: [{ role: 'user', content: 'hello' }] },
      }),
  },
  webhookEndpoints: {
    limit: 2,
    request: (account) => account.call(createWebhook, { body: { url: 'https://hooks.example.com/' } }),
  },
  topUpsPerDay: {
    limit: 2,
    request: (account) => account.dashboard.call(createTopUp, { body: { amount: '10.00' } }),
  },
  webhookResendsPerDay: {
    limit: 1,
    prepare: delivery,
    request: (account, id) => account.dashboard.call(resendDelivery, { params: { id } }),
  },
};

const names = LIMIT_NAMES.filter((name) => name in CASES);

describe.concurrent('limits', () => {
  test.each(names)(
    'refuses the request beyond a limit with its documented error, also in a race: %s',
    async (name) => {
      const found = CASES[name];
      if (!found) throw new Error(name);
      const { limit, allowed = limit, fields, prepare, request } = found;
      const account = await newAccount({ aiCreditsMicroRand: 10_000_000 });
      const prepared = (await prepare?.(account)) ?? '';
      await asOperator(account.id, { [name]: limit }, fields?.());
      const answers = await Promise.all(
        Array.from({ length: allowed + 3 }, (_, index) => request(account, prepared, index)),
      );
      const refused = answers.filter(({ status }) => status >= 300);
      const { error: code } = limitRule(name);
      if (!isRefused(code)) throw new Error(`${name} refuses nothing`);
      // Racing resends of one delivery clash first: the limit's own error follows below.
      if (name !== 'webhookResendsPerDay') {
        expect(answers.length - refused.length, JSON.stringify(answers.map(({ error }) => error))).toBe(allowed);
        for (const { error } of refused) expect(error).toMatchObject({ code, status: ERRORS[code].status });
      }
      const { error, headers } = await request(account, prepared, 99);
      expect(error).toMatchObject({ code, status: ERRORS[code].status });
      expect(error?.message).toContain(`is reached: ${limit} (`);
      expect(error?.message).toContain(`(${name})`);
      if (code === 'rate_limited') expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      // The number that refuses is the number that is shown.
      expect((await account.call(getAccount)).body.data.limits[name]).toBe(limit);
      // A higher limit lets the same request pass.
      await asOperator(account.id, { [name]: limit + 10 }, { buildMinutes: 0 });
      expect((await request(account, prepared, 100)).error).toBeUndefined();
    },
    120_000,
  );

  test('a revoked key and a deleted application make room', async () => {
    const account = await newAccount({ appLimit: 1 });
    await asOperator(account.id, { apiKeys: 1 });
    const create = () => account.dashboard.call(createKey, { body: key('next') });
    expect((await create()).status).toBe(409);
    const [opened] = (await account.dashboard.call(listKeys)).body.data;
    const params = { id: opened?.id ?? '' };
    const revoked = await Promise.all([1, 2, 3].map(() => account.dashboard.call(revokeKey, { params })));
    expect(revoked.map(({ status }) => status)).toEqual([200, 200, 200]);
    // Revoking one key three times makes room for one.
    expect([(await create()).status, (await create()).status]).toEqual([201, 409]);

    const made = () => account.dashboard.call(createApp, { body: { name: 'One' } });
    const app = await made();
    expect([app.status, (await made()).status]).toEqual([201, 402]);
    await account.dashboard.call(deleteApp, { params: { id: app.body.data.id } });
    expect((await made()).status).toBe(201);
  });

  test('deployments beyond those at once wait in line, and each gets its turn', async () => {
    const account = await newAccount();
    await asOperator(account.id, { concurrentBuilds: 1 });
    const apps = await Promise.all([1, 2, 3].map(() => idleApp(account)));
    const deployed = await Promise.all(apps.map((id) => account.call(createDeployment, { params: { id } })));
    expect(deployed.map(({ status }) => status)).toEqual([202, 202, 202]);
    const read = () =>
      Promise.all(deployed.map(({ body }) => account.call(getDeployment, { params: { id: body.data.id } })));
    const waiting = (await read()).flatMap(({ body }) => body.data.queue ?? []);
    for (const { position, reason } of waiting) {
      expect(position).toBeGreaterThan(0);
      expect(reason).toMatch(/^Waiting for /);
    }
    // The repository does not exist: each deployment fails, which makes room for the next.
    await waitFor(async () => (await read()).every(({ body }) => body.data.status === 'FAILED'), 500);
    expect((await read()).map(({ body }) => body.data.queue)).toEqual([null, null, null]);
  });

  test('requests over all keys are limited, and a refused request counts on neither item', async () => {
    const account = await newAccount({ keyCount: KEYS_WITH_RESERVE + 1 });
    // 968 are the reserves and shares of all keys; this leaves 32 for what goes beyond a share.
    await asOperator(account.id, { requestsPerMinute: 1000 });
    const [first, last] = [account.clients.at(0), account.clients.at(-1)];
    const answers: ApiResponse<unknown>[] = [];
    for (let count = 0; count < 38; count += 1) answers.push((await last?.call(getAccount)) as ApiResponse<unknown>);
    expect(answers.map(({ status }) => status)).toEqual([...Array(4 + 32).fill(200), 429, 429]);
    const refused = answers.at(-1);
    expect(refused?.error).toMatchObject({
      code: 'rate_limited',
      message: expect.stringContaining('requestsPerMinute'),
    });
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused?.headers.get('x-ratelimit-remaining')).toBe('0');
    // The rate of the account's first keys is reserved: other keys do not use it up.
    for (let count = 0; count < 40; count += 1) expect((await first?.call(getAccount))?.status).toBe(200);
    // A new key brings no share of its own, and none of a key that it replaces.
    const added = (await account.dashboard.call(createKey, { body: key('added') })).body.data;
    expect((await clientOf(added).call(getAccount)).status).toBe(429);
    const { data: keys } = (await account.dashboard.call(listKeys)).body;
    const unused = keys.filter(({ lastUsedAt, name }) => lastUsedAt === null && name !== 'added');
    expect(unused).toHaveLength(KEYS_WITH_RESERVE - 1);
    for (const { id } of unused) await account.dashboard.call(revokeKey, { params: { id } });
    const replacing = (await account.dashboard.call(createKey, { body: key('replacing') })).body.data;
    expect((await clientOf(replacing).call(getAccount)).status).toBe(429);
    // Logins have a limit of their own.
    expect((await account.dashboard.call(getAccount)).status).toBe(200);
  });

  test("calls with the caller's own key count towards the concurrent calls, and stop counting when they end", async () => {
    const account = await newAccount();
    const params = { id: 'openai' };
    await account.dashboard.call(putProviderKey, { params, body: { key: 'sk-own-0123456789abcdef' } });
    const client = createClient({ baseUrl: local.baseUrl, secretKey: account.secretKey });
    const body = { model: 'openai/gpt-4o-mini', messages: [{ role: 'user' as const, content: 'hello' }] };
    const call = () => client.call(createChatCompletion, { body });
    await asOperator(account.id, { concurrentAiCalls: 0 });
    expect((await call()).error).toMatchObject({
      code: 'rate_limited',
      message: expect.stringContaining('concurrentAiCalls'),
    });
    await asOperator(account.id, { concurrentAiCalls: 1 });
    // The place of a call is free a moment after its response.
    for (let count = 0; count < 3; count += 1) await waitFor(async () => (await call()).status === 200);
  });

  test('a key has its own limit of concurrent calls, with credits and with the caller’s own key', async () => {
    const account = await newAccount({ aiCreditsMicroRand: 50_000_000 });
    const create = async (name: string) =>
      (await account.dashboard.call(createKey, { body: { name, scopes: ['ai'] } })).body.data;
    const [busy, other] = [await create('busy'), await create('other')];
    const call = ({ secretKey }: { secretKey: string }) =>
      createClient({ baseUrl: local.baseUrl, secretKey }).call(createChatCompletion, {
        body: { model: 'openai/gpt-4o-mini', messages: [{ role: 'user', content: 'hello' }] },
      });
    // A hundred calls of one key are running.
    const open = LIMITS.concurrentAiCallsPerKey.amounts;
    await asOperator(account.id, { concurrentAiCalls: 250 });
    await setAiAccount(account.id, { openCalls: open, [`open_${busy.id.slice(-6)}`]: open });
    const refused = async (limit: string) => {
      const { status, error, headers } = await call(busy);
      expect(status).toBe(429);
      expect(error).toMatchObject({ code: 'rate_limited', message: expect.stringMatching(`\\b${limit}\\b`) });
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    };
    await refused('concurrentAiCallsPerKey');
    expect((await call(other)).status).toBe(200);
    // The limit of the account is named first, because it refuses all keys.
    await asOperator(account.id, { concurrentAiCalls: 1 });
    await refused('concurrentAiCalls');
    await asOperator(account.id, { concurrentAiCalls: 250 });
    // The caller's own key with the provider does not change the limit.
    await account.dashboard.call(putProviderKey, {
      params: { id: 'openai' },
      body: { key: 'sk-own-0123456789abcdef' },
    });
    await refused('concurrentAiCallsPerKey');
    expect((await call(other)).status).toBe(200);
    // One of the calls ends.
    await setAiAccount(account.id, { [`open_${busy.id.slice(-6)}`]: open - 1 });
    expect((await call(busy)).status).toBe(200);
  });

  test('a lack of credits is named before the concurrent calls of a key', async () => {
    const account = await newAccount();
    const key = (await account.dashboard.call(createKey, { body: { name: 'busy', scopes: ['ai'] } })).body.data;
    await asOperator(account.id, { concurrentAiCalls: 250 });
    const open = LIMITS.concurrentAiCallsPerKey.amounts;
    await setAiAccount(account.id, { openCalls: open, [`open_${key.id.slice(-6)}`]: open });
    const { status, error } = await createClient({ baseUrl: local.baseUrl, secretKey: key.secretKey }).call(
      createChatCompletion,
      { body: { model: 'openai/gpt-4o-mini', messages: [{ role: 'user', content: 'hello' }] } },
    );
    expect([status, error?.code]).toEqual([402, 'insufficient_credits']);
  });

  test('calls that wait for a host of the caller’s choice have a separate limit by account', async () => {
    const [account, other] = await Promise.all([newAccount(), newAccount()]);
    const inspect = ({ dashboard }: OpenedAccount) =>
      dashboard.call(inspectRepository, { query: { url: 'https://git.localhost/no-such-repository.git' } });
    const { perMinute = 0 } = inspectRepository;
    const answers = await Promise.all(Array.from({ length: perMinute + 5 }, () => inspect(account)));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.map(({ error }) => error?.code)).toEqual(Array(5).fill('rate_limited'));
    expect((await account.dashboard.call(getAccount)).status).toBe(200);
    expect((await inspect(other)).status).toBe(200);
  });

  test.each([getAppRequests, getAppStarts])(
    'queries over a log share one rate with all applications: $id has a limit of its own, by account',
    async (route) => {
      const [account, other] = await Promise.all([newAccount(), newAccount()]);
      const { id } = (await account.call(createApp, { body: { name: 'Queried' } })).body.data;
      const { id: foreign } = (await other.call(createApp, { body: { name: 'Queried' } })).body.data;
      const { perMinute = 0 } = route;
      const ask = () => account.dashboard.call(route, { params: { id } });
      const answers = await Promise.all(Array.from({ length: perMinute + 5 }, ask));
      const refused = answers.filter(({ status }) => status !== 200);
      expect(refused.map(({ error }) => error?.code)).toEqual(Array(5).fill('rate_limited'));
      expect((await other.dashboard.call(route, { params: { id: foreign } })).status).toBe(200);
    },
  );

  test('paying an order, which a top-up does, makes room for the next', async () => {
    const account = await newAccount();
    await asOperator(account.id, { unpaidDomainOrders: 3 });
    const order = () => account.call(orderDomain, { body: { domain: uniqueDomain(), registrant } });
    for (let count = 0; count < 3; count += 1) expect((await order()).body.data.invoice.status).toBe('UNPAID');
    expect((await order()).error?.code).toBe('conflict');
    expect((await account.call(listDomains)).body.data).toHaveLength(3);
    const topUp = (await account.dashboard.call(createTopUp, { body: { amount: '150.00' } })).body.data;
    await fetch(topUp.paymentUrl, { method: 'POST' });
    const paid = { query: { status: 'PAID' as const } };
    await waitFor(async () => (await account.call(listInvoices, paid)).body.data.length === 1);
    expect((await order()).body.data.invoice.status).toBe('UNPAID');
    expect((await order()).error?.code).toBe('conflict');
  });
});
