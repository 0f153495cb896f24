import { setTimeout as sleep } from 'node:timers/promises';
import { getAccount } from '../../contract/accounts/accounts.ts';
import { createClient } from '../../contract/client.ts';
import { createWebhook, deleteWebhook } from '../../contract/webhooks/endpoints.ts';
import { startBase } from '../base.ts';
import { median, type Row } from '../measure.ts';
import { secondsByProcess } from '../processes/meter.ts';
import { startMeasuredRun } from '../processes/run.ts';

/** Repetitions of each measurement per turn, and number of turns, which reveal changes in the machine's load. */
const TIMES = 1000;
const TURNS = 5;
/** Time in which the work that follows a request ends: the stream's consumer, and the release of an AI call's hold. */
const SETTLE_MS = 1500;

/**
 * Compares the processor time of all processes of the local run for one operation, including all work that follows it, with the two table
 * calls that every authenticated request needs, on DynamoDB Local. Other load on the machine hardly affects it.
 */
export async function rows(): Promise<Row[]> {
  const base = await startBase();
  const run = await startMeasuredRun({ RATE_LIMIT_SECRET: '10000000' });
  try {
    const { secretKey, keys } = run.local.accounts.demo;
    const client = createClient({ baseUrl: run.local.baseUrl, secretKey });
    const operations: Record<string, () => Promise<unknown>> = {
      'GET /v1/account': () => client.call(getAccount, {}),
      'POST and DELETE of a webhook': async () => {
        const body = { url: 'https://example.com/hook', events: ['deployment.succeeded' as const] };
        const created = await client.call(createWebhook, { body });
        await client.call(deleteWebhook, { params: { id: created.body.data.id } });
      },
      'an AI call': async () => {
        const response = await fetch(`${run.local.baseUrl}/ai/v1/chat/completions`, {
          method: 'POST',
          headers: { authorization: `Bearer ${keys.ai}`, 'content-type': 'application/json' },
          body: JSON.stringify({ model: 'openai/gpt-4o-mini', messages: [{ role: 'user', content: 'Hello' }] }),
        });
        if (!response.ok) throw new Error(`the AI call failed with ${response.status}: ${await response.text()}`);
        await response.arrayBuffer();
      },
    };
    const repeat = async (operation: () => Promise<unknown>): Promise<void> => {
      for (let count = 0; count < TIMES; count += 1) await operation();
    };
    for (const operation of [base.run, ...Object.values(operations)]) await repeat(operation);
    await sleep(SETTLE_MS);
    /** Returns the processor milliseconds per repetition, by process of the run. */
    const measure = async (operation: () => Promise<unknown>) => {
      const before = secondsByProcess(run.pid);
      await repeat(operation);
      await sleep(SETTLE_MS);
      return [...secondsByProcess(run.pid)].map(
        ([name, seconds]) => [name, ((seconds - (before.get(name) ?? 0)) * 1000) / TIMES] as const,
      );
    };
    /** Returns the same for the baseline: the sum of DynamoDB Local and of its client, which is this process. */
    const measureBase = async (): Promise<number> => {
      const before = base.seconds();
      const ownBefore = process.cpuUsage();
      await repeat(base.run);
      await sleep(SETTLE_MS);
      const { user, system } = process.cpuUsage(ownBefore);
      return ((base.seconds() - before + (user + system) / 1e6) * 1000) / TIMES;
    };
    const figures = new Map<string, number[]>();
    const record = (name: string, milliseconds: number, parts = ''): void => {
      figures.set(name, [...(figures.get(name) ?? []), milliseconds]);
      console.log(`${name}: ${milliseconds.toFixed(1)} ms ${parts}`);
    };
    for (let turn = 0; turn < TURNS; turn += 1) {
      record('base', await measureBase());
      for (const [name, operation] of Object.entries(operations)) {
        const spent = await measure(operation);
        const parts = spent.map(([process, milliseconds]) => `${process} ${milliseconds.toFixed(1)}`);
        record(
          name,
          spent.reduce((sum, [, milliseconds]) => sum + milliseconds, 0),
          `(${parts.join(', ')})`,
        );
      }
    }
    const medianOf = (name: string) => median(figures.get(name) ?? []);
    const row = (name: string, maxRatio: number): Row => ({
      name: `processor time of ${name}, against UpdateItem and GetItem`,
      ours: medianOf(name),
      baseline: medianOf('base'),
      unit: 'ms',
      maxRatio,
    });
    return [row('GET /v1/account', 1.5), row('POST and DELETE of a webhook', 4.5), row('an AI call', 2.6)];
  } finally {
    await run.stop();
    await base.stop();
  }
}
