import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterAll, expect, test } from 'vitest';
import { createApp } from '../../../contract/apps/apps.ts';
import { createWebhook } from '../../../contract/webhooks/endpoints.ts';
import { listDeliveries } from '../../../contract/webhooks/management.ts';
import { codeOf, newAccount, waitFor } from '../../support/harness.ts';

const receiver = createServer((request, response) => {
  request.resume().on('end', () => response.writeHead(201).end('thanks'));
}).listen(0, '127.0.0.1');
afterAll(() => receiver.close());

test("lists an endpoint's deliveries newest first with the responses, to its owner only", async () => {
  if (!receiver.listening) await once(receiver, 'listening');
  const address = receiver.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const [account, stranger] = [await newAccount(), await newAccount()];
  const body = { url: `http://127.0.0.1:${address.port}/`, events: ['app.created' as const] };
  const { id } = (await account.call(createWebhook, { body })).body.data;
  for (const name of ['First', 'Second']) await account.call(createApp, { body: { name } });
  const all = await waitFor(async () => {
    const { data } = (await account.dashboard.call(listDeliveries, { params: { id } })).body;
    return data.length === 2 && data.every(({ status }) => status === 'DELIVERED') && data;
  });
  expect(all.map(({ type }) => type)).toEqual(['app.created', 'app.created']);
  expect((all[0]?.createdAt ?? '') >= (all[1]?.createdAt ?? '')).toBe(true);
  expect(all[0]?.attempts).toMatchObject([{ outcome: 'DELIVERED', responseStatus: 201, responseBody: 'thanks' }]);
  const query = { limit: '1', offset: '1' };
  const one = (await account.dashboard.call(listDeliveries, { params: { id }, query })).body;
  expect([one.data, one.has_more]).toEqual([[all[1]], false]);
  expect(codeOf(await stranger.dashboard.call(listDeliveries, { params: { id } }))).toBe('not_found');
});
