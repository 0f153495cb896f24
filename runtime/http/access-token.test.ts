import type { webcrypto } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { accessTokens } from './access-token.ts';

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
    .setSubject('somebody')
    .setExpirationTime('1h')
    .sign(key);
};

test('the keys are fetched once, for any number of tokens', async () => {
  const subjectOf = accessTokens(trusted());
  for (let count = 0; count < 5; count += 1) expect(await subjectOf(await sign('one'), NOW)).toBe('somebody');
  expect(asked).toEqual(['/.well-known/jwks.json']);
});

test('a token that names no audience is ours, as Cognito’s do not; one that names another is not', async () => {
  const subjectOf = accessTokens(trusted());
  expect(await subjectOf(await sign('one'), NOW)).toBe('somebody');
  expect(await subjectOf(await sign('one', { aud: trusted().audience }), NOW)).toBe('somebody');
  expect(await subjectOf(await sign('one', { aud: 'https://elsewhere.example' }), NOW)).toBeUndefined();
});

test('forged key ids, however many, do not make us ask the issuer for each', async () => {
  const subjectOf = accessTokens(trusted());
  await subjectOf(await sign('one'), NOW);
  for (let count = 0; count < 20; count += 1) expect(await subjectOf(await sign('forged'), NOW)).toBeUndefined();
  expect(asked.length).toBeLessThanOrEqual(2);
});

test('keys that cannot be had are nobody’s fault: not a refusal but a failure, and over when they can', async () => {
  const subjectOf = accessTokens(trusted());
  const token = await sign('one');
  answers = false;
  await expect(subjectOf(token, NOW)).rejects.toThrow();
  answers = true;
  expect(await subjectOf(token, NOW)).toBe('somebody');
});

test('nobody at the issuer’s address is a failure too', async () => {
  const subjectOf = accessTokens({ ...trusted(), issuer: 'http://127.0.0.1:1' });
  await expect(subjectOf(await sign('one'), NOW)).rejects.toThrow();
});
