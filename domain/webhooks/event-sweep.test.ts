import { expect, test } from 'vitest';
import { batchReads } from '../../table/batch-reads.ts';
import { createTable, type Send } from '../../table/table.ts';
import { webhookSimulation } from '../../test/simulation/webhooks.ts';
import { createBudget } from '../sweep/budget.ts';
import { eventJob } from './event-sweep.ts';

const EVENTS = 400;

test('the safety net finds lost events with few round trips, because what many of them read and write travels together', async () => {
  const run = webhookSimulation({ streamTrimmed: true });
  await run.openAccount();
  await run.endpoint('one');
  for (let index = 0; index < EVENTS; index += 1) await run.event(`app_${index}`);
  run.clock.now += 60_000;
  const calls: string[] = [];
  const counted: Send = async <Output>(operation: string, input: object): Promise<Output> => {
    calls.push(operation);
    return await run.memory.send<Output>(operation, input);
  };
  const deps = { ...run.steady, table: createTable(batchReads(counted), 'memory') };
  const { done, failed } = await eventJob(deps)({ budget: createBudget(deps, 60_000), resume: undefined });
  expect([done, failed, run.messages().length]).toEqual([EVENTS, [], EVENTS]);
  const countOf = (...operations: string[]) => calls.filter((each) => operations.includes(each)).length;
  // Of each event the delivery and the end of its mark, fifty events in a transaction.
  expect([countOf('PutItem', 'UpdateItem'), countOf('TransactWriteItems')]).toEqual([0, EVENTS / 50]);
  expect(countOf('GetItem', 'BatchGetItem', 'Query')).toBeLessThan(EVENTS / 10);
});

test('an event that another writer changes meanwhile costs no other its place, and is completed alone', async () => {
  const run = webhookSimulation({ streamTrimmed: true });
  await run.openAccount();
  await run.endpoint('one');
  await run.endpoint('two');
  for (let index = 0; index < 10; index += 1) await run.event(`app_${index}`);
  run.clock.now += 60_000;
  let races = 1;
  const racing: Send = async <Output>(operation: string, input: object): Promise<Output> => {
    if (operation === 'TransactWriteItems' && races-- > 0) {
      // The first attempt of one of the deliveries is recorded before the sweep stores it.
      const { TransactItems } = input as { TransactItems: { Put?: object }[] };
      await run.memory.send('PutItem', TransactItems.find(({ Put }) => Put)?.Put ?? {});
    }
    return await run.memory.send<Output>(operation, input);
  };
  const deps = { ...run.steady, table: createTable(batchReads(racing), 'memory') };
  const { done, failed } = await eventJob(deps)({ budget: createBudget(deps, 60_000), resume: undefined });
  expect([done, failed]).toEqual([10, []]);
  expect(run.memory.items('DELIVERY')).toHaveLength(20);
  expect(run.memory.items('EVENT').filter(({ duePk }) => duePk !== undefined)).toEqual([]);
});
