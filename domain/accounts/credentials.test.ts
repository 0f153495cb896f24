import { expect, test } from 'vitest';
import { ApiError } from '../../contract/errors.ts';
import { assertUsable, createKeyPair, isKeyText } from './credentials.ts';

const NOW = new Date('2026-06-01T00:00:00.000Z');
const key = {
  accountId: 'acc_1',
  keyId: 'key_1',
  name: 'test',
  scopes: ['read' as const],
  allowedOrigins: ['https://shop.example'],
  expiresAt: null,
  createdAt: NOW.toISOString(),
};

test('a new key has both prefixes, and every mistyped character is detected without a table read', () => {
  const { secretKey, publicKey } = createKeyPair(key);
  expect(secretKey).toMatch(/^sk_live_[0-9A-Za-z]{38}$/);
  expect(publicKey).toMatch(/^pk_live_[0-9A-Za-z]{38}$/);
  expect(isKeyText(secretKey, 'secret')).toBe(true);
  expect(isKeyText(secretKey, 'public')).toBe(false);
  for (let place = 8; place < secretKey.length; place += 1) {
    const typo = secretKey[place] === 'a' ? 'b' : 'a';
    expect(isKeyText(secretKey.slice(0, place) + typo + secretKey.slice(place + 1), 'secret')).toBe(false);
  }
});

test('a key that was issued by an earlier version is still one', () => {
  expect(isKeyText('sk_live_0123456789ABCDEFGHIJKLMNOPQRSTUV06OvU6', 'secret')).toBe(true);
  expect(isKeyText('pk_live_0123456789ABCDEFGHIJKLMNOPQRSTUV0H7NIp', 'public')).toBe(true);
});

test('the secret key is stored as a hash only, the public key as text', () => {
  const { secretKey, publicKey, writes } = createKeyPair(key);
  const stored = JSON.stringify(writes);
  expect(stored).not.toContain(secretKey);
  expect(stored).toContain(publicKey);
});

const credential = { ...key, hash: 'h', kind: 'public' as const, revokedAt: null, lastUsedAt: null };
const refusal = (act: () => void) => {
  try {
    act();
  } catch (error) {
    if (error instanceof ApiError) return error.code;
    throw error;
  }
  return undefined;
};

test.each([
  ['a revoked key', { revokedAt: NOW.toISOString() }, undefined, 'unauthorized'],
  ['a key at the second it expires', { expiresAt: NOW.toISOString() }, undefined, 'unauthorized'],
  ['a key that expires later', { expiresAt: '2026-06-01T00:00:00.001Z' }, undefined, undefined],
  ['a public key without an origin', {}, undefined, undefined],
  ['a public key from its origin', {}, 'https://shop.example', undefined],
  ['a public key from another origin', {}, 'https://evil.example', 'forbidden'],
  ['a public key from its origin with a port', {}, 'https://shop.example:8443', 'forbidden'],
  ['a public key for any origin', { allowedOrigins: ['*'] }, 'https://evil.example', undefined],
  ['a secret key from any origin', { kind: 'secret' as const }, 'https://evil.example', undefined],
])('%s', (_name, fields, origin, code) => {
  expect(refusal(() => assertUsable({ ...credential, ...fields }, origin, NOW))).toBe(code);
});
