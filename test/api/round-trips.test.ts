import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { Method } from '../../contract/route.ts';
import { hashKey } from '../../domain/accounts/credentials.ts';
import { Credential } from '../../table/entities/accounts.ts';
import { change } from '../../table/writes.ts';
import { registrant, uniqueDomain } from '../support/domains.ts';
import { local, newAccount, type OpenedAccount, setLimits, throughTheEdge } from '../support/harness.ts';

/**
 * Counts sequential round trips on the wire: a proxy in front of the table counts waves. A request that starts while none is
 * in flight starts a wave; concurrent requests belong to the same wave.
 */
let waves = 0;
let inFlight = 0;
const table = new URL(local.environment.AWS_ENDPOINT_URL_DYNAMODB ?? '');
const proxy = createServer((incoming, outgoing) => {
  if (inFlight === 0) waves += 1;
  inFlight += 1;
  const forwarded = request(
    { host: table.hostname, port: table.port, method: incoming.method, path: incoming.url, headers: incoming.headers },
    (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.on('end', () => {
        inFlight -= 1;
      });
      answer.pipe(outgoing);
    },
  );
  void untilConcurrentArrived().then(() => incoming.pipe(forwarded));
});

/**
 * Waits until concurrent requests have arrived, each over its own connection. They come from this process: it waits for turns
 * of its event loop, which a busy machine delays as it delays them.
 */
async function untilConcurrentArrived() {
  for (let turn = 0; turn < 10; turn += 1) await delay(4);
}

let account: OpenedAccount;
beforeAll(async () => {
  account = await newAccount();
  await setLimits(account.id, { unpaidDomainOrders: 100 });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const address = proxy.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', `http://127.0.0.1:${address.port}`);
});
// The functions read the proxy's address when they are imported, and each test begins without what they cache.
beforeEach(() => void vi.resetModules());
afterAll(() => {
  vi.unstubAllEnvs();
  vi.resetModules();
  proxy.closeAllConnections();
  proxy.close();
});

type Handler = (event: unknown, context: Context) => Promise<APIGatewayProxyStructuredResultV2>;

/** Invokes a function of the API in this process, against the counting proxy. */
async function invoke(
  id: string,
  method: Method,
  path: string,
  parameters: object,
  body?: object,
  headers: object = {},
  queryStringParameters: object = {},
) {
  const { handler } = (await import(`../../functions/api/${id}.ts`)) as { handler: Handler };
  const event = {
    rawPath: path,
    headers: { ...throughTheEdge(), authorization: `Bearer ${account.secretKey}`, ...headers },
    pathParameters: parameters,
    queryStringParameters,
    body: body && JSON.stringify(body),
    requestContext: { http: { method, path, sourceIp: '127.0.0.1' }, requestId: 'test' },
  };
  waves = 0;
  const answer = await handler(event, {} as Context);
  return { waves, status: answer.statusCode, body: JSON.parse(answer.body ?? '{}') };
}

const REPO = 'https://git.localhost/no-such-repository.git';
const create = (headers = {}) =>
  invoke('createApp', 'POST', '/v1/apps', {}, { name: 'Counted', repoUrl: REPO, deployNow: false }, headers);

test('a read takes 2 sequential round trips, 1 for a recently authenticated key (a deployment 2); a write at most 3, including authentication', async () => {
  const stranger = await invoke('getAccount', 'GET', '/v1/account', {});
  expect(stranger).toMatchObject({ status: 200, waves: 2 });
  const { id } = (await create()).body.data;
  const of = { id };
  const created = await invoke('createDeployment', 'POST', `/v1/apps/${id}/deployments`, of, undefined, {
    'idempotency-key': randomUUID(),
  });
  const deployment = created.body.data.id;
  // Changed and deleted in place of the first, whose deployment writes it at the same time: the write that loses is repeated.
  const secondApp = await create();
  const second = secondApp.body.data.id;
  const ofSecond = { id: second };
  const counted = {
    createDeployment: created,
    getDeployment: await invoke('getDeployment', 'GET', `/v1/deployments/${deployment}`, { id: deployment }),
    getAccount: await invoke('getAccount', 'GET', '/v1/account', {}),
    listApps: await invoke('listApps', 'GET', '/v1/apps', {}),
    getApp: await invoke('getApp', 'GET', `/v1/apps/${id}`, of),
    listDeployments: await invoke('listDeployments', 'GET', `/v1/apps/${id}/deployments`, of),
    createApp: secondApp,
    createAppOnce: await create({ 'idempotency-key': randomUUID() }),
    updateApp: await invoke('updateApp', 'PATCH', `/v1/apps/${second}`, ofSecond, { branch: 'next' }),
    replaceEnv: await invoke('replaceEnv', 'PUT', `/v1/apps/${second}/env`, ofSecond, {
      vars: [{ key: 'A', value: '1' }],
    }),
    deleteApp: await invoke('deleteApp', 'DELETE', `/v1/apps/${second}`, ofSecond),
    createWebhook: await invoke('createWebhook', 'POST', '/v1/webhooks', {}, { url: 'https://hooks.example.com/' }),
    listWebhooks: await invoke('listWebhooks', 'GET', '/v1/webhooks', {}),
    listInvoices: await invoke('listInvoices', 'GET', '/v1/invoices', {}),
    getWallet: await invoke('getWallet', 'GET', '/v1/wallet', {}),
    listPlans: await invoke('listPlans', 'GET', '/v1/plans', {}),
  };
  for (const [name, { status, body }] of Object.entries(counted))
    expect([name, status, body.error]).toEqual([name, expect.any(Number), undefined]);
  expect(Object.fromEntries(Object.entries(counted).map(([name, one]) => [name, one.waves]))).toEqual({
    createWebhook: 2,
    listWebhooks: 1,
    listInvoices: 1,
    getWallet: 1,
    listPlans: 1,
    getAccount: 1,
    listApps: 1,
    getApp: 1,
    listDeployments: 1,
    // Its application is read by what it says, beside its log.
    getDeployment: 2,
    // The second name is taken: its suffix takes the third round trip.
    createApp: 3,
    createAppOnce: 3,
    updateApp: 3,
    replaceEnv: 3,
    createDeployment: 3,
    deleteApp: 3,
  });
  for (const [name, { status }] of Object.entries(counted)) expect([name, status]).toEqual([name, expect.any(Number)]);
  for (const { status } of Object.values(counted)) expect(status).toBeLessThan(300);
});

test('discards a speculative read once the key is revoked', async () => {
  await invoke('getAccount', 'GET', '/v1/account', {});
  // Through the proxy, unlike platformDeps().
  const { deps } = await import('../../runtime/deps.ts');
  const revoke = (revokedAt: string | null) =>
    deps.table.transact([change(Credential, { hash: hashKey(account.secretKey) }, { set: { revokedAt } })]);
  await revoke(new Date().toISOString());
  const refused = await invoke('getAccount', 'GET', '/v1/account', {});
  expect(refused).toMatchObject({ status: 401, body: { error: { code: 'unauthorized' } } });
  await revoke(null);
  expect(await invoke('getAccount', 'GET', '/v1/account', {})).toMatchObject({ status: 200 });
});

test('reports invalid input for a recently authenticated key', async () => {
  await invoke('getAccount', 'GET', '/v1/account', {});
  const refused = await invoke('listApps', 'GET', '/v1/apps', {}, undefined, {}, { limit: '0' });
  expect(refused).toMatchObject({ status: 400, body: { error: { message: expect.stringContaining('limit') } } });
});

test('a login takes no more round trips than a key', async () => {
  const headers = { authorization: `Bearer ${account.accessToken}` };
  const read = () => invoke('listApps', 'GET', '/dashboard/v1/apps', {}, undefined, headers);
  expect(await read()).toMatchObject({ status: 200, waves: 2 });
  expect(await read()).toMatchObject({ status: 200, waves: 1 });
  const body = { url: 'https://hooks.example.com/' };
  const once = { ...headers, 'idempotency-key': randomUUID() };
  const written = await invoke('createWebhook', 'POST', '/dashboard/v1/webhooks', {}, body, once);
  expect(written).toMatchObject({ status: 201, waves: 2 });
});

test('the warm catalogue takes 1 round trip, a domain order 3, a change of its records 4', async () => {
  const q = uniqueDomain();
  const check = () => invoke('checkDomain', 'GET', '/v1/domains/check', {}, undefined, {}, { q });
  const prices = () => invoke('listDomainPrices', 'GET', '/v1/domains/pricing', {});
  const orderOnce = (headers = {}) =>
    invoke('orderDomain', 'POST', '/v1/domains', {}, { domain: uniqueDomain(), registrant }, headers);
  // All accounts draw invoice numbers from one counter: an order that loses it to another test's takes one trip more.
  const order = async (headersOf: () => object = () => ({})) => {
    let fewest = await orderOnce(headersOf());
    for (let attempt = 0; attempt < 5 && fewest.waves > 3; attempt += 1) {
      const again = await orderOnce(headersOf());
      if (again.waves < fewest.waves) fewest = again;
    }
    return fewest;
  };
  // The operators' catalogue is read once and then cached.
  for (const cold of [await prices(), await check()]) expect(cold.status).toBe(200);
  const ordered = await order();
  const domains = await invoke('listDomains', 'GET', '/v1/domains', {});
  const { id } = domains.body.data[0];
  const record = { type: 'A', name: 'www', content: '192.0.2.1' };
  const add = await invoke('addDnsRecord', 'POST', `/v1/domains/${id}/dns`, { id }, record);
  const records = await invoke('listDnsRecords', 'GET', `/v1/domains/${id}/dns`, { id });
  const recordId = records.body.data[0].id;
  const counted = {
    prices: await prices(),
    check: await check(),
    ordered,
    orderedOnce: await order(() => ({ 'idempotency-key': randomUUID() })),
    domains,
    domain: await invoke('getDomain', 'GET', `/v1/domains/${id}`, { id }),
    add,
    records,
    remove: await invoke('deleteDnsRecord', 'DELETE', `/v1/domains/${id}/dns/${recordId}`, { id, recordId }),
  };
  for (const { status, body } of Object.values(counted))
    expect([(status ?? 500) < 300, body.error]).toEqual([true, undefined]);
  expect(Object.fromEntries(Object.entries(counted).map(([name, { waves }]) => [name, waves]))).toEqual({
    prices: 1,
    check: 1,
    ordered: 3,
    orderedOnce: 3,
    domains: 1,
    domain: 1,
    add: 4,
    records: 1,
    remove: 4,
  });
});
