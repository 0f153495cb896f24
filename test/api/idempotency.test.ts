import { expect, test } from 'vitest';
import { createApp, listApps } from '../../contract/apps/apps.ts';
import { createDeployment } from '../../contract/deployments/deployments.ts';
import { clientOf, codeOf, newAccount, raw } from '../support/harness.ts';

const withKey = (secretKey: string, key: string) => clientOf({ secretKey, headers: { 'idempotency-key': key } });

test('a repeat gets the same response and creates nothing, also if the first request exhausted the plan', async () => {
  const account = await newAccount({ appLimit: 1 });
  const client = withKey(account.secretKey, 'once');
  const first = await client.call(createApp, { body: { name: 'Once only' } });
  const again = await client.call(createApp, { body: { name: 'Once only' } });
  expect([first.status, again.status]).toEqual([201, 201]);
  expect(again.body).toEqual(first.body);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect((await account.call(listApps)).body.data).toHaveLength(1);
});

test('racing calls with one key all get the same response', async () => {
  const account = await newAccount();
  const client = withKey(account.secretKey, 'race');
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => client.call(createApp, { body: { name: 'Race' } })),
  );
  expect(new Set(answers.map(({ body }) => body.data?.id))).toHaveProperty('size', 1);
  expect((await account.call(listApps)).body.data).toHaveLength(1);
});

test('racing deployments with one key all get the same deployment', async () => {
  const account = await newAccount();
  const repoUrl = 'https://git.localhost/no-such-repository.git';
  const { id } = (await account.call(createApp, { body: { name: 'Race', repoUrl, deployNow: false } })).body.data;
  const client = withKey(account.secretKey, 'deploy');
  const answers = await Promise.all(Array.from({ length: 4 }, () => client.call(createDeployment, { params: { id } })));
  expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202]);
  expect(new Set(answers.map(({ body }) => body.data.id))).toHaveProperty('size', 1);
});

test('the same key with a different request is 409; a failed validation is not stored', async () => {
  const account = await newAccount();
  const client = withKey(account.secretKey, 'other');
  expect((await client.call(createApp, { body: { name: 'x' } })).status).toBe(400);
  expect((await client.call(createApp, { body: { name: 'First' } })).status).toBe(201);
  const other = await client.call(createApp, { body: { name: 'Second' } });
  expect([other.status, codeOf(other)]).toEqual([409, 'conflict']);
});

test('two JSON texts that say the same are the same request', async () => {
  const { secretKey } = await newAccount();
  const send = (body: string, key: string) =>
    raw('/v1/webhooks', {
      method: 'POST',
      body,
      headers: { authorization: `Bearer ${secretKey}`, 'content-type': 'application/json', 'idempotency-key': key },
    });
  const url = 'https://hooks.example.com/';
  const first = await send(`{"url":"${url}","events":["ping","app.created"],"x":{"a":1,"b":2}}`, 'order');
  const again = await send(
    `{ "x": {"b":2.0, "a":1}, "events": ["ping","app\\u002ecreated"], "url": "${url}" }`,
    'order',
  );
  expect([first.status, again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 201, 'true']);
  expect(await again.json()).toEqual(await first.json());
  const other = await send(`{"url":"${url}","events":["app.created","ping"],"x":{"a":1,"b":2}}`, 'order');
  expect(other.status).toBe(409);
  // A body that is nested too deep to be written again is the same only where its text is.
  const deep = (space: string) => `{"url":"${url}",${space}"x":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
  const answers = [await send(deep(''), 'deep'), await send(deep(''), 'deep'), await send(deep(' '), 'deep')];
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 409]);
});

test('keys of different callers do not collide', async () => {
  const [one, two] = await Promise.all([newAccount(), newAccount()]);
  const answers = await Promise.all(
    [one, two].map(({ secretKey }) => withKey(secretKey, 'same').call(createApp, { body: { name: 'Mine' } })),
  );
  expect(answers[0]?.body.data.id).not.toBe(answers[1]?.body.data.id);
});

test('an invalid key is 400', async () => {
  const account = await newAccount();
  const answer = await withKey(account.secretKey, 'x'.repeat(256)).call(createApp, { body: { name: 'Long' } });
  expect(answer.error?.message).toMatch(/^Idempotency-Key: /);
});
