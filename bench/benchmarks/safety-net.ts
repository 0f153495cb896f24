import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBudget } from '../../domain/sweep/budget.ts';
import { eventSweeps } from '../../domain/webhooks/event-sweep.ts';
import { createTables, startDynamoDb } from '../../local/engines/dynamodb.ts';
import { createQueuesAndBuckets, startQueues } from '../../local/engines/queues.ts';
import { call } from '../../local/engines/wire.ts';
import { startChildren } from '../../local/processes/children.ts';
import { freePort } from '../../local/processes/ports.ts';
import { synthesize } from '../../local/template/synthesis.ts';
import { createDeliveryQueue } from '../../providers/webhooks/delivery-queue.ts';
import { batchReads } from '../../table/batch-reads.ts';
import { ATTEMPT_GRACE_MS, Event, Webhook } from '../../table/entities/webhooks.ts';
import { createTable, type Send } from '../../table/table.ts';
import { create } from '../../table/writes.ts';
import { median, type Row } from '../measure.ts';

/** Lost events per turn, and accounts that they belong to, with one endpoint each. */
const EVENTS = 2000;
const ACCOUNTS = 20;
const TURNS = 3;
/** Concurrent writes of the bare loop. */
const CONCURRENCY = 20;
const REGION = 'af-south-1';

/**
 * Assumptions about AWS in milliseconds: the 99th percentiles of a query, of a batch of a hundred reads, and of a chunk's hundred
 * batches of ten messages, sent fifty at a time. A chunk waits for two queries (due events, endpoints), for three rounds of reads
 * (events, feeds, deliveries) and for its messages.
 */
const P99_MS = { query: 20, reads: 30, sends: 60 };
/** Share of a processor that a scheduled function has: Lambda assigns a full one at 1,769 MB. */
const PROCESSOR_SHARE = 1024 / 1769;
/** Events that the sweep processes together (domain/webhooks/event-sweep.ts). */
const CHUNK_SIZE = 1000;

const now = () => new Date();
const refused = () => new Error('there is one already');
const idOf = (prefix: string) => `${prefix}_${randomBytes(16).toString('hex')}`;
const accountOf = (index: number) => `acc_${index % ACCOUNTS}`;

/** Runs work for each number below `count` with limited concurrency. */
async function forEach(count: number, work: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
}

/** Starts a table and queues without consumers. */
async function startStores(folder: string, children: ReturnType<typeof startChildren>) {
  const location = { account: '000000000000', region: REGION, queueUrl: '', baseUrl: '' };
  const settings = { stage: 'local', domain: 'localhost', region: REGION, account: '000000000000' };
  const [{ template, stop }, tableUrl, queuesUrl] = await Promise.all([
    synthesize({ dataDir: folder, settings, location, onChange: undefined }),
    startDynamoDb({ children, port: await freePort(), folder: undefined }),
    startQueues({ children, port: await freePort(), region: REGION, sessionsDir: folder }),
  ]);
  await Promise.all([createTables(tableUrl, template), createQueuesAndBuckets(queuesUrl, template)]);
  await stop();
  const [queue] = template.resources('AWS::SQS::Queue').filter(({ name }) => name.endsWith('-deliveries'));
  if (!queue) throw new Error('the template has no queue of deliveries');
  const calls = new Map<string, number>();
  const sendTo =
    (url: string, service: 'dynamodb' | 'sqs') =>
    async <Output>(operation: string, input: object): Promise<Output> => {
      calls.set(operation, (calls.get(operation) ?? 0) + 1);
      return (await call(url, service, operation, input, { region: REGION })) as Output;
    };
  const send: Send = sendTo(tableUrl, 'dynamodb');
  const url = `${queuesUrl}/000000000000/${queue.name}`;
  return {
    calls,
    table: createTable(batchReads(send), 'hosting-local'),
    queue: createDeliveryQueue(sendTo(queuesUrl, 'sqs'), { main: url, slow: url }),
  };
}

/** Measures how fast the reconciler recovers events whose stream record was lost (docs/decisions/0075-throughput.md). */
export async function rows(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'safety-net-'));
  const children = startChildren(folder);
  try {
    const { table, queue, calls } = await startStores(folder, children);
    const deps = { table, queue, now };
    const sealed = { wrappedKey: '', iv: '', ciphertext: '' };
    await forEach(ACCOUNTS, (index) =>
      table.write(
        Webhook,
        create(
          Webhook,
          {
            id: `whk_${index}`,
            accountId: accountOf(index),
            url: 'https://example.com/',
            description: '',
            events: ['*'],
            active: true,
            failureCount: 0,
            disabledAt: null,
            secret: sealed,
            createdAt: new Date(0).toISOString(),
          },
          refused,
        ),
      ),
    );
    // Due immediately, and later than the events that were swept before.
    const eventOf = (index: number) => ({
      id: idOf('evt'),
      accountId: accountOf(index),
      type: 'app.created' as const,
      created: new Date(Date.now() - ATTEMPT_GRACE_MS).toISOString(),
      data: { applicationId: 'app_1', name: 'App' },
    });
    const found = { ours: [] as number[], bare: [] as number[], cpu: [] as number[] };
    for (let turn = 0; turn <= TURNS; turn += 1) {
      const bareBegan = performance.now();
      await forEach(EVENTS, (index) => table.write(Event, create(Event, eventOf(index), refused)));
      const bare = performance.now() - bareBegan;
      calls.clear();
      const cpu = process.cpuUsage();
      const began = performance.now();
      const report = await eventSweeps(deps).events({ budget: createBudget(deps, 600_000), resume: undefined });
      const ours = performance.now() - began;
      const { user, system } = process.cpuUsage(cpu);
      if (report.done !== EVENTS) throw new Error(`${report.done} of ${EVENTS} events were recovered`);
      if (turn === 0) continue; // Warms up.
      found.ours.push(ours);
      found.bare.push(bare);
      found.cpu.push((user + system) / 1000 / EVENTS);
    }
    const chunks = EVENTS / CHUNK_SIZE;
    const waits = chunks * (2 * P99_MS.query + 3 * P99_MS.reads + P99_MS.sends);
    const cpu = median(found.cpu);
    const modeled = waits + (EVENTS * cpu) / PROCESSOR_SHARE;
    const counts = [...calls].map(([operation, count]) => `${count} ${operation}`).join(', ');
    const rate = (milliseconds: number): number => Math.round((EVENTS / milliseconds) * 1000);
    console.log(
      `${rate(median(found.ours))} lost events a second here, ${rate(modeled)} on AWS by the model; ${counts}`,
    );
    console.log(`bound of writes here: ${rate(median(found.bare))} a second, ${CONCURRENCY} at once`);
    console.log(`${cpu.toFixed(2)} ms of a processor an event; on AWS ${Math.round(waits)} ms of waiting beside it`);
    return [
      {
        name: 'requeueing 2,000 lost events, against one second',
        ours: (median(found.ours) * 2000) / EVENTS,
        baseline: 1000,
        unit: 'ms',
        maxRatio: 1,
      },
      {
        name: 'requeueing 2,000 lost events on AWS, as modeled, against one second',
        ours: (modeled * 2000) / EVENTS,
        baseline: 1000,
        unit: 'ms',
        maxRatio: 1,
      },
    ];
  } finally {
    await children.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
