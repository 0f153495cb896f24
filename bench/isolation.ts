import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { createApp, getApp, listApps } from '../contract/apps/apps.ts';
import { type Client, createClient } from '../contract/client.ts';
import { createDeployment, getDeployment } from '../contract/deployments/deployments.ts';
import { createWebhook } from '../contract/webhooks/endpoints.ts';
import { openAccount } from '../domain/accounts/accounts.ts';
import { overrideLimits } from '../domain/limits/overrides.ts';
import type { Local } from '../test/support/platform.ts';
import { type Receiver, receiver } from '../test/support/receivers.ts';
import { NEIGHBOURS, type Neighbour, type NoiseSettings } from './isolation/neighbours.ts';
import { type Answer, agent, chat, send } from './isolation/requests.ts';
import { quantile, type Row } from './measure.ts';
import { createMeter } from './processes/meter.ts';
import { startMeasuredRun } from './processes/run.ts';

/**
 * Noisy neighbours: one account does what its limits allow, and the 95th percentile of another account's API request, delivery, first
 * byte of an AI call and page of its application is compared with what it was alone, just before, in the same run on the same machine. The
 * noise comes from a process of its own with the lowest priority (isolation/noise.ts). `ISOLATION=streams,keys` measures these
 * neighbours only.
 */

/** Measurements of each product for a percentile, and the fewest where a machine is too slow for them in {@link PHASE_MS}. */
const SAMPLES = 40;
const MIN_SAMPLES = 5;
/** Longest time of one phase in milliseconds: ten of them and the start take less than ten minutes. */
const PHASE_MS = 25_000;
/** Longest wait for one measurement in milliseconds: one that takes longer counts so. */
const SAMPLE_MS = 20_000;
/** Milliseconds between the beginning of the noise and its measurement, and between two neighbours. */
const SETTLE_MS = 3000;
const MAX_RATIO = 2;

/** Answers at once, or after as many milliseconds as `?ms=` says. */
const SERVER = `import { createServer } from 'node:http';
createServer((request, response) => {
  const ms = Number(new URL(request.url, 'http://a').searchParams.get('ms') ?? 0);
  setTimeout(() => response.end('ok'), ms);
}).listen(Number(process.env.PORT));
`;
const REPOSITORY = 'https://git.localhost/server.git';

interface Customer {
  id: string;
  secretKeys: string[];
  client: Client;
}

async function openCustomer(local: Local, keyCount: number): Promise<Customer> {
  const { deps } = await import('../runtime/deps.ts');
  const keys = Array.from({ length: keyCount }, () => ({
    name: 'bench',
    scopes: ['read', 'write', 'deploy', 'ai'] as const,
  }));
  const opened = await openAccount(deps, {
    ...{ email: 'bench@example.com', name: 'Bench', plan: { slug: 'bench', name: 'Bench', appLimit: 10_000 } },
    ...{
      walletCents: 0,
      aiCreditsMicroRand: 1_000_000_000_000,
      keys: keys.map((key) => ({ ...key, scopes: [...key.scopes] })),
    },
  });
  const secretKeys = opened.keys.map(({ secretKey }) => secretKey);
  const client = createClient({ baseUrl: local.baseUrl, secretKey: secretKeys[0] ?? '' });
  return { id: opened.id, secretKeys, client };
}

/** Deploys the server above for a customer. Returns the host name of the application. */
async function deployServer({ client }: Customer): Promise<string> {
  const body = { name: 'server', framework: 'NODE' as const, repoUrl: REPOSITORY, deployNow: false };
  const { id } = (await client.call(createApp, { body })).body.data;
  const queued = await client.call(createDeployment, { params: { id } });
  for (;;) {
    const { data } = (await client.call(getDeployment, { params: { id: queued.body.data.id } })).body;
    if (data.status === 'FAILED') throw new Error(data.log);
    if (data.status === 'SUCCEEDED') break;
    await sleep(100);
  }
  const { data } = (await client.call(getApp, { params: { id } })).body;
  return data.primaryDomain;
}

interface Quiet {
  baseUrl: string;
  customer: Customer;
  /** Host name of its application. */
  host: string;
  hook: Receiver;
}

/** Each product of the quiet account: uses it once and returns its milliseconds. */
function productsOf({ baseUrl, customer, host, hook }: Quiet) {
  let used = 0;
  const nextKey = (): string => customer.secretKeys[used++ % customer.secretKeys.length] ?? '';
  /** Returns the milliseconds of an answer with this status; a refusal measures nothing. */
  const expectStatus = (answer: Answer, status: number): Answer => {
    if (answer.status !== status) throw new Error(`the quiet account was answered ${answer.status}`);
    return answer;
  };
  return {
    'API request': async (signal: AbortSignal) => {
      const headers = { authorization: `Bearer ${nextKey()}` };
      return expectStatus(await send(baseUrl + listApps.path, { headers, signal }), 200).total;
    },
    page: async (signal: AbortSignal) => expectStatus(await send(baseUrl, { headers: { host }, signal }), 200).total,
    'AI first byte': async (signal: AbortSignal) =>
      expectStatus(await chat(baseUrl, nextKey(), 'say exactly: ok', signal), 200).first,
    delivery: async (signal: AbortSignal) => {
      const before = hook.received.length;
      const began = Date.now();
      const body = JSON.stringify({ name: `app ${used}`, framework: 'NODE' });
      const headers = { authorization: `Bearer ${nextKey()}`, 'content-type': 'application/json' };
      expectStatus(await send(baseUrl + createApp.path, { method: 'POST', headers, body, signal }), 201);
      while (hook.received.length === before) await sleep(5, undefined, { signal });
      return (hook.received.at(-1)?.at ?? 0) - began;
    },
  };
}
type Products = ReturnType<typeof productsOf>;
type Product = keyof Products;

/** Measures each product of the quiet account in turn. Returns the 95th percentiles. */
async function measure(products: Products): Promise<Record<Product, number>> {
  const found = new Map<Product, number[]>();
  const ends = Date.now() + PHASE_MS;
  for (let sample = 0; sample < SAMPLES && (sample < MIN_SAMPLES || Date.now() < ends); sample += 1) {
    for (const [name, use] of Object.entries(products) as [Product, Products[Product]][]) {
      const signal = AbortSignal.timeout(SAMPLE_MS);
      const taken = await use(signal).catch((error: unknown) => {
        if (signal.aborted) return SAMPLE_MS;
        throw error;
      });
      found.set(name, [...(found.get(name) ?? []), taken]);
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
  });
  const ended = once(child, 'exit');
  const [line] = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), ended]);
  if (line !== 'ready') throw new Error(`the noise ended with ${line}`);
  return async () => {
    child.stdin.end();
    await ended;
  };
}

/** The neighbours to measure: those that the variable ISOLATION names, by default all. */
function chosen(): Neighbour[] {
  const all = Object.keys(NEIGHBOURS) as Neighbour[];
  const names = process.env.ISOLATION?.split(',');
  return names ? all.filter((name) => names.includes(name)) : all;
}

const format = (figures: Record<string, number>): string =>
  Object.entries(figures)
    .map(([name, value]) => `${name} ${value.toFixed(value < 10 ? 1 : 0)}`)
    .join(', ');

export async function rows(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'isolation-'));
  const repository = join(folder, 'server.git');
  mkdirSync(repository);
  writeFileSync(join(repository, 'server.js'), SERVER);
  writeFileSync(
    join(repository, 'package.json'),
    JSON.stringify({ name: 'server', type: 'module', scripts: { start: 'node server.js' } }),
  );
  const git = (...args: string[]) => execFileSync('git', args, { cwd: repository, stdio: 'ignore' });
  git('init', '--initial-branch=main');
  git('add', '--all');
  git('-c', 'user.name=Bench', '-c', 'user.email=bench@example.com', 'commit', '--message', 'bench');
  const run = await startMeasuredRun({ LOCAL_GIT_ROOT: folder });
  const { local } = run;
  Object.assign(process.env, local.environment);
  const hook = await receiver();
  try {
    const { deps } = await import('../runtime/deps.ts');
    const [quiet, noisy] = [await openCustomer(local, 10), await openCustomer(local, 10)];
    await overrideLimits(deps, noisy.id, { concurrentRequests: 200 });
    await quiet.client.call(createWebhook, { body: { url: hook.url, events: ['app.created'], description: '' } });
    const host = await deployServer(noisy);
    const { baseUrl } = local;
    const products = productsOf({ baseUrl, customer: quiet, host: await deployServer(quiet), hook });
    await measure(products);
    const meter = createMeter(run.pid);
    const made: Row[] = [];
    for (const neighbour of chosen()) {
      const alone = await measure(products);
      console.log(`alone: ms ${format(alone)}; seconds of a processor a second ${format(meter())}`);
      const settings = { neighbour, host, baseUrl, repoUrl: REPOSITORY };
      const end = await startNoise({ ...settings, accountId: noisy.id, secretKeys: noisy.secretKeys });
      console.log(`${Math.round(performance.now() / 1000)} s: ${NEIGHBOURS[neighbour]}`);
      await sleep(SETTLE_MS);
      meter();
      const beside = await measure(products);
      console.log(`beside: ms ${format(beside)}; seconds of a processor a second ${format(meter())}`);
      await end();
      for (const product of Object.keys(alone) as Product[]) {
        made.push({
          what: `${product} beside ${NEIGHBOURS[neighbour]}`,
          ...{ ours: beside[product], against: alone[product], unit: 'ms', atMost: MAX_RATIO },
        });
      }
      await sleep(SETTLE_MS);
    }
    return made;
  } finally {
    await Promise.all([run.stop(), hook.stop()]);
    agent.destroy();
    rmSync(folder, { recursive: true, force: true });
  }
}
