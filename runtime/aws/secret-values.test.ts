import { expect, test } from 'vitest';
import { openKey, openKeys, type ReadSecret, secretMatcher } from './secret-values.ts';

const MINUTE = 60_000;

/** Creates a secret in memory with a clock, and counts the reads. */
function createSecret(initial?: string) {
  const versions: { AWSCURRENT?: string | undefined; AWSPREVIOUS?: string | undefined } = { AWSCURRENT: initial };
  const state = { reads: 0, nowMs: 0, isDown: false };
  const read: ReadSecret = async (_name, stage) => {
    state.reads += 1;
    if (state.isDown) throw new Error('Secrets Manager is away');
    return versions[stage];
  };
  return {
    state,
    read,
    now: () => new Date(state.nowMs),
    put(value: string) {
      versions.AWSPREVIOUS = versions.AWSCURRENT;
      versions.AWSCURRENT = value;
    },
  };
}
type Secret = ReturnType<typeof createSecret>;

const isEqual = (left: string, right: string) => left === right;
const matcherOf = ({ read, now }: Secret) => secretMatcher('origin', isEqual, read, now);
const keyOf = ({ read, now }: Secret, field?: string) =>
  field === undefined ? openKey('key', read, now) : openKeys('keys', read, now)(field);

test('an instance reads a secret once, before its first request, however many requests it serves', async () => {
  const secret = createSecret('one');
  const matches = matcherOf(secret);
  expect(secret.state.reads).toBe(1);
  expect(await Promise.all([matches('one'), matches('one'), matches('one')])).toEqual([true, true, true]);
  secret.state.nowMs = 4 * MINUTE;
  expect(await matches('one')).toBe(true);
  expect(secret.state.reads).toBe(1);
});

test('a rotation refuses no request: neither of the old edge nor of the new one, whenever an instance read the secret', async () => {
  for (const readBefore of [false, true]) {
    const secret = createSecret('one');
    const matches = matcherOf(secret);
    if (readBefore) expect(await matches('a guess')).toBe(false);
    secret.state.nowMs = MINUTE;
    secret.put('two');
    expect(await matches('one')).toBe(true);
    expect(await matches('two')).toBe(true);
    secret.state.nowMs += 6 * MINUTE;
    // Refreshed in the background by the first of these.
    expect([await matches('one'), await matches('two'), await matches('one')]).toEqual([true, true, true]);
    expect(await matches('three')).toBe(false);
  }
  const started = createSecret('one');
  started.put('two');
  const matches = matcherOf(started);
  expect(await Promise.all(['one', 'two', 'one'].map(matches))).toEqual([true, true, true]);
});

test('a secret that was replaced twice is no longer accepted after five minutes', async () => {
  const secret = createSecret('leaked');
  const matches = matcherOf(secret);
  expect(await matches('leaked')).toBe(true);
  secret.put('two');
  secret.put('three');
  secret.state.nowMs = 5 * MINUTE;
  await matches('three');
  expect(await matches('three')).toBe(true);
  expect(await matches('leaked')).toBe(false);
});

test('guesses do not become calls to Secrets Manager', async () => {
  const secret = createSecret('one');
  const matches = matcherOf(secret);
  for (let guess = 0; guess < 100; guess += 1) expect(await matches(`guess ${guess}`)).toBe(false);
  expect(secret.state.reads).toBeLessThanOrEqual(3);
});

test('an instance that knows a secret keeps working while Secrets Manager is away', async () => {
  const secret = createSecret('one');
  const matches = matcherOf(secret);
  expect(await matches('one')).toBe(true);
  secret.state.isDown = true;
  secret.state.nowMs = 60 * MINUTE;
  expect(await matches('one')).toBe(true);
});

test('an origin secret without a value lets nothing pass', async () => {
  const matches = matcherOf(createSecret());
  await expect(matches('')).rejects.toThrow('The secret origin has no value');
});

test('a key that operators have not stored, or stored as nothing, is unset', async () => {
  for (const value of [undefined, '', '-', ' - ']) expect(await keyOf(createSecret(value)).current()).toBeUndefined();
  const keys = createSecret(JSON.stringify({ openai: 'sk-1', groq: '', xai: '-', mistral: 7 }));
  expect(await keyOf(keys, 'openai').current()).toBe('sk-1');
  for (const id of ['groq', 'xai', 'mistral', 'together']) expect(await keyOf(keys, id).current()).toBeUndefined();
});

test('a secret that is no JSON object is named in the error, without its content', async () => {
  const error = await keyOf(createSecret('sk-pasted-without-json'), 'openai')
    .current()
    .catch((thrown: Error) => thrown.message);
  expect(error).toBe('The secret keys is not a JSON object of keys');
});

test('a secret that is stored broken stops no instance that knows its keys, and a new one only until it is mended', async () => {
  const secret = createSecret('{"openai":"sk-1"}');
  const known = keyOf(secret, 'openai');
  expect(await known.current()).toBe('sk-1');
  secret.put('{"openai":"sk-2"');
  secret.state.nowMs = 6 * MINUTE;
  expect([await known.current(), await known.current()]).toEqual(['sk-1', 'sk-1']);
  const started = keyOf(secret, 'openai');
  await expect(started.current()).rejects.toThrow('The secret keys is not a JSON object of keys');
  secret.put('{"openai":"sk-2"}');
  expect(await started.current()).toBe('sk-2');
});

test('a refused key is read again immediately, and the refusal stays if it has not changed', async () => {
  const secret = createSecret('old');
  const key = keyOf(secret);
  secret.state.nowMs = MINUTE;
  expect(await key.current()).toBe('old');
  secret.put('new');
  expect(await key.replacementOf('old')).toBe('new');
  expect(await key.current()).toBe('new');
  expect(await key.replacementOf('new')).toBeUndefined();
});
