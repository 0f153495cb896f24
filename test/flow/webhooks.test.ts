import * as standard from 'standardwebhooks';
import Stripe from 'stripe';
import { Webhook as SvixWebhook } from 'svix';
import { expect, test } from 'vitest';
import { createApp } from '../../contract/apps/apps.ts';
import { createDeployment, getDeployment } from '../../contract/deployments/deployments.ts';
import { createWebhook } from '../../contract/webhooks/endpoints.ts';
import { newAccount, waitFor } from '../support/harness.ts';
import { type Received, receiver } from '../support/receivers.ts';

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
