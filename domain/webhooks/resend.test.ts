import { expect, test } from 'vitest';
import { createTable, type Send } from '../../table/table.ts';
import { START } from '../../test/simulation/simulation.ts';
import { webhookSimulation } from '../../test/simulation/webhooks.ts';
import { listDeliveries, resendDelivery, resendSkipped } from './management.ts';

const DAY_S = 86_400;

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

test('a delivery is kept for 30 days after it was resent', async () => {
  const run = webhookSimulation();
  await run.openAccount();
  await run.endpoint('receiver');
  await run.event();
  await run.runUntilIdle();
  const expires = () => run.memory.items('DELIVERY').map(({ expiresAtEpoch }) => expiresAtEpoch);
  expect(expires()).toEqual([START / 1000 + 30 * DAY_S]);
  run.clock.now = START + 29 * DAY_S * 1000;
  const [{ id } = { id: '' }] = run.deliveries();
  await resendDelivery(run.steady, run.caller, { id });
  expect(expires()).toEqual([START / 1000 + 59 * DAY_S]);
  await run.runUntilIdle();
  expect(expires()).toEqual([START / 1000 + 59 * DAY_S]);
});

test('of two calls at once, each says how many deliveries it has resent', async () => {
  const run = webhookSimulation();
  await run.openAccount();
  const { id } = await run.endpoint('receiver');
  for (let count = 0; count < 30; count += 1) await run.event(`app_${count}`);
  await run.runUntilIdle();
  const since = new Date(START).toISOString();
  const resend = () => resendSkipped(run.steady, run.caller, { id, since, statuses: ['DELIVERED'] });
  const [one, two] = await Promise.all([resend(), resend()]);
  expect(one.data.resent + two.data.resent).toBe(30);
});

/** Loses the answer of each write, so that the client sends it again. A transaction is made once all the same, by its token. */
function losingAnswers(send: Send): Send {
  const made = new Set<unknown>();
  return async <Output>(operation: string, input: object): Promise<Output> => {
    const token = 'ClientRequestToken' in input ? input.ClientRequestToken : undefined;
    if (token !== undefined && made.has(token)) return {} as Output;
    const answer = await send<Output>(operation, input);
    made.add(token);
    return /^(Update|Transact)/.test(operation) && token === undefined ? await send<Output>(operation, input) : answer;
  };
}

test('deliveries whose write is repeated, because its answer was lost, count as resent', async () => {
  const run = webhookSimulation();
  await run.openAccount();
  const { id } = await run.endpoint('receiver');
  for (let count = 0; count < 3; count += 1) await run.event(`app_${count}`);
  await run.runUntilIdle();
  const deps = { ...run.steady, table: createTable(losingAnswers(run.memory.send), 'table') };
  const since = new Date(START).toISOString();
  const { data } = await resendSkipped(deps, run.caller, { id, since, statuses: ['DELIVERED'] });
  expect(data.resent).toBe(3);
  expect(run.deliveries().map(({ status }) => status)).toEqual(['PENDING', 'PENDING', 'PENDING']);
});
