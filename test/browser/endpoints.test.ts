import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApp } from '../../contract/apps/apps.ts';
import { listPlans } from '../../contract/billing/plans.ts';
import { createWebhook } from '../../contract/webhooks/endpoints.ts';
import { disableEndpoint } from '../support/disable-endpoint.ts';
import { clientOf, local, newAccount, until } from '../support/harness.ts';
import { type Receiver, receiver } from '../support/receivers.ts';
import { open, signedIn } from './browser.ts';

const ANSWER = '\u001b[31mred\u001b[0m <script>alert(1)</script>';
let hooks: Receiver;
beforeAll(async () => {
  hooks = await receiver((_, response) => response.end(ANSWER));
});
afterAll(() => hooks.stop());

test('a disabled endpoint is enabled again, and what it missed since a time is sent again', async () => {
  const account = await newAccount();
  const { id } = (await account.call(createWebhook, { body: { url: hooks.url, events: ['app.created'] } })).body.data;
  await disableEndpoint(account.id, id);
  const app = (await account.call(createApp, { body: { name: 'Missed by it' } })).body.data;
  const page = await open(await signedIn(account), `developers/webhooks/${id}`);
  await page.getByText('Disabled', { exact: true }).waitFor();
  await page.getByText('50 attempts failed in a row.').waitFor();
  const row = page.locator('.row', { hasText: 'app.created' });
  await row.getByText('Skipped').waitFor();
  expect(await row.getByRole('button', { name: 'Resend' }).isDisabled()).toBe(true);
  expect(await page.getByRole('button', { name: 'Send a ping' }).count()).toBe(0);

  await page.getByRole('button', { name: 'Enable' }).click();
  await page.getByText('The endpoint receives events again.').waitFor();
  await page.getByText('Active', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Send skipped ones again' }).click();
  const dialog = page.getByRole('dialog');
  const early = await dialog.getByLabel('Since').inputValue();
  await dialog.getByLabel('Since').fill('2099-01-01T00:00');
  await dialog.getByRole('button', { name: 'Send again' }).click();
  await page.getByText('0 deliveries are sent again.').waitFor();
  expect(hooks.received.some(({ body }) => body.includes(app.id))).toBe(false);
  await page.getByRole('button', { name: 'Send skipped ones again' }).click();
  await dialog.getByLabel('Since').fill(early);
  await dialog.getByRole('button', { name: 'Send again' }).click();
  await page.getByText('1 delivery is sent again.').waitFor();
  await row.getByText('Delivered').waitFor();
  expect(hooks.received.filter(({ body }) => body.includes(app.id))).toHaveLength(1);
  await row.getByRole('button', { name: /attempt/ }).click();
  expect(await row.locator('pre').textContent()).toContain('<script>alert(1)</script>');
});

test('after a new secret deliveries are signed with both, and the page says for how long', async () => {
  const account = await newAccount();
  const { id } = (await account.call(createWebhook, { body: { url: hooks.url } })).body.data;
  const page = await open(await signedIn(account), `developers/webhooks/${id}`);
  await page.getByRole('button', { name: 'New secret' }).click();
  await page.getByText('signed with both secrets for 24 hours', { exact: false }).waitFor();
  await page.getByRole('button', { name: 'Make a new secret' }).click();
  await page.getByText('out of use in 24 hours', { exact: false }).or(page.getByText('out of use tomorrow')).waitFor();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Send a ping' }).click();
  await page.locator('.row', { hasText: 'ping' }).getByText('Delivered').waitFor();
  const ping = await until(async () => hooks.received.find(({ body }) => body.includes(id)));
  expect(ping.headers['x-service-signature']).toMatch(/^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
});

test('a public key works from the origins that were named, and from no other', async () => {
  const page = await open(await signedIn(await newAccount()), 'developers');
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
