import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { receivePush } from '../../contract/deployments/push-hook.ts';
import { ApiError } from '../../contract/errors.ts';
import { SwitchState } from '../../table/entities/switches.ts';
import { upsert } from '../../table/writes.ts';
import { memoryTable } from '../../test/support/memory-table.ts';
import type { HandlerContext } from './handler.ts';
import type { hook as CreateHook } from './hook.ts';
import type { identify as Identify } from './identify.ts';
import type { countAnonymous as CountAnonymous } from './rate-limit.ts';
import type { Event, Result } from './response.ts';

/** A DynamoDB with a table in memory, which may throttle every request. */
const memory = memoryTable();
let isThrottling = false;
let server: Server;
let hook: typeof CreateHook;
let identify: typeof Identify;
let countAnonymous: typeof CountAnonymous;

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const [, operation = ''] = String(request.headers['x-amz-target']).split('.');
    const input = JSON.parse(Buffer.concat(await request.toArray()).toString());
    if (isThrottling) return response.writeHead(400).end('{"__type":"com.amazonaws#ThrottlingException"}');
    response.end(JSON.stringify((await memory.send<object>(operation, input)) ?? {}));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const variables = {
    AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    TABLE_NAME: 'memory',
    RATE_LIMIT_ANONYMOUS: '2',
    APPS_DOMAIN: 'apps.example.com',
    APP_FUNCTION_ARN_PREFIX: 'arn:',
    LOGIN_ISSUER: 'https://login.example.com',
    LOGIN_CLIENT_ID: 'dashboard',
  };
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  ({ hook } = await import('./hook.ts'));
  ({ identify } = await import('./identify.ts'));
  ({ countAnonymous } = await import('./rate-limit.ts'));
});
beforeEach(async () => {
  isThrottling = false;
  const { log } = await import('../observability/log.ts');
  for (const method of ['info', 'error'] as const) vi.spyOn(log, method).mockImplementation(() => true);
});
afterAll(() => {
  vi.unstubAllEnvs();
  server.closeAllConnections();
  server.close();
});

const NETWORK = { network: '192.0.2.1', idempotencySubject: '' };
const SESSION = { subject: 'sub_1', key: 'session', expiresAtEpoch: 0, readProfile: () => Promise.reject(new Error()) };

test.each<[string, number, () => Promise<unknown>]>([
  ['key', 120, () => identify({ ...NETWORK, kind: 'secret', sender: 'hash', origin: undefined }, { access: 'read' })],
  [
    'login',
    300,
    () =>
      identify(
        { ...NETWORK, kind: 'login', sender: 'login', session: SESSION, token: '', account: undefined },
        { access: 'any' },
      ),
  ],
  ['client without credentials', 2, () => countAnonymous('192.0.2.1')],
])('a %s whose item accepts no more writes gets 429 with its limit', async (_what, limit, act) => {
  isThrottling = true;
  const refusal = { error: { code: 'rate_limited', retryAfter: 1 }, quota: { limit, remaining: 0 } };
  await expect(act()).rejects.toMatchObject(refusal);
});

/** Returns the status of a call of a hook, and the limit that its response names. */
async function call(identifyHook: () => Promise<string>, address: string) {
  const handler = hook(receivePush, { identify: identifyHook, act: () => Promise.reject(new Error()) }, {});
  const event = {
    rawPath: `/hooks/git/${address}`,
    headers: {},
    pathParameters: { appId: 'app_1' },
    requestContext: { requestId: 'req', http: { method: 'POST', sourceIp: address } },
  } as unknown as Event;
  const { statusCode, headers = {} } = (await handler(event, {} as HandlerContext)) as Exclude<Result, string>;
  return [statusCode, headers['x-ratelimit-limit']];
}

test('a hook that is switched off responds 503 with its limit', async () => {
  const off = { deployments: { message: 'Maintenance.', since: '2026-01-31T09:30:00.000Z' } };
  await memory.table.transact([upsert(SwitchState, {}, { set: { off, version: 1 } })]);
  expect(await call(async () => 'verified', '192.0.2.2')).toEqual([503, '600']);
});

test('calls that cannot be verified at the moment do not count as guesses', async () => {
  const outage = () => Promise.reject(new ApiError('server_error', 'Later.', { status: 503 }));
  const outcomes = [];
  for (let count = 0; count < 3; count += 1) outcomes.push(await call(outage, '192.0.2.3'));
  expect(outcomes.at(-1)).toEqual([503, '600']);
  const guess = () => Promise.reject(new ApiError('unauthorized'));
  expect(await call(guess, '192.0.2.3')).toEqual([401, '2']);
});
