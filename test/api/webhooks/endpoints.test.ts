import { describe, expect, test } from 'vitest';
import { createApp } from '../../../contract/apps/apps.ts';
import { LIMITS } from '../../../contract/limits/limits.ts';
import { createWebhook, deleteWebhook, listWebhooks } from '../../../contract/webhooks/endpoints.ts';
import { codeOf, newAccount, type OpenedAccount, raw, waitFor } from '../../support/harness.ts';
import { receiver } from '../../support/receivers.ts';

const MAX_ENDPOINTS = LIMITS.webhookEndpoints.amounts;

type Body = { url: string; events?: string[]; description?: string };
const create = (account: OpenedAccount, body: Body) => account.call(createWebhook, { body });
const URL = 'https://hooks.example.com/in';

test('an endpoint gets defaults, its secret is shown once, and it is listed newest first', async () => {
  const account = await newAccount();
  const first = await create(account, { url: URL });
  expect(first.body.data).toMatchObject({ url: URL, events: ['*'], description: '', active: true });
  expect(first.body.data.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  const second = await create(account, { url: `${URL}?two`, events: ['app.created'], description: 'Two' });
  const { body } = await account.call(listWebhooks);
  expect(body.has_more).toBe(false);
  expect(body.data.map(({ id }) => id)).toEqual([second.body.data.id, first.body.data.id]);
  for (const each of body.data) expect(each).not.toHaveProperty('secret');
  const page = await account.call(listWebhooks, { query: { limit: '1', offset: '1' } });
  expect(page.body).toMatchObject({ data: [{ id: first.body.data.id }], has_more: false });
  expect((await account.call(listWebhooks, { query: { limit: '1' } })).body.has_more).toBe(true);
});

test('removes repeated events, and * includes all others', async () => {
  const account = await newAccount();
  const events = async (given: string[]) => (await create(account, { url: URL, events: given })).body.data.events;
  expect(await events(['app.created', 'app.deleted', 'app.created'])).toEqual(['app.created', 'app.deleted']);
  expect(await events(['app.created', '*'])).toEqual(['*']);
});

describe('rejects, naming the field', () => {
  const urls = [
    '',
    'nonsense',
    'ftp://example.com/',
    'http://example.com/',
    'https://',
    'https://user:pass@example.com/',
    'https://10.0.0.1/',
    'https://192.168.1.1/x',
    'https://169.254.169.254/latest',
    'https://[fd00::1]/',
    'https://100.64.0.1/',
    'https://0.0.0.0/',
    'https://[::ffff:10.0.0.1]/',
    'https://[64:ff9b::a00:1]/',
    'https://167772161/',
    'http://10.0.0.1/',
    'https://intranet/',
    'https://db.internal/',
    'https://nas.local/',
    'https://exa mple.com/',
    `https://example.com/${'a'.repeat(2048)}`,
    ' https://example.com/',
  ];
  test.each(urls)('url %s', async (url) => {
    const answer = await create(await shared(), { url });
    expect([answer.status, codeOf(answer)]).toEqual([400, 'invalid_request']);
    expect(answer.error?.message).toMatch(/^url: /);
  });
  test.each<[string, object]>([
    ['url', {}],
    ['url', { url: 7 }],
    ['events', { url: URL, events: [] }],
    ['events.0', { url: URL, events: ['app.exploded'] }],
    ['events', { url: URL, events: 'app.created' }],
    ['description', { url: URL, description: 'a'.repeat(501) }],
    ['description', { url: URL, description: 'a\0b' }],
  ])('%s of %j', async (field, body) => {
    const answer = await create(await shared(), body as Body);
    expect([answer.status, codeOf(answer)]).toEqual([400, 'invalid_request']);
    expect(answer.error?.message.startsWith(`${field}: `)).toBe(true);
  });
});

let sharedAccount: Promise<OpenedAccount> | undefined;
const shared = () => {
  sharedAccount ??= newAccount();
  return sharedAccount;
};

test('racing creates beyond the limit succeed exactly up to the limit, and deleting makes room', async () => {
  const account = await newAccount();
  const answers = await Promise.all(Array.from({ length: MAX_ENDPOINTS + 4 }, () => create(account, { url: URL })));
  const made = answers.filter(({ status }) => status === 201);
  expect(made).toHaveLength(MAX_ENDPOINTS);
  expect(codeOf(await create(account, { url: URL }))).toBe('conflict');
  const id = made[0]?.body.data.id ?? '';
  expect((await account.call(deleteWebhook, { params: { id } })).body).toEqual({ data: { id, deleted: true } });
  expect((await account.call(deleteWebhook, { params: { id } })).status).toBe(404);
  expect((await create(account, { url: URL })).status).toBe(201);
});

test("another account's endpoint is 404", async () => {
  const [owner, stranger] = await Promise.all([newAccount(), newAccount()]);
  const { id } = (await create(owner, { url: URL })).body.data;
  expect((await stranger.call(deleteWebhook, { params: { id } })).status).toBe(404);
  expect((await stranger.call(listWebhooks)).body.data).toEqual([]);
});

test('reading requires the read scope; creating and deleting require the write scope', async () => {
  const reader = await newAccount({ scopes: ['read'] });
  expect((await reader.call(listWebhooks)).status).toBe(200);
  expect(codeOf(await create(reader, { url: URL }))).toBe('insufficient_scope');
  expect(codeOf(await reader.call(deleteWebhook, { params: { id: 'whk_x' } }))).toBe('insufficient_scope');
  const writer = await newAccount({ scopes: ['write'] });
  expect(codeOf(await writer.call(listWebhooks))).toBe('insufficient_scope');
});

test('the same Idempotency-Key returns the same secret', async () => {
  const account = await newAccount();
  const send = () =>
    raw('/v1/webhooks', {
      method: 'POST',
      headers: { authorization: `Bearer ${account.secretKey}`, 'idempotency-key': 'once' },
      body: JSON.stringify({ url: URL }),
    }).then((answer) => answer.json());
  const [first, again] = [await send(), await send()];
  expect(again).toEqual(first);
  expect((await account.call(listWebhooks)).body.data).toHaveLength(1);
});

test('an event reaches its subscribers only, and a deleted endpoint receives nothing more', async () => {
  const account = await newAccount();
  const [all, picky, other] = await Promise.all([receiver(), receiver(), receiver()]);
  const { id } = (await create(account, { url: all.url })).body.data;
  await create(account, { url: picky.url, events: ['app.created'] });
  await create(account, { url: other.url, events: ['app.deleted'] });
  const app = (await account.call(createApp, { body: { name: 'Tells', framework: 'NODE' } })).body.data;
  const [one, two] = await Promise.all([all, picky].map(({ received }) => waitFor(async () => received[0], 20)));
  expect(one?.body).toBe(two?.body);
  expect(JSON.parse(one?.body ?? '')).toMatchObject({
    id: expect.stringMatching(/^evt_[0-9a-f]+$/),
    type: 'app.created',
    data: { applicationId: app.id, name: 'Tells' },
  });
  await account.call(deleteWebhook, { params: { id } });
  await account.call(createApp, { body: { name: 'Tells more', framework: 'NODE' } });
  await waitFor(async () => picky.received[1], 20);
  expect([all.received.length, other.received.length]).toEqual([1, 0]);
  await Promise.all([all, picky, other].map((each) => each.stop()));
});

test.each(['Rocket 🚀', 'Last \uffff'])('an event is delivered whatever characters its data has: %j', async (name) => {
  const account = await newAccount();
  const all = await receiver();
  await create(account, { url: all.url });
  await account.call(createApp, { body: { name, framework: 'NODE' } });
  const event = await waitFor(async () => all.received[0], 20);
  expect(JSON.parse(event.body)).toMatchObject({ type: 'app.created', data: { name } });
  await all.stop();
});
