import { randomUUID } from 'node:crypto';
import { decodeJwt } from 'jose';
import { describe, expect, test } from 'vitest';
import { getMe } from '../../contract/accounts/me.ts';
import { clientOf, local } from '../support/harness.ts';
import { LoginBrowser } from '../support/sign-in.ts';

const { demo } = local.accounts;
const newcomer = () => ({ email: `${randomUUID()}@example.com`, password: 'correct horse battery', name: 'New Comer' });
const me = async (accessToken: string) => (await clientOf({ accessToken: () => accessToken }).call(getMe)).body.data;

test('the demo account signs in with email and password and returns to the original page', async () => {
  const visitor = new LoginBrowser();
  const { page, verifier } = await visitor.begin();
  expect(page.status).toBe(200);
  expect(page.html).toContain('<h1>Sign in</h1>');
  const { url } = await visitor.send(page.url, { email: demo.email, password: demo.password });
  expect(url.href).toMatch(`${local.dashboardUrl}/callback?`);
  expect(url.searchParams.get('state')).toBe('where-i-was');
  const { body } = await visitor.redeem(url.searchParams.get('code') ?? '', verifier);
  expect((await me(body.access_token)).account.id).toBe(demo.id);
  expect(decodeJwt(body.id_token)).toMatchObject({ email: demo.email, aud: local.login.clientId });
  expect(body.expires_in).toBe(3600);
});

test('a sign-up has its own account from the first request on, with one application and no money', async () => {
  const fields = newcomer();
  const { access_token: token } = await new LoginBrowser().signIn(fields);
  const { account, roles } = await me(token);
  expect(account).toMatchObject({ email: fields.email, name: fields.name, walletBalance: '0.00' });
  expect(account.plan).toEqual({ slug: 'app-1', name: 'App 1', appLimit: 1 });
  expect(roles).toEqual(['owner']);
  // A later sign-in from another browser opens the same account.
  const again = await new LoginBrowser().signIn({ email: fields.email, password: fields.password });
  expect((await me(again.access_token)).account.id).toBe(account.id);
});

test('two tabs that sign up at once create one account', async () => {
  const { access_token: token } = await new LoginBrowser().signIn(newcomer());
  const accounts = await Promise.all(Array.from({ length: 8 }, () => me(token)));
  expect(new Set(accounts.map(({ account }) => account.id)).size).toBe(1);
});

test('a login is renewed silently with its refresh token, which is valid once', async () => {
  const visitor = new LoginBrowser();
  const first = await visitor.signIn({ email: demo.email, password: demo.password });
  const renew = () => visitor.token({ grant_type: 'refresh_token', refresh_token: first.refresh_token });
  const second = await renew();
  expect(second.status).toBe(200);
  expect((await me(second.body.access_token)).account.id).toBe(demo.id);
  expect((await renew()).status).toBe(400);
});

test('a signed-out session cannot be renewed, from any tab or copy of its token', async () => {
  const visitor = new LoginBrowser();
  const first = await visitor.signIn({ email: demo.email, password: demo.password });
  const renew = (token: string) => visitor.token({ grant_type: 'refresh_token', refresh_token: token });
  const second = (await renew(first.refresh_token)).body;
  const { revocation_endpoint: endpoint } = (await (
    await fetch(`${local.login.issuer}/.well-known/openid-configuration`)
  ).json()) as { revocation_endpoint: string };
  const body = new URLSearchParams({
    client_id: local.login.clientId,
    token: second.refresh_token,
    token_type_hint: 'refresh_token',
  });
  expect((await fetch(endpoint, { method: 'POST', body })).status).toBe(200);
  for (const { refresh_token: token } of [second, first]) expect((await renew(token)).status).toBe(400);
});

test('a signed-in user is not prompted again until signing out', async () => {
  const visitor = new LoginBrowser();
  const { id_token: hint } = await visitor.signIn({ email: demo.email, password: demo.password });
  expect((await visitor.begin()).page.url.searchParams.get('code')).toBeTruthy();
  const back = new URLSearchParams({ id_token_hint: hint, post_logout_redirect_uri: `${local.dashboardUrl}/` });
  const leaving = await visitor.open(`${local.login.issuer}/session/end?${back}`);
  const [, xsrf = ''] = /name="xsrf" value="([^"]+)"/.exec(leaving.html) ?? [];
  const { url } = await visitor.send(new URL(`${local.login.issuer}/session/end/confirm`), { xsrf, logout: 'yes' });
  expect(url.href).toBe(`${local.dashboardUrl}/`);
  expect((await visitor.begin()).page.html).toContain('<h1>Sign in</h1>');
});

describe('rejected sign-ins', () => {
  test.each([
    ['a wrong password', { email: demo.email, password: 'not-the-password' }, '', 'is wrong'],
    ['an unknown address', { email: 'unknown@example.com', password: demo.password }, '', 'is wrong'],
    ['a short password', { ...newcomer(), password: 'short' }, '?sign-up', 'at least 12 characters'],
    ['a taken address', { ...newcomer(), email: demo.email.toUpperCase() }, '?sign-up', 'already'],
    ['no address', { ...newcomer(), email: '<script>' }, '?sign-up', 'valid email address'],
  ])('%s is reported on the page, which does not repeat the password', async (_what, fields, query, problem) => {
    const visitor = new LoginBrowser();
    const { page } = await visitor.begin();
    const answer = await visitor.send(new URL(query, page.url), fields);
    expect(answer.status).toBe(400);
    expect(answer.html).toMatch(new RegExp(`<p role="alert">[^<]*${problem}`));
    expect(answer.html).not.toContain('<script>');
    expect(answer.html).not.toContain(fields.password);
  });

  test.each([
    ['no PKCE', { code_challenge: undefined, code_challenge_method: undefined }],
    ['another client', { client_id: 'another-client' }],
    ['an address that is not the dashboard’s', { redirect_uri: 'https://elsewhere.example/callback' }],
  ])('%s gets no login page', async (_what, changes) => {
    const { page } = await new LoginBrowser().begin(changes);
    expect(page.html).not.toContain('<h1>Sign in</h1>');
    expect(page.url.searchParams.get('code')).toBeNull();
  });

  test('a code without its verifier, or used a second time', async () => {
    const visitor = new LoginBrowser();
    const { page, verifier } = await visitor.begin();
    const { url } = await visitor.send(page.url, { email: demo.email, password: demo.password });
    const code = url.searchParams.get('code') ?? '';
    expect((await visitor.redeem(code, 'x'.repeat(43))).status).toBe(400);
    expect((await visitor.redeem(code, verifier)).status).toBe(200);
    expect((await visitor.redeem(code, verifier)).status).toBe(400);
  });
});
