import { expect, test } from 'vitest';
import { Delivery } from '../../table/entities/webhooks.ts';
import { createTable, type Send } from '../../table/table.ts';
import { change, toStoredItem } from '../../table/writes.ts';
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

/**
 * Stores deliveries and resends all that were delivered, call by call.
 * @param minutes the creation time of each delivery
 * @returns the number of deliveries that each call resent, and the number of times that each delivery was resent
 */
async function resendAll(minutes: number[], isDelivered: (index: number) => boolean) {
  const run = webhookSimulation();
  await run.openAccount();
  const { id: webhookId } = await run.endpoint('receiver');
  const { accountId } = run.caller;
  const items = minutes.map((minute, index) => {
    const createdAt = new Date(START + minute * 60_000).toISOString();
    const status = isDelivered(index) ? ('DELIVERED' as const) : ('FAILED' as const);
    const of = { id: `dlv_${10_000 + index}`, accountId, webhookId, eventId: `evt_${index}`, type: 'ping', body: '{}' };
    return toStoredItem(Delivery, { ...of, status, createdAt, nextAttemptAt: null, attempts: [], step: 0, tries: 0 });
  });
  for (let at = 0; at < items.length; at += 25) await run.steady.table.putAll(items.slice(at, at + 25));
  const calls: number[] = [];
  for (let since: string | null = new Date(START).toISOString(); since !== null; ) {
    const { data } = await resendSkipped(run.steady, run.caller, { id: webhookId, since, statuses: ['DELIVERED'] });
    calls.push(data.resent);
    // The receiver answers before the next call.
    const delivered = { set: { status: 'DELIVERED', nextAttemptAt: null } };
    for (const { id, status } of run.deliveries())
      if (status === 'PENDING') await run.steady.table.write(Delivery, change(Delivery, { accountId, id }, delivered));
    since = data.next;
  }
  return { calls, times: run.deliveries().map(({ step }) => step) };
}

test('calls that continue one another resend each delivery once, also those of one moment', async () => {
  const minutes = Array.from({ length: 510 }, (_, index) => (index >= 495 && index < 505 ? 495 : index));
  const { calls, times } = await resendAll(minutes, () => true);
  expect(calls).toEqual([495, 15]);
  expect(times).toEqual(minutes.map(() => 1));
});

test('a call that has read its most resends no delivery that the next one reads', async () => {
  const minutes = Array.from({ length: 10_001 }, (_, index) => index);
  const { calls, times } = await resendAll(minutes, (index) => index === 0 || index >= 9999);
  expect(calls).toEqual([2, 1]);
  expect(times).toEqual(minutes.map((index) => (index === 0 || index >= 9999 ? 1 : 0)));
});

test('a call resends deliveries that are all of one moment', async () => {
  expect((await resendAll([0, 0, 0], () => true)).calls).toEqual([3]);
});
