/**
 * Measures one neighbour, as a process of its own: `node measure.ts <neighbour> <folder of repositories>`. It has a local run of its
 * own, too: what another's noise leaves behind would count as being alone. Sends the rows to its parent.
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
import { NEIGHBOURS, type Neighbour, type NoiseSettings } from './neighbours.ts';
import { type Product, type Products, productsOf } from './products.ts';
import { agent } from './requests.ts';

/** Rounds of measurements for a percentile, and the fewest where a machine is too slow for them in {@link PHASE_MS}. */
const ROUNDS = 40;
const MIN_ROUNDS = 5;
/** Uses of each product in a round: more of what takes milliseconds, because few of those would hardly make a percentile. */
const TIMES: Record<Product, number> = { 'API request': 3, page: 3, 'AI first byte': 1, delivery: 1 };
/** Longest time of one phase in milliseconds: three for each neighbour take less than ten minutes. */
const PHASE_MS = 25_000;
/** Longest wait for one measurement in milliseconds: one that takes longer counts so. */
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

/** Starts a neighbour's noise. Resolves when it is there, with what ends it. */
async function startNoise(settings: NoiseSettings): Promise<() => Promise<void>> {
  const child = spawn(process.execPath, ['bench/isolation/noise.ts', JSON.stringify(settings)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    // As the leader of a session of its own, of which it can lower the priority.
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

async function measureNeighbour(neighbour: Neighbour, repositories: string): Promise<Row[]> {
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
    const settings = { neighbour, host, baseUrl, repoUrl: REPOSITORY };
    const stopNoise = await startNoise({ ...settings, accountId: noisy.id, secretKeys: noisy.secretKeys });
    console.log(`${Math.round(performance.now() / 1000)} s: ${NEIGHBOURS[neighbour]}`);
    await sleep(SETTLE_MS);
    meter();
    const withNoise = await measure(products);
    console.log(`beside: ms ${format(withNoise)}; seconds of a processor a second ${format(meter())}`);
    await stopNoise();
    return (Object.keys(alone) as Product[]).map((product) => ({
      name: `${product} beside ${NEIGHBOURS[neighbour]}`,
      ours: withNoise[product],
      baseline: alone[product],
      unit: 'ms',
      maxRatio: MAX_RATIO,
    }));
  } finally {
    await Promise.all([run.stop(), hook.stop()]);
  }
}

const [neighbour, repositories] = process.argv.slice(2) as [Neighbour, string];
process.send?.(await measureNeighbour(neighbour, repositories));
agent.destroy();
process.disconnect();
