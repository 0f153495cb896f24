import type { webcrypto } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { createTokenVerifier } from './access-token.ts';

const NOW = new Date();
const asked: string[] = [];
let published: JWK[] = [];
let answers = true;
const server = createServer((request, response) => {
  asked.push(request.url ?? '');
  if (answers) response.end(JSON.stringify({ keys: published }));
  else response.writeHead(500).end();
});

let issuer = '';
const keys = new Map<string, webcrypto.CryptoKey>();
async function newKey(kid: string): Promise<JWK> {
  const { privateKey, publicKey } = await generateKeyPair('RS256');
  keys.set(kid, privateKey);
  return { ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' };
}
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1').unref(), 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  issuer = `http://127.0.0.1:${address.port}`;
  published = [await newKey('one')];
  await newKey('forged');
});
afterEach(() => {
  asked.length = 0;
  answers = true;
});

const trusted = () => ({ issuer, clientId: 'dashboard', audience: 'https://example.com/dashboard/v1' });
const sign = (kid: string, claims: object = {}) => {
  const key = keys.get(kid);
  if (!key) throw new Error(`no key ${kid}`);
  return new SignJWT({ client_id: 'dashboard', token_use: 'access', ...claims })
    .setProtectedHeader({ alg: 'RS256', kid })
    .setIssuer(issuer)
    .setSubject('subject-1')
    .setJti('token-1')
    .setExpirationTime('1h')
    .sign(key);
};

test('fetches the keys once for any number of tokens', async () => {
  const verify = createTokenVerifier(trusted());
  const subjectOf = async (token: string, now: Date) => (await verify(token, now))?.subject;
  for (let count = 0; count < 5; count += 1) expect(await subjectOf(await sign('one'), NOW)).toBe('subject-1');
  expect(asked).toEqual(['/.well-known/jwks.json']);
});

test('accepts a token without an audience, as Cognito issues it, and rejects one for another audience', async () => {
  const verify = createTokenVerifier(trusted());
  const subjectOf = async (token: string, now: Date) => (await verify(token, now))?.subject;
  expect(await subjectOf(await sign('one'), NOW)).toBe('subject-1');
  expect(await subjectOf(await sign('one', { aud: trusted().audience }), NOW)).toBe('subject-1');
  expect(await subjectOf(await sign('one', { aud: 'https://elsewhere.example' }), NOW)).toBeUndefined();
});

test('does not query the issuer for every forged key id', async () => {
  const verify = createTokenVerifier(trusted());
  const subjectOf = async (token: string, now: Date) => (await verify(token, now))?.subject;
  await subjectOf(await sign('one'), NOW);
  for (let count = 0; count < 20; count += 1) expect(await subjectOf(await sign('forged'), NOW)).toBeUndefined();
  expect(asked.length).toBeLessThanOrEqual(2);
});

test('fails instead of rejecting the token while the keys are unavailable', async () => {
  const verify = createTokenVerifier(trusted());
  const subjectOf = async (token: string, now: Date) => (await verify(token, now))?.subject;
  const token = await sign('one');
  answers = false;
  await expect(subjectOf(token, NOW)).rejects.toThrow();
  answers = true;
  expect(await subjectOf(token, NOW)).toBe('subject-1');
});

test('fails if the issuer is unreachable', async () => {
  const verify = createTokenVerifier({ ...trusted(), issuer: 'http://127.0.0.1:1' });
  await expect(verify(await sign('one'), NOW)).rejects.toThrow();
});

test('identifies the session by the sign-in, so that a renewed token belongs to the same one', async () => {
  const verify = createTokenVerifier(trusted());
  const sessionOf = async (claims: object) => (await verify(await sign('one', claims), NOW))?.sessionId;
  expect(await sessionOf({ origin_jti: 'sign-in-1' })).toBe('sign-in-1');
  expect(await sessionOf({})).toBe('token-1');
  expect(await sessionOf({ origin_jti: ['sign-in-1'] })).toBe('token-1');
});

test('rejects a token that could not be told from others when it is signed out', async () => {
  const key = keys.get('one');
  if (!key) throw new Error('no key');
  const anonymous = await new SignJWT({ client_id: 'dashboard', token_use: 'access' })
    .setProtectedHeader({ alg: 'RS256', kid: 'one' })
    .setIssuer(issuer)
    .setSubject('subject-1')
    .setExpirationTime('1h')
    .sign(key);
  expect(await createTokenVerifier(trusted())(anonymous, NOW)).toBeUndefined();
});
