import { setTimeout as sleep } from 'node:timers/promises';
import { getAccount } from '../contract/accounts/accounts.ts';
import { createClient } from '../contract/client.ts';
import { createWebhook, deleteWebhook } from '../contract/webhooks/endpoints.ts';
import { median, type Row } from './measure.ts';
import { secondsByProcess } from './processes/meter.ts';
import { startMeasuredRun } from './processes/run.ts';

/** Repetitions of each measurement in one turn, and turns, so that a change of the machine's load shows. */
const TIMES = 200;
const TURNS = 5;
/** Time in milliseconds in which what follows a request ends: the stream's consumer, and the release of an AI call's hold. */
const SETTLE_MS = 1500;

/**
 * The processor time of all processes of the local run for one operation, everything that follows it included, against the two
 * table calls that no authenticated request does without: an UpdateItem and a GetItem. It
 * depends little on what else the machine does.
 */
export async function rows(): Promise<Row[]> {
  const run = await startMeasuredRun({ RATE_LIMIT_SECRET: '10000000' });
  try {
    Object.assign(process.env, run.local.environment);
    const { callAws } = await import('../runtime/aws/client.ts');
    const { secretKey, keys } = run.local.accounts.demo;
    const client = createClient({ baseUrl: run.local.baseUrl, secretKey });
    const TableName = process.env.TABLE_NAME;
    const Key = { pk: { S: 'BENCH' }, sk: { S: 'BENCH' } };
    const operations: Record<string, () => Promise<unknown>> = {
      base: async () => {
        await callAws('dynamodb', 'UpdateItem', {
          ...{ TableName, Key, UpdateExpression: 'ADD hits :one', ReturnValues: 'ALL_NEW' },
          ExpressionAttributeValues: { ':one': { N: '1' } },
        });
        await callAws('dynamodb', 'GetItem', { TableName, Key, ConsistentRead: true });
      },
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
    const repeat = async (operation: () => Promise<unknown>, times: number): Promise<void> => {
      for (let count = 0; count < times; count += 1) await operation();
    };
    for (const operation of Object.values(operations)) await repeat(operation, TIMES);
    await sleep(SETTLE_MS);
    /** Milliseconds of processor time for one repetition, by process. */
    const measure = async (operation: () => Promise<unknown>) => {
      const before = secondsByProcess(run.pid);
      const own = process.cpuUsage();
      await repeat(operation, TIMES);
      await sleep(SETTLE_MS);
      const client = process.cpuUsage(own);
      const spent = [...secondsByProcess(run.pid)].map(
        ([name, seconds]) => [name, seconds - (before.get(name) ?? 0)] as const,
      );
      return { spent, client: (client.user + client.system) / 1e6 };
    };
    const figures = new Map<string, number[]>();
    for (let turn = 0; turn < TURNS; turn += 1) {
      for (const [name, operation] of Object.entries(operations)) {
        const { spent, client } = await measure(operation);
        // The bare calls' client is this process; that of the others is part of the run.
        const seconds = spent.reduce((sum, [, each]) => sum + each, 0) + (name === 'base' ? client : 0);
        figures.set(name, [...(figures.get(name) ?? []), (seconds * 1000) / TIMES]);
        const parts = spent.map(([process, each]) => `${process} ${((each * 1000) / TIMES).toFixed(1)}`);
        console.log(`${name}: ${((seconds * 1000) / TIMES).toFixed(1)} ms (${parts.join(', ')})`);
      }
    }
    const of = (name: string) => median(figures.get(name) ?? []);
    const row = (name: string, atMost: number): Row => ({
      what: `processor time of ${name} against UpdateItem + GetItem`,
      ours: of(name),
      against: of('base'),
      unit: 'ms',
      atMost,
    });
    return [row('GET /v1/account', 1.5), row('POST and DELETE of a webhook', 4.5), row('an AI call', 2.6)];
  } finally {
    await run.stop();
  }
}
