import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { createApp } from '../../contract/apps/apps.ts';
import { type Client, createClient } from '../../contract/client.ts';
import { createWebhook } from '../../contract/webhooks/endpoints.ts';
import { type Receiver, receiver } from '../../test/support/receivers.ts';
import { median, quantile, type Row } from '../measure.ts';
import { startMeasuredRun } from '../processes/run.ts';

const EVENTS = 100;
/** Events per second. */
const RATE = 20;
/** Poll interval of a busy stream in milliseconds (local/event-sources/poll-pace.ts). */
const POLL_MS = 50;

const waitUntil = async (ready: () => boolean): Promise<void> => {
  while (!ready()) await sleep(10);
};

/** Sends events at a steady rate. Returns the milliseconds from each event's commit to its receiver's first byte. */
async function measureLags(client: Client, target: Receiver, count: number): Promise<number[]> {
  const before = target.received.length;
  const sent: Promise<unknown>[] = [];
  const began = performance.now();
  for (let index = 0; index < count; index += 1) {
    await sleep(Math.max(0, began + (index * 1000) / RATE - performance.now()));
    sent.push(client.call(createApp, { body: { name: `Event ${index}`, framework: 'NODE' } }));
  }
  await Promise.all(sent);
  await waitUntil(() => target.received.length >= before + count);
  // `created` is read right before the transaction, so the transaction is included.
  return target.received.slice(before).map(({ at, body }) => at - Date.parse(JSON.parse(body).created));
}

/** Measures the delay from commit to receiver, and the effect of hanging receivers on others. */
export async function rows(): Promise<Row[]> {
  const run = await startMeasuredRun({ RATE_LIMIT_SECRET: '1000000', WEBHOOK_RETRY_SCHEDULE: '60' });
  const stops: (() => Promise<void>)[] = [() => run.stop()];
  const started = async (made: Promise<Receiver>) => {
    const one = await made;
    stops.push(one.stop);
    return one;
  };
  try {
    const { baseUrl, accounts, environment } = run.local;
    const { openAccount } = await (async () => {
      Object.assign(process.env, environment);
      return await import('../../domain/accounts/accounts.ts');
    })();
    const { deps } = await import('../../runtime/deps.ts');
    const open = async () => {
      const plan = { slug: 'bench', name: 'Bench', appLimit: 1_000_000 };
      const keys = [{ name: 'bench', scopes: ['read' as const, 'write' as const] }];
      const account = await openAccount(deps, {
        email: 'b@example.com',
        name: 'B',
        plan,
        walletCents: 0,
        aiCreditsMicroRand: 0,
        keys,
      });
      return { client: createClient({ baseUrl, secretKey: account.keys[0]?.secretKey ?? '' }) };
    };
    if (!accounts) throw new Error('The run has no accounts');
    const [quiet, noisy] = [await open(), await open()];
    const good = await started(receiver());
    await quiet.client.call(createWebhook, { body: { url: good.url } });
    // Warms up: functions start with their first requests.
    await measureLags(quiet.client, good, EVENTS);
    await sleep(1000);
    const usual = await measureLags(quiet.client, good, EVENTS);
    console.log(
      `commit to first byte at ${RATE} events a second: median ${median(usual)} ms (${(median(usual) / POLL_MS).toFixed(1)} stream polls), p95 ${quantile(usual, 0.95)} ms, p99 ${quantile(usual, 0.99)} ms (${(quantile(usual, 0.99) / POLL_MS).toFixed(1)} polls)`,
    );
    const burner = spawn(process.execPath, ['-e', 'for (;;) {}'], { stdio: 'ignore' });
    stops.push(async () => void burner.kill('SIGKILL'));
    const busy = await measureLags(quiet.client, good, EVENTS);
    burner.kill('SIGKILL');

    for (let count = 0; count < 20; count += 1) {
      const hanging = await started(receiver(() => undefined));
      await noisy.client.call(createWebhook, { body: { url: hanging.url } });
    }
    // One event per second to each of the twenty, starting before the measurement.
    let isNoisy = true;
    const noise = (async () => {
      for (let index = 0; isNoisy; index += 1) {
        await noisy.client.call(createApp, { body: { name: `Noise ${index}`, framework: 'NODE' } });
        await sleep(1000);
      }
    })();
    // Waits until the first attempts time out. From then on, the load is constant.
    await sleep(12_000);
    const withHanging = await measureLags(quiet.client, good, EVENTS * 2);
    isNoisy = false;
    await noise;
    console.log(`beside 20 hanging receivers: median ${median(withHanging)} ms, p95 ${quantile(withHanging, 0.95)} ms`);
    return [
      {
        name: 'commit to first byte, median, against 250 ms',
        ours: median(usual),
        baseline: 250,
        unit: 'ms',
        maxRatio: 1,
      },
      {
        name: 'commit to first byte, p99, against 1.5 s',
        ours: quantile(usual, 0.99),
        baseline: 1500,
        unit: 'ms',
        maxRatio: 1,
      },
      {
        name: 'commit to first byte while another program uses a core, median, against 500 ms',
        ours: median(busy),
        baseline: 500,
        unit: 'ms',
        maxRatio: 1,
      },
      {
        name: 'p95 with 20 hanging receivers, against none',
        ours: quantile(withHanging, 0.95),
        baseline: quantile(usual, 0.95),
        unit: 'ms',
        maxRatio: 2,
      },
    ];
  } finally {
    for (const stop of stops) await stop();
  }
}
