import { expect, test } from 'vitest';
import { webhookSimulation } from '../../test/simulation/webhooks.ts';
import { listDeliveries, resendDelivery } from './manage.ts';

test('an attempt that a resend overtook does not take the place of the resend’s', async () => {
  const run = webhookSimulation();
  await run.openAccount();
  const again = async () => {
    const [delivery] = run.deliveries();
    await resendDelivery(run.steady, run.caller, { id: delivery?.id ?? '' });
    await run.consumeStream();
    await run.deliverBatch();
  };
  const { id } = await run.endpoint('slow', async (nth) => {
    if (nth === 2) await again();
    return nth === 3 ? 'DELIVERED' : 'BAD_STATUS';
  });
  await run.event();
  await run.runUntilIdle();
  expect(run.arrivals).toHaveLength(3);
  const page = { id, limit: 10, offset: 0 } as Parameters<typeof listDeliveries>[2];
  const { data } = await listDeliveries(run.steady, run.caller, page);
  expect(data).toMatchObject([
    { status: 'DELIVERED', attempts: [{ outcome: 'BAD_STATUS' }, { outcome: 'DELIVERED' }] },
  ]);
});
