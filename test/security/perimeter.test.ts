import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import type { Context } from 'aws-lambda';
import { decodeJwt } from 'jose';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { getMe } from '../../contract/accounts/me.ts';
import { deleteSession } from '../../contract/accounts/session.ts';
import { createApp } from '../../contract/apps/apps.ts';
import { listPlans } from '../../contract/billing/plans.ts';
import { dashboardRoutes, routes } from '../../contract/routes.ts';
import { outsideAddresses } from '../../local/processes/ports.ts';
import { get } from '../support/browse.ts';
import { accessTokenOf, clientOf, codeOf, local, newAccount, throughTheEdge } from '../support/harness.ts';
import { isLoopback, listenersOfProgramAt } from '../support/listeners.ts';
import { LoginBrowser } from '../support/sign-in.ts';

const { demo, other } = local.accounts;
const publicPort = Number(new URL(local.baseUrl).port);
/** Addresses of the engines and emulators. */
const engines = Object.entries(local.environment).filter(([name]) => name.startsWith('AWS_ENDPOINT_URL_'));
const ports = [publicPort, local.dns.port, ...engines.map(([, url]) => Number(new URL(url).port))];

/** Sends a request with headers that `fetch` does not let a program set. */
const send = (url: string, method: string, headers: Record<string, string>): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers }, (answer) => resolve(answer.resume()));
    outgoing.once('error', reject);
    outgoing.end();
  });

describe('the local run is for this machine only', () => {
  test('no port answers at an address that other machines can reach', async () => {
    const accepts = (host: string, port: number): Promise<boolean> =>
      new Promise((answer) => {
        const socket = connect({ host, port });
        const end = (accepted: boolean) => {
          socket.destroy();
          answer(accepted);
        };
        socket.once('connect', () => end(true));
        socket.once('error', () => end(false));
      });
    expect(ports.length).toBeGreaterThan(10);
    expect(await Promise.all(ports.map((port) => accepts('127.0.0.1', port)))).not.toContain(false);
    const tried = outsideAddresses().flatMap((host) =>
      ports.map(async (port) => [host, port, await accepts(host, port)]),
    );
    expect((await Promise.all(tried)).filter(([, , accepted]) => accepted)).toEqual([]);
  });

  test.runIf(process.platform === 'linux')('every socket of its processes listens on loopback', () => {
    const listeners = listenersOfProgramAt(publicPort);
    expect(listeners.map(({ port }) => port)).toEqual(expect.arrayContaining(ports));
    expect(listeners.filter(({ address }) => !isLoopback(address))).toEqual([]);
  });

  test.each([
    '/v1/plans',
    '/dashboard/',
    '/dashboard/v1/me',
    '/oidc/.well-known/openid-configuration',
    '/pay/x',
    '/hooks/payments',
    '/ai/v1/chat/completions',
    '/docs',
  ])('a foreign page that points its name to this machine reads nothing from %s', async (path) => {
    for (const host of ['evil.example', 'localhost.evil.example', '192.0.2.7']) {
      const { status, body } = await get(local.baseUrl, host, path);
      expect([status, JSON.parse(body).error.code]).toEqual([403, 'forbidden']);
    }
    expect((await get(local.baseUrl, 'localhost', path)).status).not.toBe(403);
  });

  test.each(engines)(
    'a foreign page that points its name to this machine reads nothing from %s',
    async (_name, url) => {
      const answers = await Promise.all(['evil.example', 'localhost.evil.example'].map((host) => get(url, host)));
      for (const { status } of answers) expect([403, 404]).toContain(status);
      expect(answers.map(({ body }) => body).join()).not.toMatch(/Exception|MissingAuth|Code>/);
    },
  );

  test.each(engines)('a foreign page that sends requests to this machine has no effect on %s', async (_name, url) => {
    for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }]) {
      const answer = await send(url, 'POST', headers);
      expect(answer.headers['access-control-allow-origin']).toBeUndefined();
      expect(answer.statusCode).toBe(403);
    }
  });

  test('the passwords of its accounts are random', () => {
    expect(demo.password).not.toBe(other.password);
    for (const { password } of [demo, other]) expect(password).toMatch(/^[\w-]{16,}$/);
  });
});

type Answer = { statusCode: number; body: string };
type Handler = (event: object, context: Context) => Promise<Answer>;

/** Keeps the log lines of functions that run in this process out of the tests' output. */
const withoutLogs = () => {
  const silenced = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  onTestFinished(() => silenced.mockRestore());
};

/** Calls a function as API Gateway does, without the edge in front of it. */
async function callFunction(id: string, headers: object, sourceIp = '192.0.2.1'): Promise<Answer> {
  Object.assign(process.env, local.environment);
  const file = ['api', 'dashboard'].map((folder) => `../../functions/${folder}/${id}.ts`);
  const found = file.find((each) => existsSync(new URL(each, import.meta.url)));
  const { handler } = (await import(found ?? '')) as { handler: Handler };
  const http = { method: 'GET', path: '/v1/plans', sourceIp };
  return await handler({ rawPath: http.path, headers, requestContext: { http, requestId: 'test' } }, {} as Context);
}

describe('the API is reached through the edge only', () => {
  test('every function refuses a call that bypasses the edge, also with a valid key and a guessed secret', async () => {
    withoutLogs();
    const key = { authorization: `Bearer ${demo.secretKey}` };
    const ids = [...routes, ...dashboardRoutes].map(({ id }) => id);
    for (const id of ['notFound', ...ids]) {
      for (const secret of [undefined, '', 'x'.repeat(40)]) {
        const { statusCode, body } = await callFunction(id, {
          ...key,
          ...(secret === undefined ? {} : { 'x-origin-secret': secret }),
        });
        expect([id, statusCode, JSON.parse(body).error.code]).toEqual([id, 403, 'forbidden']);
      }
    }
    expect((await callFunction('listPlans', { ...key, ...throughTheEdge() })).statusCode).toBe(200);
  });

  test('a chat completion that avoids the edge is refused', async () => {
    Object.assign(process.env, local.environment);
    withoutLogs();
    const { chat } = await import('../../runtime/http/chat.ts');
    const { PassThrough } = await import('node:stream');
    const heads: { statusCode: number }[] = [];
    const start = (head: { statusCode: number }) => {
      heads.push(head);
      return new PassThrough();
    };
    const http = { method: 'POST', path: '/ai/v1/chat/completions', sourceIp: '192.0.2.1' };
    const event = { rawPath: http.path, headers: {}, requestContext: { http, requestId: 'test' } };
    await chat(event as never, start, new AbortController().signal);
    expect(heads).toMatchObject([{ statusCode: 403 }]);
  });

  test('addresses of one IPv6 network share the limit of callers without a key', async () => {
    withoutLogs();
    const { config } = await import('../../runtime/config.ts');
    Object.defineProperty(config, 'RATE_LIMIT_ANONYMOUS', { value: 5 });
    const network = `2001:db8:${Math.floor(Math.random() * 65_536).toString(16)}:1`;
    const from = (address: string) => callFunction('listPlans', { ...throughTheEdge(), 'x-viewer-address': address });
    const statuses: number[] = [];
    for (let client = 1; client <= 7; client += 1) statuses.push((await from(`${network}::${client}`)).statusCode);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429]);
    expect((await from(`${network.replace(/1$/, '2')}::1`)).statusCode).toBe(401);
  });
});

describe('signing out ends the access tokens of a session', () => {
  const me = async (token: string) => {
    const { status, headers, error } = await clientOf({ accessToken: () => token }).call(getMe);
    return { status, code: error?.code, remaining: Number(headers.get('x-ratelimit-remaining')) };
  };
  const signOut = (token: string) => clientOf({ accessToken: () => token }).call(deleteSession);
  const signedOut = { status: 401, code: 'unauthorized' };

  /** Signs a new user up in one browser and in with another; the first browser has renewed its token. */
  async function twoSessions() {
    const user = { email: `${randomUUID()}@example.com`, password: 'correct horse battery', name: 'Two Browsers' };
    const first = new LoginBrowser();
    const { access_token: oldToken, refresh_token } = await first.signIn(user);
    const renewed = await first.token({ grant_type: 'refresh_token', refresh_token });
    const second = await new LoginBrowser().signIn({ email: user.email, password: user.password });
    return { user, oldToken, token: renewed.body.access_token, other: second };
  }

  test('a signed-out access token is refused, as is an earlier one of its session', async () => {
    const { oldToken, token } = await twoSessions();
    expect(await me(token)).toMatchObject({ status: 200 });
    expect((await signOut(token)).status).toBe(200);
    for (const each of [token, oldToken]) {
      expect(await me(each)).toMatchObject(signedOut);
      const client = clientOf({ accessToken: () => each });
      expect(codeOf(await client.call(listPlans))).toBe('unauthorized');
      expect(codeOf(await client.call(createApp, { body: { name: 'After sign-out' } }))).toBe('unauthorized');
      expect(codeOf(await signOut(each))).toBe('unauthorized');
      const chat = await fetch(`${local.baseUrl}/dashboard/v1/ai/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${each}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'any', messages: [{ role: 'user', content: 'hello' }] }),
      });
      expect([chat.status, ((await chat.json()) as { error: object }).error]).toMatchObject([401, signedOut]);
    }
  });

  test('a second session of the same login continues, is renewed, and keeps its share of the rate limit', async () => {
    const { user, token, other } = await twoSessions();
    const before = await me(other.access_token);
    await signOut(token);
    for (let attempt = 0; attempt < 5; attempt += 1) await me(token);
    const after = await me(other.access_token);
    expect([after.status, before.remaining - after.remaining]).toEqual([200, 2]);
    const renewed = await new LoginBrowser().token({
      grant_type: 'refresh_token',
      refresh_token: other.refresh_token,
    });
    expect(await me(renewed.body.access_token)).toMatchObject({ status: 200 });
    const again = await new LoginBrowser().signIn({ email: user.email, password: user.password });
    expect(await me(again.access_token)).toMatchObject({ status: 200 });
  });

  test('keys, forged tokens and other texts end no session', async () => {
    const { token, other } = await twoSessions();
    const account = await newAccount();
    expect(codeOf(await account.call(deleteSession))).toBe('unauthorized');
    const { sub = '', origin_jti: session } = decodeJwt<{ origin_jti: string }>(token);
    const forged = await accessTokenOf(sub, { session, clientId: 'another-client' });
    const text = [token.split('.')[0], token.split('.')[1], other.access_token.split('.')[2]].join('.');
    for (const bad of ['', 'x', demo.secretKey, other.id_token, forged, text]) {
      expect(codeOf(await signOut(bad))).toBe('unauthorized');
    }
    // Another person cannot name the session of this one.
    expect((await signOut(await accessTokenOf(randomUUID(), { session }))).status).toBeGreaterThanOrEqual(400);
    expect([(await me(token)).status, (await me(other.access_token)).status]).toEqual([200, 200]);
  });

  test('the local tokens have the claims of Cognito’s that name the session', async () => {
    const { oldToken, token, other } = await twoSessions();
    const [first, renewed, second] = [oldToken, token, other.access_token].map((each) => decodeJwt(each));
    const isText = expect.stringMatching(/./);
    expect(renewed).toMatchObject({ origin_jti: isText, jti: isText, auth_time: expect.any(Number), username: isText });
    expect([first?.origin_jti, first?.auth_time]).toEqual([renewed?.origin_jti, renewed?.auth_time]);
    expect(first?.jti).not.toBe(renewed?.jti);
    expect(second?.origin_jti).not.toBe(renewed?.origin_jti);
  });
});

test('what a key has read of the catalogue is in no cache for longer than a revoked key may be in use', async () => {
  const { headers } = await clientOf({ publicKey: demo.publicKey }).call(listPlans);
  expect(headers.get('cache-control')).toBe('public, max-age=15');
  expect(headers.get('vary')).toContain('Authorization');
});
