import { describe, expect, test } from 'vitest';
import type { Route } from '../../../contract/route.ts';
import { routes } from '../../../contract/routes.ts';
import { hashKey } from '../../../domain/accounts/credentials.ts';
import { countAt } from '../../../domain/accounts/rate-limit.ts';
import { Credential } from '../../../table/entities/accounts.ts';
import { change } from '../../../table/writes.ts';
import { clientOf, codeOf, local, newAccount, platformDeps, raw } from '../../support/harness.ts';

const { demo } = local.accounts;
const all = routes as readonly Route[];
const keyed = all.filter(({ access }) => access !== 'none' && access !== 'hook');
const scoped = keyed.filter(({ access }) => !['any', 'catalogue'].includes(access));
const named = (list: readonly Route[]) => list.map((route) => [`${route.method} ${route.path}`, route] as const);
const params = { id: 'app_00000000000000000000000000' };
const inputOf = (route: Route) => ({ params, ...(route.body ? { body: {} } : {}) }) as never;

describe.each(named(keyed))('%s', (_name, route) => {
  const call = (headers: Record<string, string>) => clientOf({ headers }).call(route, inputOf(route));

  test.each([
    ['no key', {}],
    ['an empty key', { authorization: 'Bearer ' }],
    ['another scheme', { authorization: 'Basic c2tfbGl2ZTo=' }],
    ['a mistyped key', { authorization: `Bearer ${demo.secretKey.slice(0, -1)}` }],
    ['a revoked key', { authorization: `Bearer ${demo.keys.revoked}` }],
    ['an expired key', { authorization: `Bearer ${demo.keys.expired}` }],
  ])('rejects %s with 401', async (_what, headers) => {
    const answer = await call(headers);
    expect([answer.status, codeOf(answer)]).toEqual([401, 'unauthorized']);
    expect(answer.headers.get('x-ratelimit-limit')).toMatch(/^\d+$/);
  });
});

describe.each(named(scoped))('%s', (_name, route) => {
  test('rejects a key without the required scope with 403 insufficient_scope', async () => {
    const others = (['read', 'write', 'deploy', 'domains', 'ai'] as const).filter((scope) => scope !== route.access);
    const account = await newAccount({ scopes: others });
    const answer = await account.call(route, inputOf(route));
    expect([answer.status, codeOf(answer)]).toEqual([403, 'insufficient_scope']);
  });

  test('rejects a public key with 403 forbidden', async () => {
    // A key of its own, because one may call 60 times a minute only.
    const { publicKey } = await newAccount();
    const answer = await clientOf({ publicKey }).call(route, inputOf(route));
    expect([answer.status, codeOf(answer)]).toEqual([403, 'forbidden']);
  });
});

test('uses the secret key if both keys are sent', async () => {
  const { status } = await raw('/v1/apps', {
    headers: { authorization: `Bearer ${demo.secretKey}`, 'x-public-key': demo.publicKey },
  });
  expect(status).toBe(200);
});

test('every response carries the rate limit and a request id', async () => {
  const account = await newAccount();
  for (const [left, path] of [
    [119, '/v1/apps'],
    [118, '/v1/nothing'],
    [117, '/v1/apps/app_x'],
    [116, '/v1/apps?limit=0'],
  ] as const) {
    const { headers } = await raw(path, { headers: { authorization: `Bearer ${account.secretKey}` } });
    expect(headers.get('x-ratelimit-limit')).toBe('120');
    expect(headers.get('x-ratelimit-remaining')).toBe(String(left));
    expect(Number(headers.get('x-ratelimit-reset'))).toBeGreaterThan(Date.now() / 1000);
    expect(headers.get('x-request-id')).toBeTruthy();
  }
});

test('the reset of a key in steady use is not already over when a slow response arrives', async () => {
  const account = await newAccount();
  const deps = await platformDeps();
  const second = Math.floor(Date.now() / 1000);
  const used = Object.assign({}, ...[59, 40, 20, 5].map((ago) => countAt(new Date((second - ago) * 1000))));
  await deps.table.transact([change(Credential, { hash: hashKey(account.secretKey) }, { add: used })]);
  const { headers } = await raw('/v1/apps', { headers: { authorization: `Bearer ${account.secretKey}` } });
  expect(Number(headers.get('x-ratelimit-remaining'))).toBeLessThan(119);
  expect(Number(headers.get('x-ratelimit-reset'))).toBeGreaterThanOrEqual(second + 60);
});

test('of 130 concurrent requests with one key 120 succeed, and the others are told when to retry', async () => {
  const account = await newAccount();
  // After a burst of long ago, of which the item says something still.
  const deps = await platformDeps();
  const fullAt = Date.now() - 100_000;
  await deps.table.transact([change(Credential, { hash: hashKey(account.secretKey) }, { set: { fullAt } })]);
  const answers = await Promise.all(
    Array.from({ length: 130 }, () => raw('/v1/apps', { headers: { authorization: `Bearer ${account.secretKey}` } })),
  );
  const refused = answers.filter(({ status }) => status === 429);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(120);
  expect(refused).toHaveLength(10);
  for (const answer of refused) {
    expect(await answer.json()).toMatchObject({ error: { code: 'rate_limited', status: 429 } });
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(Number(answer.headers.get('retry-after'))).toBeLessThanOrEqual(60);
    expect(answer.headers.get('x-ratelimit-remaining')).toBe('0');
  }
});

test.each([
  ['POST', '/'],
  ['GET', '/docs/more'],
  ['GET', '/v1'],
  ['GET', '/v2/apps'],
  ['GET', '/v1/apps/'],
  ['PUT', '/v1/apps'],
  ['PATCH', '/v1/deployments/dep_1'],
  ['POST', '/v1/%2e%2e/x'],
  ['GET', '/v1/apps/app_x/deployments/extra'],
])('%s %s is 404 in the standard shape with all headers', async (method, path) => {
  for (const headers of [{}, { authorization: `Bearer ${demo.secretKey}` }, { authorization: 'Bearer nonsense' }]) {
    const answer = await raw(path, { method, headers: headers as Record<string, string> });
    expect(answer.status).toBe(404);
    expect(await answer.json()).toEqual({ error: { message: expect.any(String), code: 'not_found', status: 404 } });
    expect(answer.headers.get('x-ratelimit-limit')).toMatch(/^\d+$/);
    expect(answer.headers.get('x-request-id')).toBeTruthy();
  }
});

test.each([
  ['/', '/dashboard'],
  ['/docs/', '/docs'],
  ['/favicon.ico', '/dashboard/icon.svg'],
])('%s redirects to %s', async (path, location) => {
  const answer = await raw(path, { redirect: 'manual' });
  expect([answer.status, answer.headers.get('location')]).toEqual([302, location]);
  expect(answer.headers.get('x-request-id')).toBeTruthy();
  expect((await raw(location)).status).toBe(200);
});
