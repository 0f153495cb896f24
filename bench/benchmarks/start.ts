import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChildren } from '../../local/processes/children.ts';
import { freePort } from '../../local/processes/ports.ts';
import { startDynamoDbLocal } from '../../test/support/dynamodb-local.ts';
import { durationOf, median, type Row } from '../measure.ts';
import { startMeasuredRun } from '../processes/run.ts';

const TIMES = 3;

/** Compares the duration of the first and the second `npm start` with the start of DynamoDB Local alone. */
export async function rows(): Promise<Row[]> {
  const durations = { engine: [] as number[], first: [] as number[], again: [] as number[] };
  for (let turn = 0; turn < TIMES; turn += 1) {
    const folder = mkdtempSync(join(tmpdir(), 'start-'));
    try {
      const children = startChildren(join(folder, 'engine'));
      const port = await freePort();
      durations.engine.push(await durationOf(() => startDynamoDbLocal(children, port, join(folder, 'engine'))));
      await children.stop();
      for (const kind of ['first', 'again'] as const) {
        const started = performance.now();
        const run = await startMeasuredRun({ DATA_DIR: join(folder, 'run') });
        durations[kind].push(performance.now() - started);
        await run.stop();
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  const baseline = median(durations.engine);
  return [
    {
      name: 'first npm start, with seeding, against DynamoDB Local',
      ours: median(durations.first),
      baseline: baseline,
      unit: 'ms',
      maxRatio: 2.2,
    },
    {
      name: 'later npm start, against DynamoDB Local',
      ours: median(durations.again),
      baseline: baseline,
      unit: 'ms',
      maxRatio: 1.4,
    },
  ];
}
