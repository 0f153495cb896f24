import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApp } from '../../../contract/apps/apps.ts';
import { createWebhook, listWebhooks } from '../../../contract/webhooks/endpoints.ts';
import {
  enableWebhook,
  listDeliveries,
  listEndpoints,
  pingWebhook,
  resendDelivery,
  resendSkipped,
  rotateSecret,
  updateWebhook,
} from '../../../contract/webhooks/management.ts';
import { disableEndpoint } from '../../support/disable-endpoint.ts';
import { codeOf, local, newAccount, type OpenedAccount, waitFor } from '../../support/harness.ts';
import { type Receiver, receiver } from '../../support/receivers.ts';

Object.assign(process.env, local.environment);

let healthy: Receiver;
beforeAll(async () => {
  healthy = await receiver();
});
afterAll(() => healthy.stop());

async function endpointOf(account: OpenedAccount, url = healthy.url) {
  return (await account.call(createWebhook, { body: { url, events: ['app.created'] } })).body.data;
}
const sentFor = (id: string, type: string) =>
  waitFor(async () => healthy.received.find(({ body }) => body.includes(id) && body.includes(`"type":"${type}"`)));

test('the dashboard’s list shows failure counts, and the API’s list does not', async () => {
  const account = await newAccount();
  const { id } = await endpointOf(account);
  expect((await account.dashboard.call(listEndpoints)).body.data).toMatchObject([{ id, failureCount: 0 }]);
  expect((await account.call(listWebhooks)).body.data[0]).not.toHaveProperty('failureCount');
});

test('a ping is sent to the given endpoint regardless of its subscriptions', async () => {
  const account = await newAccount();
  const { id } = await endpointOf(account);
  const { status, body } = await account.dashboard.call(pingWebhook, { params: { id } });
  expect(status).toBe(202);
  const sent = JSON.parse((await sentFor(id, 'ping')).body);
  expect(sent).toMatchObject({ id: body.data.eventId, type: 'ping', data: { webhookId: id } });
});

test('a delivery shows the response, and a resend keeps its event id', async () => {
  const account = await newAccount();
  const { id } = await endpointOf(account);
  const app = (await account.call(createApp, { body: { name: 'Announced' } })).body.data;
  const delivered = async (attempts: number) =>
    await waitFor(async () => {
      const [first] = (await account.dashboard.call(listDeliveries, { params: { id } })).body.data;
      return first?.status === 'DELIVERED' && first.attempts.length === attempts && first;
    });
  const first = await delivered(1);
  expect(first.attempts).toMatchObject([{ outcome: 'DELIVERED', responseStatus: 200, responseBody: 'ok' }]);
  const again = await account.dashboard.call(resendDelivery, { params: { id: first.id } });
  expect([again.status, again.body.data.status]).toEqual([202, 'PENDING']);
  await delivered(2);
  const seen = healthy.received.filter(({ body }) => body.includes(app.id)).map(({ body }) => JSON.parse(body).id);
  expect(seen).toEqual([first.eventId, first.eventId]);
});

test('a disabled endpoint receives nothing until it is enabled, and then the missed events on request', async () => {
  const account = await newAccount();
  const { id } = await endpointOf(account);
  await disableEndpoint(account.id, id);
  const since = new Date(Date.now() - 60_000).toISOString();
  expect((await account.dashboard.call(listEndpoints)).body.data).toMatchObject([{ active: false, failureCount: 50 }]);
  for (const refused of [
    await account.dashboard.call(pingWebhook, { params: { id } }),
    await account.dashboard.call(resendSkipped, { params: { id }, body: { since } }),
  ])
    expect([refused.status, codeOf(refused)]).toEqual([409, 'conflict']);
  const app = (await account.call(createApp, { body: { name: 'Missed' } })).body.data;
  const skipped = await waitFor(async () => {
    const { data } = (await account.dashboard.call(listDeliveries, { params: { id } })).body;
    return data[0]?.status === 'SKIPPED' && data[0];
  });
  expect(codeOf(await account.dashboard.call(resendDelivery, { params: { id: skipped.id } }))).toBe('conflict');

  const enabled = await account.dashboard.call(enableWebhook, { params: { id } });
  expect(enabled.body.data).toMatchObject({ id, active: true, failureCount: 0 });
  expect(healthy.received.some(({ body }) => body.includes(app.id))).toBe(false);
  const resent = await account.dashboard.call(resendSkipped, { params: { id }, body: { since } });
  expect([resent.status, resent.body.data]).toEqual([202, { resent: 1, remaining: false, next: null }]);
  expect(JSON.parse((await sentFor(app.id, 'app.created')).body).id).toBe(skipped.eventId);
});

test('an endpoint is changed in the dashboard, and disabled without losing failed or skipped deliveries', async () => {
  const account = await newAccount();
  const { id } = await endpointOf(account, 'http://127.0.0.1:1/closed');
  const params = { id };
  const change = (body: object) => account.dashboard.call(updateWebhook, { params, body });
  const app = (await account.call(createApp, { body: { name: 'Failing' } })).body.data;
  const first = () => account.dashboard.call(listDeliveries, { params }).then(({ body }) => body.data.at(-1));
  await waitFor(async () => (await first())?.attempts.length);
  expect((await change({ active: false })).body.data).toMatchObject({ id, active: false });
  const since = new Date(Date.now() - 60_000).toISOString();
  await account.call(createApp, { body: { name: 'Skipped' } });
  await waitFor(async () => {
    const { data } = (await account.dashboard.call(listDeliveries, { params })).body;
    return data.filter(({ status }) => status === 'SKIPPED').length > 0;
  });
  expect((await change({ url: 'ftp://example.com' })).error?.message).toMatch(/^url: /);
  expect((await change({ active: true })).status).toBe(400);
  const changed = await change({ url: healthy.url, description: 'moved', events: ['app.created', 'app.created'] });
  expect(changed.body.data).toMatchObject({ url: healthy.url, description: 'moved', events: ['app.created'] });
  await account.dashboard.call(enableWebhook, { params });
  // The first delivery's attempts went on to the stopped endpoint: it is skipped, or it waits for its next attempt.
  const resent = await account.dashboard.call(resendSkipped, {
    params,
    body: { since, statuses: ['SKIPPED', 'FAILED'] },
  });
  expect(resent.body.data.resent).toBeGreaterThanOrEqual(1);
  await sentFor('Skipped', 'app.created');
  expect(app.id).not.toBe('');
});

test('after a rotation both secrets sign, the new one first', async () => {
  const account = await newAccount();
  const made = await endpointOf(account);
  const params = { id: made.id };
  const { data } = (await account.dashboard.call(rotateSecret, { params })).body;
  expect(data.secret).toMatch(/^whsec_/);
  expect(data.secret).not.toBe(made.secret);
  const hours = (Date.parse(data.previousExpiresAt) - Date.now()) / 3_600_000;
  expect(Math.round(hours)).toBe(24);
  await account.dashboard.call(pingWebhook, { params });
  const { headers } = await sentFor(made.id, 'ping');
  expect(headers['x-service-signature']).toMatch(/^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
});

describe('another account’s endpoint is 404', () => {
  test.each([
    ['to change', updateWebhook, { active: false }],
    ['to enable', enableWebhook, undefined],
    ['to ping', pingWebhook, undefined],
    ['to rotate', rotateSecret, undefined],
    ['to look at', listDeliveries, undefined],
    ['to resend', resendSkipped, { since: '2026-01-01T00:00:00.000Z' }],
  ])('%s', async (_what, route, body) => {
    const [owner, stranger] = [await newAccount(), await newAccount()];
    const { id } = await endpointOf(owner);
    const answer = await stranger.dashboard.call(route, { params: { id }, ...(body ? { body } : {}) } as never);
    expect([answer.status, codeOf(answer)]).toEqual([404, 'not_found']);
  });

  test('and its delivery', async () => {
    const [owner, stranger] = [await newAccount(), await newAccount()];
    const { id } = await endpointOf(owner);
    await owner.call(createApp, { body: { name: 'Private' } });
    const delivery = await waitFor(
      async () => (await owner.dashboard.call(listDeliveries, { params: { id } })).body.data[0],
    );
    const answer = await stranger.dashboard.call(resendDelivery, { params: { id: delivery.id } });
    expect([answer.status, codeOf(answer)]).toEqual([404, 'not_found']);
  });
});

test.each([[{}], [{ since: 'yesterday' }], [{ since: 5 }]])(
  'resending since %j is 400 naming the field',
  async (body) => {
    const account = await newAccount();
    const { id } = await endpointOf(account);
    const answer = await account.dashboard.call(resendSkipped, { params: { id }, body: body as never });
    expect([answer.status, answer.error?.message.split(':')[0]]).toEqual([400, 'since']);
  },
);
