import { expect, test } from 'vitest';
import { batchReads } from '../../table/batch-reads.ts';
import { createTable, type Send } from '../../table/table.ts';
import { webhookSimulation } from '../../test/simulation/webhooks.ts';
import { createBudget } from '../sweep/budget.ts';
import { eventJob } from './event-sweep.ts';

const EVENTS = 400;

test('the safety net finds lost events with one round trip for each write and few for all reads, as batches', async () => {
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
  // The delivery, and the end of the event's mark.
  expect(countOf('PutItem', 'UpdateItem')).toBe(2 * EVENTS);
  // 2,000 a second are 4,000 writes: the reads must hardly count beside them.
  expect(countOf('GetItem', 'BatchGetItem', 'Query')).toBeLessThan(EVENTS / 10);
});
