import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createApp, getApp } from '../../contract/apps/apps.ts';
import { createClient } from '../../contract/client.ts';
import { createWebhook, deleteWebhook } from '../../contract/webhooks/endpoints.ts';
import type { Local } from '../../test/support/platform.ts';
import { tourSteps } from '../../test/support/tour-blocks.ts';
import { startTourShell } from '../../test/support/tour-shell.ts';
import { durationOf, median, type Row } from '../measure.ts';
import { startMeasuredRun } from '../processes/run.ts';
import { cpuSecondsOf, megabytesOf, treeOf } from '../processes/tree.ts';

const SETTLE_MS = 30_000;
const IDLE_MS = 30_000;
const PAIRS = 150;
const READS = 400;
const CONCURRENCY = 50;

/** Runs the commands of docs/tour.md as a reader does. */
async function runTour(local: Local): Promise<void> {
  const shell = await startTourShell(local);
  try {
    for (const { line, script } of tourSteps(readFileSync('docs/tour.md', 'utf8'))) {
      const { exitCode, text } = await shell.paste(script, `line-${line}`);
      if (exitCode !== 0) throw new Error(`the block in line ${line} of the tour ended with ${exitCode}: ${text}`);
    }
  } finally {
    await shell.stop();
  }
}

/** Measures the resources that a local run uses: memory, and processor time while idle and per request. */
export async function rows(): Promise<Row[]> {
  const run = await startMeasuredRun({ RATE_LIMIT_SECRET: '1000000' });
  const cpuSeconds = async (work: () => Promise<unknown>): Promise<number> => {
    const before = cpuSecondsOf(treeOf(run.pid));
    await work();
    return cpuSecondsOf(treeOf(run.pid)) - before;
  };
  try {
    await sleep(SETTLE_MS);
    const idleMegabytes = megabytesOf(treeOf(run.pid));
    const idle = await cpuSeconds(() => sleep(IDLE_MS));

    const client = createClient({ baseUrl: run.local.baseUrl, secretKey: run.local.accounts.demo.secretKey });
    const body = { name: 'Footprint', framework: 'NODE' as const };
    const { id } = (await client.call(createApp, { body })).body.data;
    const get = () => client.call(getApp, { params: { id } });
    for (let count = 0; count < READS / 4; count += 1) await get();
    const burst = await cpuSeconds(() => Promise.all(Array.from({ length: CONCURRENCY }, get)));
    const durations: number[] = [];
    for (let count = 0; count < READS; count += 1) durations.push(await durationOf(get));
    const pair = async () => {
      const created = await client.call(createWebhook, {
        body: { url: 'https://example.com/hook', events: ['deployment.succeeded'] },
      });
      await client.call(deleteWebhook, { params: { id: created.body.data.id } });
    };
    for (let count = 0; count < PAIRS / 5; count += 1) await pair();
    const pairs = await cpuSeconds(async () => {
      for (let count = 0; count < PAIRS; count += 1) await pair();
      await sleep(2000); // Waits for the stream's consumer.
    });

    await runTour(run.local);
    const afterTour = megabytesOf(treeOf(run.pid));
    await sleep(SETTLE_MS * 3);
    const settled = megabytesOf(treeOf(run.pid));
    const row = (name: string, ours: number, baseline: number, unit: string): Row => ({
      name,
      ours,
      baseline,
      unit,
      maxRatio: 1,
    });
    return [
      row('resident memory, idle, against 450 MB', idleMegabytes, 450, 'MB'),
      row('resident memory, right after the tour, against 700 MB', afterTour, 700, 'MB'),
      row('resident memory, 90 s after the tour, against 700 MB', settled, 700, 'MB'),
      row('processor time, idle, against 4% of a core', (idle / IDLE_MS) * 100_000, 4, '%'),
      row(`processor time of ${CONCURRENCY} concurrent reads, against 1 s`, burst, 1, 's'),
      row('GET /v1/apps/{id}, median, against 5 ms', median(durations), 5, 'ms'),
      row('processor time per POST and DELETE of a webhook, against 33 ms', (pairs / PAIRS) * 1000, 33, 'ms'),
    ];
  } finally {
    await run.stop();
  }
}
