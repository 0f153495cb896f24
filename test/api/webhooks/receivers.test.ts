import { expect, test } from 'vitest';
import { createApp } from '../../../contract/apps/apps.ts';
import { LIMITS } from '../../../contract/limits/limits.ts';
import { createWebhook, deleteWebhook } from '../../../contract/webhooks/endpoints.ts';
import { listDeliveries } from '../../../contract/webhooks/management.ts';
import { newAccount, type OpenedAccount, waitFor } from '../../support/harness.ts';
import { FAILING_RECEIVERS, receiver } from '../../support/receivers.ts';

const MAX_ENDPOINTS = LIMITS.webhookEndpoints.amounts;

type Kind = keyof typeof FAILING_RECEIVERS;
const kinds = Object.keys(FAILING_RECEIVERS) as Kind[];

/** Endpoints per account; the last one is reserved for a healthy endpoint. */
const shares = Array.from({ length: Math.ceil(kinds.length / (MAX_ENDPOINTS - 1)) }, (_, share) =>
  kinds.slice(share * (MAX_ENDPOINTS - 1), (share + 1) * (MAX_ENDPOINTS - 1)),
);

async function register(account: OpenedAccount, url: string): Promise<string> {
  return (await account.call(createWebhook, { body: { url, events: ['app.created'] } })).body.data.id;
}

test('records each failing receiver as such, and a healthy endpoint beside them gets its event', async () => {
  const good = await receiver();
  const recorded = async (account: OpenedAccount, id: string) =>
    await waitFor(async () => {
      const [delivery] = (await account.dashboard.call(listDeliveries, { params: { id } })).body.data;
      return delivery?.attempts[0];
    });
  await Promise.all(
    shares.map(async (share) => {
      const account = await newAccount();
      const healthy = await register(account, good.url);
      const nasty = await Promise.all(
        share.map(async (kind) => {
          const one = await FAILING_RECEIVERS[kind].make();
          return { kind, one, id: await register(account, one.url) };
        }),
      );
      await account.call(createApp, { body: { name: 'Announced' } });
      expect(await recorded(account, healthy)).toMatchObject({ outcome: 'DELIVERED', responseStatus: 200 });
      for (const { kind, id, one } of nasty) {
        const { outcome, status } = FAILING_RECEIVERS[kind];
        const { responseBody, ...attempt } = await recorded(account, id);
        expect(attempt, kind).toMatchObject({ outcome, responseStatus: status });
        expect(Buffer.byteLength(responseBody), kind).toBeLessThanOrEqual(8192);
        await account.call(deleteWebhook, { params: { id } });
        await one.stop();
      }
    }),
  );
  expect(good.received).toHaveLength(shares.length);
  await good.stop();
});
