import { expect, test } from 'vitest';
import { batchReads } from '../table/batch-reads.ts';
import { createTable, type Send } from '../table/table.ts';
import { webhookSimulation } from '../test/simulation/webhooks.ts';
import { consume } from './consume.ts';
import { webhookRules } from './webhooks.ts';

test('events of one account share the reads of its endpoints and its feed', async () => {
  const run = webhookSimulation();
  await run.openAccount();
  await run.endpoint('one');
  for (let index = 0; index < 100; index += 1) await run.event(`app_${index}`);
  const calls: string[] = [];
  const counted: Send = async <Output>(operation: string, input: object): Promise<Output> => {
    calls.push(operation);
    return await run.memory.send<Output>(operation, input);
  };
  const deps = { ...run.steady, table: createTable(batchReads(counted), 'memory') };
  const Records = run.memory.records.filter((record) => JSON.stringify(record).includes('"sk":{"S":"EVENT"}'));
  await consume(webhookRules(deps))({ Records: Records as never });
  expect([Records.length, run.messages().length]).toEqual([100, 100]);
  // 300 reads one by one.
  expect(calls.length).toBeLessThan(50);
});
