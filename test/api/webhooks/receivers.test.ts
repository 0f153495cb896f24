import { expect, test } from 'vitest';
import { createApp } from '../../../contract/apps/apps.ts';
import { createWebhook, deleteWebhook, ENDPOINT_LIMIT } from '../../../contract/webhooks/endpoints.ts';
import { listDeliveries } from '../../../contract/webhooks/management.ts';
import { newAccount, type Opened, until } from '../../support/harness.ts';
import { NASTY, receiver } from '../../support/receivers.ts';

type Kind = keyof typeof NASTY;
const kinds = Object.keys(NASTY) as Kind[];

/** One account has room for so many: the last of each is left for a healthy one. */
const shares = Array.from({ length: Math.ceil(kinds.length / (ENDPOINT_LIMIT - 1)) }, (_, share) =>
  kinds.slice(share * (ENDPOINT_LIMIT - 1), (share + 1) * (ENDPOINT_LIMIT - 1)),
);

async function register(account: Opened, url: string): Promise<string> {
  return (await account.call(createWebhook, { body: { url, events: ['app.created'] } })).body.data.id;
}

test('each nasty receiver is recorded as what it is, and a healthy one beside them gets its event', async () => {
  const good = await receiver();
  const recorded = async (account: Opened, id: string) =>
    await until(async () => {
      const [delivery] = (await account.dashboard.call(listDeliveries, { params: { id } })).body.data;
      return delivery?.attempts[0];
    });
  await Promise.all(
    shares.map(async (share) => {
      const account = await newAccount();
      const healthy = await register(account, good.url);
      const nasty = await Promise.all(
        share.map(async (kind) => {
          const one = await NASTY[kind].make();
          return { kind, one, id: await register(account, one.url) };
        }),
      );
      await account.call(createApp, { body: { name: 'Told of' } });
      expect(await recorded(account, healthy)).toMatchObject({ outcome: 'DELIVERED', responseStatus: 200 });
      for (const { kind, id, one } of nasty) {
        const { outcome, status } = NASTY[kind];
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
}, 90_000);
