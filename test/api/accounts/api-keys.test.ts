import { describe, expect, test } from 'vitest';
import { getAccount } from '../../../contract/accounts/accounts.ts';
import { createKey, listKeys, revokeKey } from '../../../contract/accounts/api-keys.ts';
import { listModels } from '../../../contract/ai/gateway.ts';
import { createApp, listApps } from '../../../contract/apps/apps.ts';
import { clientOf, codeOf, newAccount, waitFor } from '../../support/harness.ts';

const read = { name: 'Reader', scopes: ['read' as const] };
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

test('a key created in the dashboard works immediately, with its scopes only, and its secret is shown once', async () => {
  const { dashboard } = await newAccount();
  const made = (await dashboard.call(createKey, { body: read })).body.data;
  expect(made).toMatchObject({ name: 'Reader', scopes: ['read'], allowedOrigins: ['*'] });
  expect(made).toMatchObject({ expiresAt: null, lastUsedAt: null, revokedAt: null });
  const client = clientOf({ secretKey: made.secretKey });
  expect((await client.call(listApps)).status).toBe(200);
  expect(codeOf(await client.call(createApp, { body: { name: 'Not mine to make' } }))).toBe('insufficient_scope');
  expect((await clientOf({ publicKey: made.publicKey }).call(listModels)).status).toBe(200);
  const listed = await dashboard.call(listKeys);
  expect(JSON.stringify(listed.body)).not.toContain(made.secretKey);
  expect(listed.body.data[0]).toMatchObject({ id: made.id, publicKey: made.publicKey });
});

test('lists keys newest first, page by page, with the last use of either half', async () => {
  const { dashboard } = await newAccount();
  const made = [];
  for (const name of ['One', 'Two', 'Three']) {
    made.push((await dashboard.call(createKey, { body: { ...read, name } })).body.data);
  }
  const [one, two] = made;
  const before = new Date().toISOString();
  await clientOf({ secretKey: one?.secretKey ?? '' }).call(getAccount);
  await clientOf({ publicKey: two?.publicKey ?? '' }).call(listModels);
  const listed = await waitFor(async () => {
    const { data } = (await dashboard.call(listKeys)).body;
    return data.length === 4 && data;
  });
  expect(listed.map(({ name }) => name)).toEqual(['Three', 'Two', 'One', 'test']);
  const used = Object.fromEntries(listed.map(({ name, lastUsedAt }) => [name, (lastUsedAt ?? '') >= before]));
  expect(used).toEqual({ Three: false, Two: true, One: true, test: false });
  const page = (await dashboard.call(listKeys, { query: { limit: '2', offset: '1' } })).body;
  expect([page.data.map(({ name }) => name), page.has_more]).toEqual([['Two', 'One'], true]);
});

test('rejects both halves of a revoked key with 401 immediately, and keeps it on the list', async () => {
  const { dashboard } = await newAccount();
  const made = (await dashboard.call(createKey, { body: read })).body.data;
  const client = clientOf({ secretKey: made.secretKey });
  expect((await client.call(listApps)).status).toBe(200);
  for (const _ of ['once', 'and again']) {
    const answer = await dashboard.call(revokeKey, { params: { id: made.id } });
    expect(answer.body).toEqual({ data: { id: made.id, deleted: true } });
  }
  expect(codeOf(await client.call(listApps))).toBe('unauthorized');
  expect(codeOf(await clientOf({ publicKey: made.publicKey }).call(listModels))).toBe('unauthorized');
  const [listed] = (await dashboard.call(listKeys)).body.data;
  expect(listed?.id).toBe(made.id);
  expect(Date.parse(listed?.revokedAt ?? '')).toBeLessThanOrEqual(Date.now());
});

test('a key expires at the requested time', async () => {
  const { dashboard } = await newAccount();
  const soon = new Date(Date.now() + 8000).toISOString();
  const made = (await dashboard.call(createKey, { body: { ...read, expiresAt: soon } })).body.data;
  expect(made.expiresAt).toBe(soon);
  const client = clientOf({ secretKey: made.secretKey });
  expect((await client.call(listApps)).status).toBe(200);
  await waitFor(async () => codeOf(await client.call(listApps)) === 'unauthorized', 500);
});

test('a public key works from its allowed origins and without an Origin header', async () => {
  const { dashboard } = await newAccount();
  const body = { ...read, allowedOrigins: ['https://shop.example', 'http://localhost:5173'] };
  const { publicKey } = (await dashboard.call(createKey, { body })).body.data;
  const from = (origin: string) => clientOf({ publicKey, headers: { origin } }).call(listModels);
  expect((await from('https://shop.example')).status).toBe(200);
  expect((await from('http://localhost:5173')).status).toBe(200);
  expect(codeOf(await from('https://shop.example.evil.example'))).toBe('forbidden');
  expect((await clientOf({ publicKey }).call(listModels)).status).toBe(200);
});

test('a repeat with the same Idempotency-Key returns the same secret and creates no second key', async () => {
  const { accessToken, dashboard } = await newAccount();
  const once = clientOf({ accessToken: () => accessToken, headers: { 'idempotency-key': 'a-form' } });
  const [first, again] = [await once.call(createKey, { body: read }), await once.call(createKey, { body: read })];
  expect(again.body).toEqual(first.body);
  expect((await dashboard.call(listKeys)).body.data).toHaveLength(2);
});

test('revoking another account’s key is 404', async () => {
  const [owner, stranger] = [await newAccount(), await newAccount()];
  const { id, secretKey } = (await owner.dashboard.call(createKey, { body: read })).body.data;
  expect(codeOf(await stranger.dashboard.call(revokeKey, { params: { id } }))).toBe('not_found');
  expect((await clientOf({ secretKey }).call(listApps)).status).toBe(200);
  expect((await stranger.dashboard.call(listKeys)).body.data.map((key) => key.id)).not.toContain(id);
});

describe('rejects an invalid key', () => {
  test.each<[string, object, string]>([
    ['no name', { name: undefined }, 'name'],
    ['a blank name', { name: '   ' }, 'name'],
    ['a name of two lines', { name: 'a\nb' }, 'name'],
    ['a long name', { name: 'x'.repeat(61) }, 'name'],
    ['no scopes', { scopes: undefined }, 'scopes'],
    ['an empty list of scopes', { scopes: [] }, 'scopes'],
    ['an unknown scope', { scopes: ['read', 'admin'] }, 'scopes.1'],
    ['a scope that is no text', { scopes: 'read' }, 'scopes'],
    ['a time in the past', { expiresAt: '2020-01-01T00:00:00.000Z' }, 'expiresAt'],
    ['no time', { expiresAt: 'tomorrow' }, 'expiresAt'],
    ['an origin with a path', { allowedOrigins: ['https://shop.example/shop'] }, 'allowedOrigins.0'],
    ['an origin that is a name', { allowedOrigins: ['shop.example'] }, 'allowedOrigins.0'],
    ['no origin at all', { allowedOrigins: [] }, 'allowedOrigins'],
  ])('%s is 400 naming the field', async (_what, wrong, field) => {
    const { dashboard } = await newAccount();
    const answer = await dashboard.call(createKey, { body: { ...read, ...wrong } as never });
    expect([answer.status, codeOf(answer)]).toEqual([400, 'invalid_request']);
    expect(answer.error?.message).toMatch(new RegExp(`^${field}: `));
  });

  test('merges repeated scopes and stores a time with an offset in UTC', async () => {
    const { dashboard } = await newAccount();
    const at = inAnHour();
    const body = {
      ...read,
      scopes: ['write', 'read', 'write'] as ('read' | 'write')[],
      expiresAt: at.replace('Z', '+00:00'),
    };
    const { data } = (await dashboard.call(createKey, { body })).body;
    expect(data).toMatchObject({ scopes: ['read', 'write'], expiresAt: at });
  });
});
