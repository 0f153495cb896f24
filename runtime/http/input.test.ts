import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import { createKey } from '../../contract/accounts/api-keys.ts';
import { readNotifications } from '../../contract/accounts/notifications.ts';
import { createApp, listApps } from '../../contract/apps/apps.ts';
import { replaceEnv } from '../../contract/apps/environment.ts';
import { createTopUp } from '../../contract/billing/top-ups.ts';
import { createDeployment } from '../../contract/deployments/deployments.ts';
import { receivePush } from '../../contract/deployments/push-hook.ts';
import { addDnsRecord } from '../../contract/dns/records.ts';
import { orderDomain } from '../../contract/registrar/orders.ts';
import type { Route } from '../../contract/route.ts';
import { operatorRoutes } from '../../contract/routes.ts';
import { updateWebhook } from '../../contract/webhooks/management.ts';
import { parseInput, parseRequest, readBody } from './input.ts';

const event = (body: string | undefined, query?: Record<string, string>, isBase64Encoded = false) =>
  ({
    body,
    isBase64Encoded,
    queryStringParameters: query,
    pathParameters: { id: 'app_1' },
  }) as unknown as APIGatewayProxyEventV2;

const validationMessageOf = (route: Route, given: APIGatewayProxyEventV2): string => {
  try {
    parseInput(route, given);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return '';
};
const createWith = (body: unknown) => validationMessageOf(createApp as unknown as Route, event(JSON.stringify(body)));
const listWith = (query: Record<string, string>) =>
  validationMessageOf(listApps as unknown as Route, event(undefined, query));
const envWith = (vars: unknown) => validationMessageOf(replaceEnv as unknown as Route, event(JSON.stringify({ vars })));

test.each([
  [orderDomain, { domain: 'a.com', years: 1.5 }, 'years: must be a whole number'],
  [addDnsRecord, { type: 'A', name: '', content: '192.0.2.1', ttl: 1e21 }, 'ttl: must be at most 9007199254740991'],
  [createKey, { name: 'CI', scopes: [] }, 'scopes: must have at least 1 entry'],
  [readNotifications, { until: 'now' }, 'until: must be a time in ISO 8601, e.g. 2027-01-31T09:30:00.000Z'],
  [updateWebhook, { active: true }, 'active: must be false'],
  [createTopUp, { amount: 50 }, 'amount: must be a string such as "250.00"'],
  [createTopUp, { amount: '50' }, 'amount: must be rand with two decimals, from 1.00 to 100000.00'],
  [createTopUp, {}, 'amount: is required'],
])('%o with %j: %s', (route, body, said) => {
  expect(validationMessageOf(route as unknown as Route, event(JSON.stringify(body)))).toBe(said);
});

const name = 'My app';
test.each([
  [{}, 'name: is required'],
  [{ name: 7 }, 'name: must be a string'],
  [{ name: 'x' }, 'name: must have at least 2 characters'],
  [{ name: ' x ' }, 'name: must have at least 2 characters'],
  [{ name: 'x'.repeat(61) }, 'name: must have at most 60 characters'],
  [{ name: 'a\nb' }, 'name: must be one line without control characters'],
  [{ name: 'a\u0085b' }, 'name: must be one line without control characters'],
  [{ name: 'a\u2028b' }, 'name: must be one line without control characters'],
  [{ name: 'a\ud83d' }, 'name: must be Unicode text'],
  [{ name, deployNow: ['\ude00'] }, 'deployNow.0: must be Unicode text'],
  ['\ud83d', 'body: must be Unicode text'],
  [{ name, startFile: ' ' }, 'startFile: must have at least 1 character'],
  [{ name, framework: 'RAILS' }, 'framework: must be one of NEXTJS, NODE, EXPRESS, NUXT'],
  [{ name, nodeVersion: '18' }, 'nodeVersion: must be one of 20, 22, 24'],
  [{ name, nodeVersion: 22 }, 'nodeVersion: must be one of 20, 22, 24'],
  [{ name, deployNow: 'yes' }, 'deployNow: must be a boolean'],
  [
    { name, repoUrl: 'ext::sh' },
    'repoUrl: must be a Git address without credentials: https://host/path or git@host:path',
  ],
  [{ name, branch: '--x' }, 'branch: must be a valid branch name'],
  [{ name, customDomain: 'nodots' }, 'customDomain: must be a domain name'],
  [{ name, customDomain: 'bücher.example' }, 'customDomain: must be a domain name in ASCII, written as xn--…'],
  [{ name, repoUrl: null, customDomain: null, buildCommand: null }, ''],
  [{ name, startFile: '../x.js' }, 'startFile: must be a path inside the repository, e.g. server.js'],
  [{ name, startFile: '/etc/x.js' }, 'startFile: must be a path inside the repository, e.g. server.js'],
  [[], 'body: must be an object'],
  ['text', 'body: must be an object'],
  [null, 'body: must be an object'],
])('creating with %j: %s', (body, said) => {
  expect(createWith(body)).toBe(said);
});

test('half of a surrogate pair is refused however deep it is, and a whole pair is not', () => {
  const nested = (text: string) =>
    `{"name":"\\ud83d\\ude00 app","x":${'['.repeat(50_000)}${text}${']'.repeat(50_000)}}`;
  expect(validationMessageOf(createApp as unknown as Route, event(nested('"\\uD83d"')))).toMatch(
    /: must be Unicode text$/,
  );
  expect(validationMessageOf(createApp as unknown as Route, event(nested('"\\ud83d\\ude00"')))).toBe('');
});

test('half of a surrogate pair is refused in every body that is JSON, those of the AI gateway included', () => {
  const body = '{"messages":[{"role":"user","content":"a\\ud83d"}]}';
  expect(() => readBody(event(body))).toThrow('messages.0.content: must be Unicode text');
});

test('accepts a valid body, sets defaults and ignores unknown fields', () => {
  const parsed = parseInput(createApp as unknown as Route, event(JSON.stringify({ name: ' My app ', color: 'red' })));
  expect(parsed).toEqual({
    name,
    framework: 'NEXTJS',
    deployNow: true,
    installCommand: 'npm ci',
  });
});

describe('an operation without fields', () => {
  const route = createDeployment as unknown as Route;

  test('names the fields of a body', () => {
    const { input, ignored } = parseRequest(route, event('{"branch":"dev","commitSha":{"a":1}}'));
    expect({ input, ignored }).toEqual({ input: { id: 'app_1' }, ignored: ['branch', 'commitSha'] });
  });

  test.each([undefined, '', '{}', 'null', '[]'])('accepts the body %j', (body) => {
    expect(parseRequest(route, event(body))).toEqual({ input: { id: 'app_1' }, ignored: [] });
  });

  test('refuses broken JSON, and leaves the body of a hook to it', () => {
    expect(validationMessageOf(route, event('{x'))).toBe('body: must be JSON in UTF-8');
    const push = { ...event('ref=main'), pathParameters: { appId: 'app_1' } };
    expect(parseInput(receivePush as unknown as Route, push)).toEqual({ appId: 'app_1' });
  });
});

test.each((operatorRoutes as readonly Route[]).filter(({ body }) => body).map((route) => [route.id, route] as const))(
  'refuses a field that an operation of operators does not have: %s',
  (_, route) => {
    const misspelt = event('{"appId":"app_1"}');
    expect(validationMessageOf(route, misspelt)).toBe('appId: is not a field of this operation');
  },
);

test.each([
  [{ limit: '0' }, 'limit: must be a whole number from 1 to 100'],
  [{ limit: '101' }, 'limit: must be a whole number from 1 to 100'],
  [{ limit: '1.5' }, 'limit: must be a whole number from 1 to 100'],
  [{ limit: '' }, 'limit: must be a whole number from 1 to 100'],
  [{ limit: '1,2' }, 'limit: must be a whole number from 1 to 100'],
  [{ offset: '-1' }, 'offset: must be a whole number from 0 to 10000'],
  [{ offset: '0x10' }, 'offset: must be a whole number from 0 to 10000'],
  [{ limit: '100', offset: '0' }, ''],
  [{ cursor: 'app_01kb0000000000000000000000' }, ''],
  [{ cursor: 'app_nope' }, 'cursor: must be the id of an item of this list'],
  [{ cursor: 'app_01kb000000000000000000000' }, 'cursor: must be the id of an item of this list'],
  [{ cursor: 'dom_01' }, 'cursor: must be the id of an item of this list'],
])('listing with %j: %s', (query, said) => {
  expect(listWith(query)).toBe(said);
});

test.each([
  [undefined, 'vars: is required'],
  [{}, 'vars: must be an array'],
  [[{ key: '1A', value: '' }], 'vars.0.key: must be letters, digits and _, not beginning with a digit'],
  [[{ key: 'PORT', value: 'x' }], 'vars.0.key: is reserved for the platform'],
  [[{ key: 'AWS_REGION', value: 'x' }], 'vars.0.key: is reserved for the platform'],
  [[{ key: 'LAMBDA_TASK_ROOT', value: 'x' }], 'vars.0.key: is reserved for the platform'],
  [[{ key: 'A', value: 'é'.repeat(2049) }], 'vars.0.value: must be at most 4096 bytes'],
  [[{ key: 'A', value: 'a\0b' }], 'vars.0.value: must not contain a NUL character'],
  [[{ key: 'A' }], 'vars.0.value: is required'],
  [
    [
      { key: 'A', value: '1' },
      { key: 'A', value: '2' },
    ],
    'vars.1.key: A is given twice',
  ],
  [Array.from({ length: 101 }, (_, i) => ({ key: `K${i}`, value: '' })), 'vars: must have at most 100 entries'],
  [
    Array.from({ length: 9 }, (_, i) => ({ key: `K${i}`, value: 'x'.repeat(4000) })),
    'vars: must be at most 32768 bytes in total',
  ],
])('variables %#: %s', (vars, said) => {
  expect(envWith(vars)).toBe(said);
});

test('refuses a body over 1 MiB, invalid JSON and invalid UTF-8', () => {
  const route = createApp as unknown as Route;
  expect(validationMessageOf(route, event('{'))).toBe('body: must be JSON in UTF-8');
  expect(validationMessageOf(route, event(`"${'x'.repeat(1024 * 1024)}"`))).toBe('body: must be at most 1 MiB');
  expect(validationMessageOf(route, event(Buffer.from([0x22, 0xff, 0x22]).toString('base64'), undefined, true))).toBe(
    'body: must be JSON in UTF-8',
  );
});
