import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterAll, expect, test } from 'vitest';
import { createApp } from '../../contract/apps.ts';
import { createWebhook } from '../../contract/webhooks.ts';
import { listDeliveries } from '../../domain/webhook-control.ts';
import { newAccount, until } from '../world.ts';

const receiver = createServer((request, response) => {
  request.resume().on('end', () => response.writeHead(201).end('thanks'));
}).listen(0, '127.0.0.1');
afterAll(() => receiver.close());

test("an endpoint's deliveries are shown newest first, with what the receiver said, and to its owner alone", async () => {
  if (!receiver.listening) await once(receiver, 'listening');
  const address = receiver.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const [account, stranger] = [await newAccount(), await newAccount()];
  const { deps } = await import('../../runtime/deps.ts');
  const body = { url: `http://127.0.0.1:${address.port}/`, events: ['app.created' as const] };
  const { id } = (await account.call(createWebhook, { body })).body.data;
  for (const name of ['First', 'Second']) await account.call(createApp, { body: { name } });
  const of = { accountId: account.id, keyId: '' };
  const all = await until(async () => {
    const { data } = await listDeliveries(deps, of, { id, limit: 50, offset: 0 });
    return data.length === 2 && data.every(({ status }) => status === 'DELIVERED') && data;
  });
  expect(all.map(({ type }) => type)).toEqual(['app.created', 'app.created']);
  expect((all[0]?.createdAt ?? '') >= (all[1]?.createdAt ?? '')).toBe(true);
  expect(all[0]?.attempts).toMatchObject([{ outcome: 'DELIVERED', responseStatus: 201, responseBody: 'thanks' }]);
  const one = await listDeliveries(deps, of, { id, limit: 1, offset: 1 });
  expect([one.data, one.has_more]).toEqual([[all[1]], false]);
  await expect(
    listDeliveries(deps, { accountId: stranger.id, keyId: '' }, { id, limit: 1, offset: 0 }),
  ).rejects.toMatchObject({
    code: 'not_found',
  });
});
