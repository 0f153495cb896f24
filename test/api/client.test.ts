import { expect, test } from 'vitest';
import { ApiError, createClient, verifyWebhook } from '../../client/index.ts';
import { documentedFetch } from '../support/documented-fetch.ts';
import { local, newAccount, waitFor } from '../support/harness.ts';
import { receiver } from '../support/receivers.ts';

/** The client library against the platform; what it does without one is in client/client.test.ts. */

const { baseUrl } = local;
const connect = (secretKey: string) => createClient({ baseUrl, secretKey, fetch: documentedFetch });

test('creates, changes, lists and deletes, and verifies the webhooks of it', async () => {
  const account = await newAccount();
  const client = connect(account.secretKey);
  const hooks = await receiver();
  const { id: webhookId, secret } = await client.createWebhook({ url: hooks.url, events: ['app.created'] });
  const created = [];
  for (const name of ['One', 'Two', 'Three']) created.push(await client.createApp({ name, framework: 'NODE' }));
  const [first] = created;
  if (!first) throw new Error('no application');
  expect(await client.updateApp({ id: first.id, branch: 'next' })).toMatchObject({ name: 'One', branch: 'next' });
  const names: string[] = [];
  for await (const { name } of client.listApps({ limit: 2 })) names.push(name);
  expect(names).toEqual(['Three', 'Two', 'One']);
  expect(await client.listApps({ limit: 2 })).toMatchObject({
    has_more: true,
    data: [{ name: 'Three' }, { name: 'Two' }],
  });
  expect(await client.replaceEnv({ id: first.id, vars: [{ key: 'A', value: '1' }] })).toEqual({ keys: ['A'] });
  expect(await client.deleteApp({ id: first.id })).toEqual({ id: first.id, deleted: true });

  const delivered = await waitFor(async () => hooks.received[0], 100);
  const signature = delivered.headers['x-service-signature'];
  const event = await verifyWebhook({ body: delivered.body, signature, secret });
  expect(event).toMatchObject({ type: 'app.created', data: { name: expect.any(String) } });
  await expect(verifyWebhook({ body: `${delivered.body} `, signature, secret })).rejects.toThrow('does not match');
  await client.deleteWebhook({ id: webhookId });
  await hooks.stop();
});

test('repeats a POST with its key without doing it twice, and raises errors with the code', async () => {
  const { secretKey } = await newAccount({ appLimit: 1 });
  const client = connect(secretKey);
  const once = { idempotencyKey: 'once' };
  const app = await client.createApp({ name: 'Once' }, once);
  expect(await client.createApp({ name: 'Once' }, once)).toEqual(app);
  const failed = await client.createApp({ name: 'Twice' }).catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(ApiError);
  expect(failed).toMatchObject({ code: 'plan_limit', status: 402, requestId: expect.any(String) });
});

test('streams and completes chats', async () => {
  const client = connect((await newAccount({ aiCreditsMicroRand: 100_000_000 })).secretKey);
  const input = {
    model: 'openai/gpt-4o-mini',
    messages: [{ role: 'user' as const, content: 'say exactly: one two three' }],
  };
  const whole = await client.createChatCompletion(input);
  expect(whole.choices[0]?.message.content).toBe('one two three');
  let said = '';
  let total = 0;
  for await (const { choices, usage } of await client.createChatCompletion({ ...input, stream: true })) {
    said += choices[0]?.delta.content ?? '';
    total = usage?.total_tokens ?? total;
  }
  expect([said, total > 3]).toEqual(['one two three', true]);
  expect(await client.getModel({ id: 'openai/gpt-4o-mini' })).toMatchObject({ object: 'model' });
});

test('reads the catalogue with a public key, from a browser’s origin too', async () => {
  const { publicKey } = await newAccount();
  const client = createClient({ baseUrl, publicKey, fetch: documentedFetch });
  expect((await client.listPlans({ category: 'APP' })).length).toBeGreaterThan(0);
  expect((await client.checkDomain({ q: 'my-shop' })).length).toBeGreaterThan(0);
  expect((await client.listModels()).data.length).toBeGreaterThan(0);
  await expect(client.listApps()).rejects.toMatchObject({ code: 'forbidden' });
});
