import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApp } from '../../contract/apps/apps.ts';
import { createWebhook } from '../../contract/webhooks/endpoints.ts';
import { newAccount, waitFor } from '../support/harness.ts';
import { type Run, startRun } from '../support/platform.ts';
import { type Receiver, receiver } from '../support/receivers.ts';

let run: Run;
let witness: Receiver;
beforeAll(async () => {
  run = await startRun({ DATA_DIR: ':memory:', RATE_LIMIT_SECRET: '100000', WEBHOOK_RETRY_SCHEDULE: '1,1,2,2,3' });
  witness = await receiver();
  await storeUnqueuedDelivery('/unqueued');
}, 60_000);
afterAll(async () => {
  await run.stop();
  await witness.stop();
});

/** A delivery whose message was lost a minute ago: the reconciler finds it while the other tests run. */
async function storeUnqueuedDelivery(path: string): Promise<void> {
  const account = await newAccount({}, run.local);
  const { id } = (await account.call(createWebhook, { body: { url: `${witness.url}${path}` } })).body.data;
  const [{ deps }, { storeDelivery }, { newDelivery }] = await Promise.all([
    import('../../runtime/deps.ts'),
    import('../../domain/webhooks/event-sweep.ts'),
    import('../../domain/webhooks/fan-out.ts'),
  ]);
  const at = new Date(Date.now() - 60_000);
  const about = { type: 'ping' as const, created: at.toISOString(), data: { webhookId: id } };
  await storeDelivery(deps, newDelivery({ id: `evt_${'0'.repeat(32)}`, accountId: account.id, ...about }, { id }, at));
}

/** Returns the process of one of the run's engines. */
function engineProcessId(command: string): number {
  const processes = execFileSync('ps', ['-axo', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n');
  const found = processes.filter((line) => line.trim().split(/\s+/)[1] === String(run.pid) && line.includes(command));
  if (found.length !== 1) throw new Error(`${found.length} processes are called ${command}`);
  return Number(found[0]?.trim().split(/\s+/)[0]);
}

/** Suspends an engine for a while: connections are accepted and hang, as in the worst outages. */
async function suspendEngine(command: string, milliseconds: number): Promise<void> {
  const pid = engineProcessId(command);
  process.kill(pid, 'SIGSTOP');
  try {
    await sleep(milliseconds);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
}

const EVENTS = 40;

test.each([
  // Hanging requests get their response in the end, or were never acknowledged.
  ['the table and its stream', 'DynamoDBLocal.jar', 7000],
  // Longer than the timeout of a call: the stream's consumer has to retry.
  ['the queues', 'queue-server.ts', 12_000],
])(
  '%s may fail for a while: acknowledged writes still arrive',
  async (what, command, away) => {
    const account = await newAccount({ appLimit: EVENTS }, run.local);
    await account.call(createWebhook, { body: { url: `${witness.url}/${command}` } });
    const outage = sleep(500).then(() => suspendEngine(command, away));
    // Before, during and after the outage.
    const sent = Array.from({ length: EVENTS }, async (_, index) => {
      await sleep((index * (away + 1000)) / EVENTS);
      const made = await account.call(createApp, { body: { name: `Event ${index}`, framework: 'NODE' } });
      return made.status === 201 ? [made.body.data.id] : [];
    });
    await outage;
    const acknowledged = (await Promise.all(sent)).flat();
    const arrivals = () => witness.received.filter(({ path }) => path.endsWith(command)).map(({ body }) => body);
    const missing = () => acknowledged.filter((id) => !arrivals().some((body) => body.includes(id)));
    const began = performance.now();
    await waitFor(async () => missing().length === 0);
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    console.log(
      `${what}, away for ${away} ms: ${acknowledged.length} of ${EVENTS} acknowledged, all there after ${seconds} s`,
    );
    expect(acknowledged.length).toBeGreaterThan(EVENTS / 4);
  },
  120_000,
);

test('the reconciler finds a delivery that was never enqueued', async () => {
  const found = await waitFor(async () => witness.received.find(({ path }) => path.endsWith('/unqueued')));
  expect(JSON.parse(found.body)).toMatchObject({ id: `evt_${'0'.repeat(32)}`, type: 'ping' });
}, 90_000);
