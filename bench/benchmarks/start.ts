import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChildren } from '../../local/processes/children.ts';
import { freePort } from '../../local/processes/ports.ts';
import { startDynamoDbLocal } from '../../test/support/dynamodb-local.ts';
import { median, type Row, timed } from '../measure.ts';
import { startMeasuredRun } from '../processes/run.ts';

const TIMES = 3;

/** Compares the duration of `npm start`, on the first and the second start, with DynamoDB Local's own start. */
export async function rows(): Promise<Row[]> {
  const taken = { engine: [] as number[], first: [] as number[], again: [] as number[] };
  for (let turn = 0; turn < TIMES; turn += 1) {
    const folder = mkdtempSync(join(tmpdir(), 'start-'));
    try {
      const children = startChildren(join(folder, 'engine'));
      const port = await freePort();
      taken.engine.push(await timed(() => startDynamoDbLocal(children, port, join(folder, 'engine'))));
      await children.stop();
      for (const kind of ['first', 'again'] as const) {
        const started = performance.now();
        const run = await startMeasuredRun({ DATA_DIR: join(folder, 'run') });
        taken[kind].push(performance.now() - started);
        await run.stop();
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  const against = median(taken.engine);
  return [
    {
      what: 'first npm start, with seeding, against DynamoDB Local',
      ours: median(taken.first),
      against,
      unit: 'ms',
      atMost: 2.2,
    },
    { what: 'later npm start, against DynamoDB Local', ours: median(taken.again), against, unit: 'ms', atMost: 1.4 },
  ];
}
