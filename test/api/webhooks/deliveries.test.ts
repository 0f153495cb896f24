import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterAll, expect, test } from 'vitest';
import { createApp } from '../../../contract/apps/apps.ts';
import { createWebhook } from '../../../contract/webhooks/endpoints.ts';
import { listEvents } from '../../../contract/webhooks/feed.ts';
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

test('the feed has the events of its account in order, from the first read on, and continues at its cursor', async () => {
  const [account, stranger] = [await newAccount(), await newAccount({ scopes: ['write'] })];
  const begun = (await account.call(listEvents)).body;
  expect(begun).toEqual({ data: [], cursor: 'evc_0', has_more: false });
  const ids: string[] = [];
  for (const name of ['First', 'Second', 'Third'])
    ids.push((await account.call(createApp, { body: { name } })).body.data.id);
  const seen: unknown[] = [];
  let after = begun.cursor;
  await waitFor(async () => {
    const { data, cursor } = (await account.call(listEvents, { query: { after, limit: '2' } })).body;
    seen.push(...data.map(({ data: { applicationId } }) => applicationId));
    after = cursor;
    return seen.length >= 3;
  });
  expect(seen.toSorted()).toEqual(ids.toSorted());
  expect((await account.call(listEvents, { query: { after } })).body).toEqual({
    data: [],
    cursor: after,
    has_more: false,
  });
  const newest = (await account.dashboard.call(listEvents, { query: { limit: '1' } })).body;
  expect(newest).toMatchObject({ data: [{ type: 'app.created', data: { applicationId: seen[2] } }], cursor: after });
  for (const unknown of ['evc_zzz', 'next'])
    expect(codeOf(await account.call(listEvents, { query: { after: unknown } }))).toBe('invalid_request');
  expect(codeOf(await stranger.call(listEvents))).toBe('insufficient_scope');
});
