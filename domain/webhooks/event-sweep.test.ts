import { expect, test } from 'vitest';
import { batchReads } from '../../table/batch-reads.ts';
import { Webhook } from '../../table/entities/webhooks.ts';
import { createTable, type Send } from '../../table/table.ts';
import { change } from '../../table/writes.ts';
import { type WebhookSimulation, webhookSimulation } from '../../test/simulation/webhooks.ts';
import { createBudget } from '../sweep/budget.ts';
import { eventSweeps } from './event-sweep.ts';

const EVENTS = 400;
const MINUTE_MS = 60_000;

/** An account whose stream lost so many events to some endpoints, a minute ago. */
async function lose(events: number, ...endpoints: string[]) {
  const run = webhookSimulation({ streamTrimmed: true });
  await run.openAccount();
  const ids: string[] = [];
  for (const name of endpoints) ids.push((await run.endpoint(name)).id);
  for (let index = 0; index < events; index += 1) await run.event(`app_${index}`);
  run.clock.now += MINUTE_MS;
  return { run, ids };
}

/** The sweeps over a table whose calls are observed. */
function sweepsOf(run: WebhookSimulation, send: Send = run.memory.send) {
  const deps = { ...run.steady, table: createTable(batchReads(send), 'memory') };
  const { events, lostEvents } = eventSweeps(deps);
  const part = () => ({ budget: createBudget(deps, 60_000), resume: undefined });
  return { sweepLate: () => events(part()), sweepLost: () => lostEvents(part()) };
}
const unsettled = (run: WebhookSimulation) => run.memory.items('EVENT').filter(({ duePk }) => duePk !== undefined);

test('lost events are handed over again without a write, and their first deliveries settle them', async () => {
  const { run } = await lose(EVENTS, 'one');
  const calls: string[] = [];
  const { sweepLate, sweepLost } = sweepsOf(run, async <Output>(operation: string, input: object): Promise<Output> => {
    calls.push(operation);
    return await run.memory.send<Output>(operation, input);
  });
  const { done, failed } = await sweepLate();
  expect([done, failed, run.messages().length]).toEqual([EVENTS, [], EVENTS]);
  const countOf = (...operations: string[]) => calls.filter((each) => operations.includes(each)).length;
  // The one write is how far the sweep has come.
  expect([countOf('PutItem', 'UpdateItem'), countOf('TransactWriteItems')]).toEqual([1, 0]);
  expect(countOf('GetItem', 'BatchGetItem', 'Query')).toBeLessThan(EVENTS / 10);
  while (await run.deliverBatch());
  expect([run.arrivals.length, unsettled(run)]).toEqual([EVENTS, []]);
  run.clock.now += 60 * MINUTE_MS;
  expect([(await sweepLate()).done, (await sweepLost()).done, run.messages()]).toEqual([0, 0, []]);
});

test('a clock that is set back stops no sweep: what is late then is handed over', async () => {
  const { run } = await lose(1, 'one');
  const { sweepLate, sweepLost } = sweepsOf(run);
  expect((await sweepLate()).done).toBe(1);
  while (await run.deliverBatch());
  run.clock.now -= 60 * MINUTE_MS;
  await run.event('app_later');
  run.clock.now += MINUTE_MS;
  expect([(await sweepLate()).done, (await sweepLate()).done, (await sweepLost()).done]).toEqual([1, 0, 0]);
});

test('a late event is handed over once; one that is not settled long after is stored with its deliveries', async () => {
  const { run } = await lose(10, 'one');
  const { sweepLate, sweepLost } = sweepsOf(run);
  expect([(await sweepLate()).done, (await sweepLate()).done, (await sweepLost()).done]).toEqual([10, 0, 0]);
  // The messages are lost as well.
  run.messages().splice(0);
  run.clock.now += 16 * MINUTE_MS;
  expect([(await sweepLate()).done, (await sweepLost()).done]).toEqual([0, 10]);
  expect([run.messages().length, run.memory.items('DELIVERY').length, unsettled(run)]).toEqual([10, 10, []]);
});

test('events to a slow endpoint wait in its lane, and are not handed over again beside it', async () => {
  const { run, ids } = await lose(3, 'slow', 'quick');
  const slowUntil = new Date(run.clock.now + 60 * MINUTE_MS).toISOString();
  const endpoint = { accountId: run.caller.accountId, id: ids[0] ?? '' };
  await run.steady.table.write(Webhook, change(Webhook, endpoint, { set: { slowUntil } }));
  const { sweepLate, sweepLost } = sweepsOf(run);
  expect((await sweepLate()).results).toEqual([1, 1, 1]);
  expect(new Set(run.messages().map(({ message }) => message.webhookId))).toEqual(new Set([ids[1]]));
  while (await run.deliverBatch());
  expect(unsettled(run)).toHaveLength(3);
  run.clock.now += 16 * MINUTE_MS;
  expect([(await sweepLost()).results, run.memory.items('DELIVERY').length]).toEqual([[1, 1, 1], 6]);
});

test('an event that another writer changes meanwhile costs no other its place, and is completed alone', async () => {
  const { run } = await lose(10, 'one', 'two');
  run.clock.now += 16 * MINUTE_MS;
  let races = 1;
  const { sweepLost } = sweepsOf(run, async <Output>(operation: string, input: object): Promise<Output> => {
    if (operation === 'TransactWriteItems' && races-- > 0) {
      // The first attempt of one of the deliveries is recorded before the sweep stores it.
      const { TransactItems } = input as { TransactItems: { Put?: object }[] };
      await run.memory.send('PutItem', TransactItems.find(({ Put }) => Put)?.Put ?? {});
    }
    return await run.memory.send<Output>(operation, input);
  });
  const { done, failed } = await sweepLost();
  expect([done, failed]).toEqual([10, []]);
  expect(run.memory.items('DELIVERY')).toHaveLength(20);
  expect(unsettled(run)).toEqual([]);
});
