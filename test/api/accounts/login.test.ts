import { randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { cancelDeletion, requestDeletion } from '../../../contract/accounts/deletion.ts';
import { createExportLink, listExports, startExport } from '../../../contract/accounts/export.ts';
import { getMe } from '../../../contract/accounts/me.ts';
import { listNotifications } from '../../../contract/accounts/notifications.ts';
import { createApp, getApp, listApps } from '../../../contract/apps/apps.ts';
import { createDeployment } from '../../../contract/deployments/deployments.ts';
import { type Route, toDashboardPath } from '../../../contract/route.ts';
import { dashboardRoutes, routes, streamedRoutes } from '../../../contract/routes.ts';
import { openLoginKey } from '../../../local/emulators/login/key.ts';
import { entriesOf } from '../../support/archive.ts';
import { finishedExport } from '../../support/exports.ts';
import { accessTokenOf, clientOf, codeOf, local, newAccount, raw, waitFor } from '../../support/harness.ts';

const { demo } = local.accounts;
const params = { id: 'app_00000000000000000000000000' };
const inputOf = (route: Route) => ({ params, ...(route.body ? { body: {} } : {}) }) as never;
const withToken = (token: string, headers: Record<string, string> = {}) =>
  clientOf({ accessToken: () => token, headers });
/** All operations that a login may call. */
const called = ([...routes, ...dashboardRoutes] as readonly Route[]).filter(
  ({ path, access }) => toDashboardPath(path) && access !== 'none',
);

test('the tokens in local.json are logins of its accounts', async () => {
  for (const { id, email, dashboardToken } of [demo, local.accounts.other]) {
    const { body } = await withToken(dashboardToken).call(getMe);
    expect(body.data).toMatchObject({ account: { id, email }, roles: ['owner'] });
  }
});

test('a login can do what a key of its account can, at the dashboard’s path', async () => {
  const account = await newAccount();
  const made = await account.dashboard.call(createApp, { body: { name: 'From the dashboard' } });
  expect(made.status).toBe(201);
  expect((await account.call(getApp, { params: { id: made.body.data.id } })).body).toEqual(made.body);
});

test('a deployment from the dashboard has the trigger DASHBOARD', async () => {
  const account = await newAccount();
  const body = { name: 'Dashed', framework: 'NODE', repoUrl: 'https://git.localhost/none.git' } as const;
  const { data } = (await account.dashboard.call(createApp, { body: { ...body, deployNow: false } })).body;
  const deployment = await account.dashboard.call(createDeployment, { params: { id: data.id } });
  expect(deployment.body.data.trigger).toBe('DASHBOARD');
});

test('another account’s application is 404', async () => {
  const [owner, stranger] = [await newAccount(), await newAccount()];
  const { data } = (await owner.dashboard.call(createApp, { body: { name: 'Mine' } })).body;
  const answer = await stranger.dashboard.call(getApp, { params: { id: data.id } });
  expect([answer.status, codeOf(answer)]).toEqual([404, 'not_found']);
});

/** Operations whose only input is an id. */
const byId = called.filter(({ params, body }) => params && !body);
test.each(byId.map((route) => [`${route.method} ${toDashboardPath(route.path)}`, route] as const))(
  '%s of another account’s resource is 404',
  async (_name, route) => {
    const { dashboard } = await newAccount();
    const answer = await dashboard.call(route, inputOf(route));
    expect([answer.status, codeOf(answer)]).toEqual([404, 'not_found']);
  },
);

describe.each(called.map((route) => [`${route.method} ${toDashboardPath(route.path)}`, route] as const))(
  '%s',
  (_name, route) => {
    test.each([
      ['no login', {}],
      ['a secret key', { authorization: `Bearer ${demo.secretKey}` }],
      ['a public key', { 'x-public-key': demo.publicKey }],
      ['text that is no token', { authorization: 'Bearer nonsense' }],
    ])('rejects %s with 401', async (_what, headers) => {
      // The accessToken selects the path; the header replaces the token that is sent.
      const answer = await clientOf({ accessToken: () => '', headers: { authorization: '', ...headers } }).call(
        route,
        inputOf(route),
      );
      expect([answer.status, codeOf(answer)]).toEqual([401, 'unauthorized']);
      expect(answer.headers.get('x-ratelimit-limit')).toMatch(/^\d+$/);
      expect(answer.headers.get('x-request-id')).toBeTruthy();
    });
  },
);

describe('rejects other tokens than our access tokens with 401', () => {
  const base64 = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const good = () => accessTokenOf(randomUUID());
  const parts = async () => (await good()).split('.') as [string, string, string];
  /** Signs other claims with the issuer's own key. */
  const saying = async (claims: Record<string, unknown>, header: { alg?: string; kid?: string } = {}) => {
    const key = await openLoginKey(local.login.keyFile);
    const { issuer, clientId, audience } = local.login;
    const usual = { iss: issuer, aud: audience, client_id: clientId, token_use: 'access', sub: randomUUID() };
    return await new SignJWT({ ...usual, exp: Math.floor(Date.now() / 1000) + 600, ...claims })
      .setProtectedHeader({ alg: 'RS256', kid: key.kid ?? '', ...header })
      .sign(key);
  };

  test.each<[string, () => Promise<string>]>([
    ['expired', () => accessTokenOf(randomUUID(), {}, { seconds: -1 })],
    ['not valid yet', () => saying({ nbf: Math.floor(Date.now() / 1000) + 600 })],
    ['without an end', () => saying({ exp: undefined })],
    ['of another issuer', () => accessTokenOf(randomUUID(), { issuer: 'https://elsewhere.example' })],
    ['of another client', () => accessTokenOf(randomUUID(), { clientId: 'another-client' })],
    ['for another audience', () => accessTokenOf(randomUUID(), { audience: 'https://elsewhere.example' })],
    ['an ID token', () => saying({ token_use: 'id', client_id: undefined, aud: local.login.clientId })],
    ['without a subject', () => saying({ sub: undefined })],
    ['signed with a key that the issuer does not have', () => saying({}, { kid: 'another' })],
    [
      'with another subject put in',
      async () => {
        const [header, payload, signature] = await parts();
        const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
        return [header, base64({ ...claims, sub: 'another-user' }), signature].join('.');
      },
    ],
    ['unsigned', async () => `${base64({ alg: 'none' })}.${(await parts())[1]}.`],
    [
      'signed with the public key as if it were a secret',
      async () => {
        const [, payload] = await parts();
        const { n = '' } = await openLoginKey(local.login.keyFile);
        const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
        return await new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(n));
      },
    ],
  ])('%s', async (_what, token) => {
    const answer = await withToken(await token()).call(listApps);
    expect([answer.status, codeOf(answer)]).toEqual([401, 'unauthorized']);
  });
});

test('a login whose user the issuer has deleted is 401, and opens no account', async () => {
  const token = await accessTokenOf(randomUUID());
  for (let count = 0; count < 2; count += 1) {
    const answer = await withToken(token).call(getMe);
    expect([answer.status, codeOf(answer)]).toEqual([401, 'unauthorized']);
    expect(answer.error?.message).toContain('Sign in again');
    expect(answer.headers.get('x-ratelimit-limit')).toMatch(/^\d+$/);
  }
});

test('a login token is rejected with 401 where an API key is required', async () => {
  const { accessToken } = await newAccount();
  const asKey = clientOf({ secretKey: accessToken });
  const keyed = ([...routes, ...streamedRoutes] as readonly Route[]).filter(
    ({ access }) => !['none', 'hook'].includes(access),
  );
  for (const route of keyed) {
    const answer = await asKey.call(route, inputOf(route));
    expect([route.id, answer.status, codeOf(answer)]).toEqual([route.id, 401, 'unauthorized']);
  }
});

test('a login has 300 requests per 60 seconds, and every response reports them', async () => {
  const account = await newAccount();
  const answers = await Promise.all(Array.from({ length: 305 }, () => account.dashboard.call(getMe)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(300);
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused).toHaveLength(5);
  for (const answer of refused) {
    expect(answer.headers.get('x-ratelimit-limit')).toBe('300');
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  }
  // API keys have their own limit.
  expect((await account.call(listApps)).status).toBe(200);
});

test('a repeat with an Idempotency-Key gets the same response, also with a fresh token, and only for the same login', async () => {
  const subject = randomUUID();
  const account = await newAccount({ login: subject });
  const once = async () => withToken(await accessTokenOf(subject), { 'idempotency-key': 'once' });
  const first = await (await once()).call(createApp, { body: { name: 'Once only' } });
  const again = await (await once()).call(createApp, { body: { name: 'Once only' } });
  expect(again.body).toEqual(first.body);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect((await account.call(listApps)).body.data).toHaveLength(1);
  const stranger = withToken((await newAccount()).accessToken, { 'idempotency-key': 'once' });
  const theirs = await stranger.call(createApp, { body: { name: 'Once only' } });
  expect(theirs.body.data.id).not.toBe(first.body.data.id);
});

test('an unknown dashboard path is 404 with all headers and counts against the limit', async () => {
  const { accessToken } = await newAccount();
  const answer = await raw('/dashboard/v1/nothing', { headers: { authorization: `Bearer ${accessToken}` } });
  expect(await answer.json()).toMatchObject({ error: { code: 'not_found', status: 404 } });
  expect(answer.headers.get('x-ratelimit-limit')).toBe('300');
  expect(answer.headers.get('x-ratelimit-remaining')).toBe('299');
});

test('an export is downloaded by its link, and has the account’s data without secrets', async () => {
  const account = await newAccount({ walletCents: 10_000 });
  const body = { name: 'Exported', framework: 'NODE', deployNow: false } as const;
  const { data: app } = (await account.dashboard.call(createApp, { body })).body;
  const started = await account.dashboard.call(startExport);
  expect([started.status, started.body.data.status]).toEqual([202, 'QUEUED']);
  const { id } = started.body.data;
  const params = { id };
  // At once: another test may have exports made.
  const early = [account.dashboard.call(startExport), account.dashboard.call(createExportLink, { params })];
  expect((await Promise.all(early)).map(codeOf)).toEqual(['conflict', 'conflict']);
  expect(await finishedExport(account, id)).toMatchObject({ status: 'READY', sizeBytes: expect.any(Number) });
  const told = async () => (await account.dashboard.call(listNotifications)).body.data.notifications;
  await waitFor(async () =>
    (await told()).some(({ kind, path }) => kind === 'export-ready' && path === '/settings/data'),
  );
  const { url } = (await account.dashboard.call(createExportLink, { params })).body.data;
  const download = await fetch(url);
  expect([download.status, download.headers.get('content-type')]).toEqual([200, 'application/zip']);
  const files = await entriesOf(Buffer.from(await download.arrayBuffer()));
  expect(files.get('README.txt')).toContain(account.id);
  expect(JSON.parse(files.get('applications/0001.json') ?? '')).toMatchObject([{ id: app.id, name: 'Exported' }]);
  expect(JSON.parse(files.get('wallet-transactions/0001.json') ?? '')).toHaveLength(1);
  expect([...files.values()].filter((text) => text.includes(account.secretKey))).toEqual([]);
  // The link opens this one archive, and nothing by another method.
  expect((await fetch(url, { method: 'DELETE' })).status).toBe(403);
  expect((await fetch(url.replace(account.id, local.accounts.demo.id))).status).toBe(403);
  expect((await account.dashboard.call(listExports)).body.data).toHaveLength(1);
});

test('an account with a requested deletion can be read but not changed, until the deletion is cancelled', async () => {
  // What is asked again until it is refused makes applications.
  const account = await newAccount({ appLimit: 1000 });
  const { email } = (await account.dashboard.call(getMe)).body.data.account;
  const old = await account.dashboard.call(requestDeletion, { body: { confirm: 'someone@else.example' } });
  expect(codeOf(old)).toBe('invalid_request');
  const { accessToken } = account;
  const once = clientOf({ accessToken: () => accessToken, headers: { 'idempotency-key': 'deletion' } });
  const requested = await once.call(requestDeletion, { body: { confirm: email } });
  expect(requested.body.data).toMatchObject({ status: 'GRACE', deletedAt: null });
  const { endsAt } = requested.body.data;
  expect((await account.dashboard.call(getMe)).body.data.account.deletion?.endsAt).toBe(endsAt);
  const body = { name: 'Too late', framework: 'NODE', deployNow: false } as const;
  // The stream tells the keys and logins.
  const refused = await waitFor(async () => {
    const answers = await Promise.all([account.call(createApp, { body }), account.dashboard.call(createApp, { body })]);
    return answers.every(({ status }) => status === 409) && answers;
  });
  expect(refused.map(({ error }) => error?.message)).toEqual(
    Array(2).fill(expect.stringContaining(`will be deleted on ${endsAt.slice(0, 10)}`)),
  );
  expect((await once.call(requestDeletion, { body: { confirm: email } })).body).toEqual(requested.body);
  expect((await account.call(listApps)).status).toBe(200);
  expect((await account.dashboard.call(startExport)).status).toBe(202);
  expect((await account.dashboard.call(cancelDeletion)).body.data).toEqual({ id: account.id, deleted: true });
  await waitFor(async () => (await account.call(createApp, { body: { ...body, name: 'Again' } })).status === 201);
  expect((await account.dashboard.call(getMe)).body.data.account.deletion).toBeUndefined();
});
