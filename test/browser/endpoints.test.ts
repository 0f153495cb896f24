import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createApp } from '../../contract/apps/apps.ts';
import { listPlans } from '../../contract/billing/plans.ts';
import { createWebhook } from '../../contract/webhooks/endpoints.ts';
import { getDeliveryStats, listDeliveries, pingWebhook } from '../../contract/webhooks/management.ts';
import { disableEndpoint } from '../support/disable-endpoint.ts';
import { clientOf, local, newAccount, waitFor } from '../support/harness.ts';
import { type Receiver, receiver } from '../support/receivers.ts';
import { openScreen, POLL, signedInContext } from './browser.ts';

const ANSWER = '\u001b[31mred\u001b[0m <script>alert(1)</script>';
let hooks: Receiver;
beforeAll(async () => {
  hooks = await receiver((_, response) => response.end(ANSWER));
});
afterAll(() => hooks.stop());

test('a disabled endpoint is enabled, and the events missed since a given time are resent', async () => {
  const account = await newAccount();
  const { id } = (await account.call(createWebhook, { body: { url: hooks.url, events: ['app.created'] } })).body.data;
  const page = await openScreen(await signedInContext(account), `developers/webhooks/${id}`);
  await page.getByText('Active', { exact: true }).waitFor();
  await disableEndpoint(account.id, id);
  const app = (await account.call(createApp, { body: { name: 'Missed by it' } })).body.data;
  // The screen follows what happens to the endpoint.
  await page.getByText('Disabled', { exact: true }).waitFor();
  await page.getByText('50 consecutive failures.').waitFor();
  await page.getByText('This endpoint was disabled after too many failed attempts.', { exact: false }).waitFor();
  const row = page.locator('.row', { hasText: 'app.created' });
  await row.getByText('Skipped').waitFor();
  expect(await row.getByRole('button', { name: 'Replay' }).isDisabled()).toBe(true);
  expect(await page.getByRole('button', { name: 'Send test event' }).count()).toBe(0);

  await page.getByRole('button', { name: 'Enable' }).click();
  await page.getByText('Endpoint enabled.').waitFor();
  await page.getByText('Active', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Replay failed and skipped' }).click();
  const dialog = page.getByRole('dialog');
  const early = await dialog.getByLabel('Since').inputValue();
  await dialog.getByLabel('Since').fill('2099-01-01T00:00');
  await dialog.getByRole('button', { name: 'Replay' }).click();
  await page.getByText('0 deliveries queued.').waitFor();
  expect(hooks.received.some(({ body }) => body.includes(app.id))).toBe(false);
  await page.getByRole('button', { name: 'Replay failed and skipped' }).click();
  await dialog.getByLabel('Since').fill(early);
  await dialog.getByRole('button', { name: 'Replay' }).click();
  await page.getByText('1 delivery queued.').waitFor();
  await row.getByText('Delivered').waitFor();
  expect(hooks.received.filter(({ body }) => body.includes(app.id))).toHaveLength(1);
  await row.getByRole('button', { name: /attempt/ }).click();
  expect(await row.locator('pre').nth(1).textContent()).toContain(`"applicationId": "${app.id}"`);
  expect(await row.locator('pre').last().textContent()).toContain('<script>alert(1)</script>');

  // A delivery whose endpoint was disabled between two attempts has failed.
  await page.route('**/dashboard/v1/**/deliveries*', async (route) => {
    const response = await route.fetch();
    const text = (await response.text()).replaceAll('"DELIVERED"', '"SKIPPED"');
    await route.fulfill({ response, body: text });
  });
  await page.reload();
  await row.getByText('Failed, endpoint disabled').waitFor();
});

test('an endpoint’s health is charted, and deliveries are filtered, copied as curl and replayed together', async () => {
  const account = await newAccount();
  // Its own, for its requests are counted.
  const counted = await receiver();
  onTestFinished(counted.stop);
  const { id } = (await account.call(createWebhook, { body: { url: counted.url } })).body.data;
  for (const _ of [1, 2]) await account.dashboard.call(pingWebhook, { params: { id } });
  const { data: app } = (await account.call(createApp, { body: { name: 'Charted' } })).body;
  const list = (query: object) => account.call(listDeliveries, { params: { id }, query });
  await waitFor(async () => (await list({ status: 'DELIVERED' })).body.data.length === 3);
  expect((await list({ type: 'ping' })).body.data.map(({ type }) => type)).toEqual(['ping', 'ping']);
  expect((await list({ to: '2020-01-01T00:00:00Z' })).body.data).toEqual([]);
  expect((await list({ from: 'yesterday' })).error?.message).toMatch(/^from: /);
  expect((await list({ status: 'LOST' })).error?.message).toMatch(/^status: /);
  const stats = (query: object) => account.dashboard.call(getDeliveryStats, { params: { id }, query });
  const totals = { delivered: 3, failed: 0, skipped: 0, pending: 0, attempts: 3 };
  expect((await stats({})).body.data).toMatchObject({ totals, nextAttemptAt: null, complete: true });
  expect((await stats({ range: 'year' })).error?.message).toMatch(/^range: /);

  const context = await signedInContext(account);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const requests = new Set<string>();
  context.on('request', (request) => {
    if (request.url().includes('/dashboard/v1/webhooks')) requests.add(new URL(request.url()).pathname);
  });
  const page = await openScreen(context, `developers/webhooks/${id}`);
  expect(requests.size).toBeLessThanOrEqual(3);
  await page.getByText('100%', { exact: true }).waitFor();
  await page.getByRole('slider', { name: 'Deliveries by status' }).waitFor();
  await page.getByLabel('Filter by event').selectOption('app.created');
  const rows = page.locator('.card > .row');
  await rows.filter({ hasText: 'ping' }).first().waitFor({ state: 'detached' });
  await rows.getByRole('button', { name: /attempt/ }).click();
  await page.getByRole('button', { name: 'Copy as curl' }).click();
  expect(await page.evaluate('navigator.clipboard.readText()')).toContain(app.id);
  await page.reload();
  expect(await page.getByLabel('Filter by event').inputValue()).toBe('app.created');
  await expect.poll(() => rows.count(), POLL).toBe(1);
  await page.goto(`developers/webhooks/${id}?hours=1&status=DELIVERED&q=ping`);
  expect(await page.getByLabel('Filter by time').inputValue()).toBe('1');
  expect(await page.getByLabel('Filter by status').inputValue()).toBe('DELIVERED');
  await expect.poll(() => rows.count(), POLL).toBe(2);
  await page.goto(`developers/webhooks/${id}`);
  await rows.nth(2).waitFor();
  const before = counted.received.length;
  for (const index of [0, 1]) await rows.nth(index).getByRole('checkbox').check();
  await page.getByText('2 selected').waitFor();
  await page.getByRole('button', { name: 'Replay selected' }).click();
  await page.getByText('2 deliveries queued.').waitFor();
  await waitFor(async () => counted.received.length === before + 2);
  await page.getByRole('button', { name: 'Replay since' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Replay' }).click();
  await page.getByText('3 deliveries queued.').waitFor();
  await waitFor(async () => counted.received.length === before + 5);
});

test('a test event appears within seconds, also if its delivery is created after the list was read', async () => {
  const account = await newAccount();
  const { id } = (await account.call(createWebhook, { body: { url: hooks.url } })).body.data;
  const page = await openScreen(await signedInContext(account), `developers/webhooks/${id}`);
  await page.getByText('No deliveries yet').waitFor();
  const json = { data: [], has_more: false };
  await page.route('**/deliveries?*', (route) => route.fulfill({ json }), { times: 2 });
  const askedAt: number[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/deliveries?')) askedAt.push(Date.now());
  });
  await page.getByRole('button', { name: 'Send test event' }).click();
  await page.locator('.row', { hasText: 'ping' }).waitFor();
  // An idle list is asked for every ten seconds.
  const pauses = askedAt.slice(1).map((at, index) => at - (askedAt[index] ?? 0));
  expect(Math.min(...pauses)).toBeLessThan(8000);
});

test('after a rotation deliveries are signed with both secrets, and the page shows until when', async () => {
  const account = await newAccount();
  const { id } = (await account.call(createWebhook, { body: { url: hooks.url } })).body.data;
  const page = await openScreen(await signedInContext(account), `developers/webhooks/${id}`);
  await page.getByRole('button', { name: 'Rotate secret' }).click();
  await page.getByText('signed with both secrets for 24 hours', { exact: false }).waitFor();
  await page.getByRole('button', { name: 'Create new secret' }).click();
  await page.getByText(/expires (in 24 hours|tomorrow)/).waitFor();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Send test event' }).click();
  await page.locator('.row', { hasText: 'ping' }).getByText('Delivered').waitFor();
  const ping = await waitFor(async () => hooks.received.find(({ body }) => body.includes(id)));
  expect(ping.headers['x-service-signature']).toMatch(/^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
});

test('a public key works from its allowed origins only', async () => {
  const page = await openScreen(await signedInContext(await newAccount()), 'developers');
  await page.getByRole('button', { name: 'Create key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('For the shop');
  await dialog.getByLabel('Origins for the public key').fill('shop.example.com');
  await dialog.getByRole('button', { name: 'Create key' }).click();
  await dialog.locator('[aria-invalid=true]').waitFor();
  await dialog.getByLabel('Origins for the public key').fill('https://shop.example.com\nhttps://www.example.com');
  await dialog.getByRole('button', { name: 'Create key' }).click();
  const publicKey = (await dialog.getByText(/^pk_live_/).textContent()) ?? '';
  await dialog.getByRole('button', { name: 'Done' }).click();
  await page.getByText('public key only from https://shop.example.com, https://www.example.com').waitFor();
  const from = async (origin: string) =>
    (await fetch(`${local.baseUrl}/v1/plans`, { headers: { 'x-public-key': publicKey, origin } })).status;
  expect([await from('https://www.example.com'), await from('https://evil.example.com')]).toEqual([200, 403]);
  expect((await clientOf({ publicKey }).call(listPlans)).status).toBe(200);
});
