import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as standard from 'standardwebhooks';
import Stripe from 'stripe';
import { Webhook as SvixWebhook } from 'svix';
import { expect, onTestFinished, test } from 'vitest';
import { createApp, deleteApp } from '../../contract/apps/apps.ts';
import { createClient } from '../../contract/client.ts';
import { createDeployment, getDeployment } from '../../contract/deployments/deployments.ts';
import { createWebhook } from '../../contract/webhooks/endpoints.ts';
import { newAccount, waitFor } from '../support/harness.ts';
import { startRun } from '../support/platform.ts';
import { FAILING_RECEIVERS, type Received, receiver } from '../support/receivers.ts';

const typeOf = ({ headers }: Received) => headers['x-service-event'];

test('a deployment sends its events, and the libraries of Stripe, Svix and Standard Webhooks accept the signatures', async () => {
  const account = await newAccount();
  const one = await receiver();
  const { secret } = (await account.call(createWebhook, { body: { url: one.url } })).body.data;
  const repoUrl = 'https://git.localhost/hello-express.git';
  const body = { name: 'Signed', framework: 'EXPRESS' as const, repoUrl, deployNow: false };
  const app = (await account.call(createApp, { body })).body.data;
  const queued = await account.call(createDeployment, { params: { id: app.id } });
  const { id } = queued.body.data;
  const deployment = await waitFor(async () => {
    const { data } = (await account.call(getDeployment, { params: { id } })).body;
    return data.finishedAt !== null && data;
  });
  const succeeded = await waitFor(async () => one.received.find((each) => typeOf(each) === 'deployment.succeeded'));
  await waitFor(async () => one.received.length >= 3);
  expect(one.received.map(typeOf).sort()).toEqual(['app.created', 'deployment.started', 'deployment.succeeded']);
  const stripe = new Stripe('sk_test_unused');
  const signature = succeeded.headers['x-service-signature'] ?? '';
  const event = stripe.webhooks.constructEvent(succeeded.body, signature, secret);
  expect(event).toMatchObject({
    type: 'deployment.succeeded',
    data: { applicationId: app.id, deploymentId: deployment.id, commitSha: deployment.commitSha },
  });
  expect(() => stripe.webhooks.constructEvent(`${succeeded.body} `, signature, secret)).toThrow(/signature/i);
  expect(() => stripe.webhooks.constructEvent(succeeded.body, signature, 'whsec_other')).toThrow(/signature/i);
  for (const library of [new SvixWebhook(secret), new standard.Webhook(secret)]) {
    expect(library.verify(succeeded.body, succeeded.headers)).toEqual(event);
    expect(() => library.verify(`${succeeded.body} `, succeeded.headers)).toThrow(/signature/i);
  }
  expect(succeeded.headers['webhook-id']).toBe(event.id);
  await one.stop();
});

test('makes six attempts on schedule; failing endpoints affect no others; a killed run loses no event', async () => {
  const DATA_DIR = mkdtempSync(join(tmpdir(), 'webhooks-'));
  onTestFinished(() => rmSync(DATA_DIR, { recursive: true, force: true }));
  const settings = { DATA_DIR, WEBHOOK_RETRY_SCHEDULE: '1,1,2,2,3', RATE_LIMIT_SECRET: '100000' };
  let run = await startRun(settings);
  onTestFinished(() => run.stop());
  const connect = (who: 'demo' | 'other') =>
    createClient({ baseUrl: run.local.baseUrl, secretKey: run.local.accounts[who].secretKey });
  const register = async (who: 'demo' | 'other', url: string, events: string[]) =>
    (await connect(who).call(createWebhook, { body: { url, events } })).body.data;
  const create = (who: 'demo' | 'other', name: string) =>
    connect(who).call(createApp, { body: { name, framework: 'NODE' } });

  // A failing endpoint among as many misbehaving ones as the account allows.
  const down = await receiver((_, response) => response.writeHead(500).end());
  const good = await receiver();
  const nasty = await Promise.all(
    Object.values(FAILING_RECEIVERS)
      .slice(0, 17)
      .map(({ make }) => make()),
  );
  for (const { url } of [down, good, ...nasty]) await register('other', url, ['*']);
  expect((await create('other', 'Fails')).status).toBe(201);
  await waitFor(async () => good.received[0], 20);
  await waitFor(async () => down.received[5], 50);
  await new Promise((done) => setTimeout(done, 4000));
  expect([down.received.length, good.received.length]).toEqual([6, 1]);
  const times = down.received.map(({ at }) => at);
  const gaps = times.slice(1).map((at, index) => (at - (times[index] ?? 0)) / 1000);
  console.log(`gaps of the six attempts: ${gaps.map((gap) => gap.toFixed(2)).join(', ')} s`);
  for (const [index, asked] of [1, 1, 2, 2, 3].entries()) {
    expect(gaps[index]).toBeGreaterThanOrEqual(asked - 0.05);
    expect(gaps[index]).toBeLessThan(asked + 15);
  }
  expect(new Set(down.received.map(({ headers }) => headers['x-service-delivery'])).size).toBe(6);
  expect(new Set(down.received.map(({ body }) => body)).size).toBe(1);
  await Promise.all([down, good, ...nasty].map((each) => each.stop()));

  // Sixty events, and the whole run is killed halfway.
  const witness = await receiver((_, response) => setTimeout(() => response.end(), 100));
  await register('demo', witness.url, ['app.deleted', 'app.created']);
  const acknowledged: string[] = [];
  const emitOne = async (index: number) => {
    const made = await create('demo', `Event ${index}`).catch(() => undefined);
    if (made?.status !== 201) return;
    const { id } = made.body.data;
    acknowledged.push(`app.created ${id}`);
    const gone = await connect('demo')
      .call(deleteApp, { params: { id } })
      .catch(() => undefined);
    if (gone?.status === 200) acknowledged.push(`app.deleted ${id}`);
  };
  const first = Promise.all(Array.from({ length: 8 }, (_, index) => emitOne(index)));
  const rest = (async () => {
    await first;
    for (let index = 8; index < 20; index += 1) await emitOne(index);
  })();
  await waitFor(async () => acknowledged.length >= 30 || undefined, 5);
  await run.stop('SIGKILL');
  await rest;
  const before = witness.received.length;
  run = await startRun(settings);
  const restarted = Date.now();
  for (let index = 20; acknowledged.length < 60; index += 1) await emitOne(index);
  const arrived = () =>
    new Set(witness.received.map((each) => `${typeOf(each)} ${JSON.parse(each.body).data.applicationId}`));
  const missing = () => acknowledged.filter((each) => !arrived().has(each));
  await waitFor(async () => missing().length === 0 || undefined, 200);
  console.log(
    `killed after ${before} of ${acknowledged.length} arrivals; all there ${((Date.now() - restarted) / 1000).toFixed(1)} s after the restart`,
  );
  expect(missing()).toEqual([]);
  await witness.stop();
}, 240_000);
