/**
 * Measures one neighbor in a separate process: `node measure.ts <neighbor> <folder of repositories>`. It also has a separate local run,
 * because the remains of another neighbor's noise would distort the measurement without noise. Sends the rows to its parent process.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { createWebhook } from '../../contract/webhooks/endpoints.ts';
import { overrideLimits } from '../../domain/limits/overrides.ts';
import { receiver } from '../../test/support/receivers.ts';
import { quantile, type Row } from '../measure.ts';
import { createMeter } from '../processes/meter.ts';
import { startMeasuredRun } from '../processes/run.ts';
import { deployServer, openCustomer } from './customers.ts';
import { NEIGHBORS, type Neighbor, type NoiseSettings } from './neighbors.ts';
import { type Product, type Products, productsOf } from './products.ts';
import { agent } from './requests.ts';

/** Rounds of measurements for a percentile, and their minimum on a machine that is too slow for {@link PHASE_MS}. */
const ROUNDS = 40;
const MIN_ROUNDS = 5;
/** Uses of each product in a round. Fast products are used more often, so that their percentiles have enough samples. */
const TIMES: Record<Product, number> = { 'API request': 3, page: 3, 'AI first byte': 1, delivery: 1 };
/** Maximum duration of one phase. A neighbor has three. */
const PHASE_MS = 25_000;
/** Maximum duration of one measurement. A longer one counts as this long. */
const SAMPLE_MS = 20_000;
/** Milliseconds between the beginning of the noise and its measurement. */
const SETTLE_MS = 3000;
const MAX_RATIO = 2;

const REPOSITORY = 'https://git.localhost/server.git';

/** Measures each product of the quiet account in turn. Returns the 95th percentiles. */
async function measure(products: Products): Promise<Record<Product, number>> {
  const found = new Map<Product, number[]>();
  const ends = Date.now() + PHASE_MS;
  for (let round = 0; round < ROUNDS && (round < MIN_ROUNDS || Date.now() < ends); round += 1) {
    const turns = (Object.keys(products) as Product[]).flatMap((name) => Array<Product>(TIMES[name]).fill(name));
    for (const name of turns) {
      const signal = AbortSignal.timeout(SAMPLE_MS);
      const duration = await products[name](signal).catch((error: unknown) => {
        if (signal.aborted) return SAMPLE_MS;
        throw error;
      });
      found.set(name, [...(found.get(name) ?? []), duration]);
    }
  }
  for (const [name, values] of found) {
    const [middle, last] = [0.5, 1].map((part) => Math.round(quantile(values, part)));
    console.log(`  ${name}: ${values.length} times, median ${middle} ms, longest ${last} ms`);
  }
  const p95 = (name: Product): number => quantile(found.get(name) ?? [], 0.95);
  return {
    'API request': p95('API request'),
    delivery: p95('delivery'),
    'AI first byte': p95('AI first byte'),
    page: p95('page'),
  };
}

/** Starts a neighbor's noise. Once it runs, resolves with a function that stops it. */
async function startNoise(settings: NoiseSettings): Promise<() => Promise<void>> {
  const child = spawn(process.execPath, ['bench/isolation/noise.ts', JSON.stringify(settings)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    // Makes it the leader of a new session, whose priority it can lower.
    detached: true,
  });
  const ended = once(child, 'exit');
  const [line] = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), ended]);
  if (line !== 'ready') throw new Error(`the noise ended with ${line}`);
  return async () => {
    child.stdin.end();
    await ended;
  };
}

const format = (figures: Record<string, number>): string =>
  Object.entries(figures)
    .map(([name, value]) => `${name} ${value.toFixed(value < 10 ? 1 : 0)}`)
    .join(', ');

async function measureNeighbor(neighbor: Neighbor, repositories: string): Promise<Row[]> {
  const run = await startMeasuredRun({ LOCAL_GIT_ROOT: repositories });
  const { local } = run;
  Object.assign(process.env, local.environment);
  const hook = await receiver();
  try {
    const { deps } = await import('../../runtime/deps.ts');
    const [quiet, noisy] = [await openCustomer(local, 10), await openCustomer(local, 10)];
    await overrideLimits(deps, noisy.id, { concurrentRequests: 200 });
    await quiet.client.call(createWebhook, { body: { url: hook.url, events: ['app.created'], description: '' } });
    const host = await deployServer(noisy, REPOSITORY);
    const { baseUrl } = local;
    const products = productsOf({ baseUrl, customer: quiet, host: await deployServer(quiet, REPOSITORY), hook });
    await measure(products);
    const meter = createMeter(run.pid);
    const alone = await measure(products);
    console.log(`alone: ms ${format(alone)}; seconds of a processor a second ${format(meter())}`);
    const settings = { neighbor, host, baseUrl, repoUrl: REPOSITORY };
    const stopNoise = await startNoise({ ...settings, accountId: noisy.id, secretKeys: noisy.secretKeys });
    console.log(`${Math.round(performance.now() / 1000)} s: ${NEIGHBORS[neighbor]}`);
    await sleep(SETTLE_MS);
    meter();
    const withNoise = await measure(products);
    console.log(`beside: ms ${format(withNoise)}; seconds of a processor a second ${format(meter())}`);
    await stopNoise();
    return (Object.keys(alone) as Product[]).map((product) => ({
      name: `${product} beside ${NEIGHBORS[neighbor]}`,
      ours: withNoise[product],
      baseline: alone[product],
      unit: 'ms',
      maxRatio: MAX_RATIO,
    }));
  } finally {
    await Promise.all([run.stop(), hook.stop()]);
  }
}

const [neighbor, repositories] = process.argv.slice(2) as [Neighbor, string];
process.send?.(await measureNeighbor(neighbor, repositories));
agent.destroy();
process.disconnect();
