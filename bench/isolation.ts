import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createApp, getApp, listApps } from '../contract/apps/apps.ts';
import { type Client, createClient } from '../contract/client.ts';
import { createDeployment, getDeployment } from '../contract/deployments/deployments.ts';
import { createWebhook } from '../contract/webhooks/endpoints.ts';
import { openAccount } from '../domain/accounts/accounts.ts';
import { overrideLimits } from '../domain/limits/overrides.ts';
import { type Local, startRun } from '../test/support/platform.ts';
import { type Receiver, receiver } from '../test/support/receivers.ts';
import type { Row } from './measure.ts';

/**
 * Noisy neighbours: one account does what its limits allow, and the 95th percentile of another account's API request, delivery, first
 * byte of an AI call and page of its application is compared with what it was alone, in the same run on the same machine.
 */

/** Measurements of each product for a percentile, and the fewest where a machine is too slow for them in {@link PHASE_MS}. */
const SAMPLES = 30;
const MIN_SAMPLES = 5;
/** Longest time of one phase in milliseconds: ten of them and the start take less than ten minutes. */
const PHASE_MS = 25_000;
/** Longest wait for one measurement in milliseconds; one that takes longer fails the benchmark. */
const SAMPLE_MS = 60_000;
const MAX_RATIO = 2;

/** Answers at once, or after as many milliseconds as `?ms=` says. */
const SERVER = `import { createServer } from 'node:http';
createServer((request, response) => {
  const ms = Number(new URL(request.url, 'http://a').searchParams.get('ms') ?? 0);
  setTimeout(() => response.end('ok'), ms);
}).listen(Number(process.env.PORT));
`;

const p95 = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? Number.NaN;

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
  const body = {
    name: 'server',
    framework: 'NODE' as const,
    repoUrl: 'https://git.localhost/server.git',
    deployNow: false,
  };
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

const agent = new Agent({ keepAlive: true, maxSockets: 1000 });

/** Sends a request and returns the milliseconds to its first byte, and to its end. */
function send(
  url: string,
  {
    method = 'GET',
    headers = {},
    body,
    signal,
  }: { method?: string; headers?: Record<string, string>; body?: string; signal?: AbortSignal } = {},
): Promise<{ first: number; total: number; status: number }> {
  const began = performance.now();
  const { hostname, port, pathname, search, host } = new URL(url);
  return new Promise((resolve, reject) => {
    const options = {
      agent,
      host: hostname,
      port,
      path: pathname + search,
      method,
      headers: { host, ...headers },
      ...(signal ? { signal } : {}),
    };
    const outgoing = request(options, (answer) => {
      let first = 0;
      answer.on('data', () => {
        first ||= performance.now() - began;
      });
      answer.on('error', reject);
      answer.on('end', () => resolve({ first, total: performance.now() - began, status: answer.statusCode ?? 0 }));
    });
    outgoing.on('error', reject).end(body);
  });
}

const chat = (local: Local, secretKey: string, content: string, signal?: AbortSignal) =>
  send(`${local.baseUrl}/ai/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secretKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'openai/gpt-5',
      stream: true,
      max_tokens: 500,
      messages: [{ role: 'user', content }],
    }),
    ...(signal ? { signal } : {}),
  });

type Product = 'API request' | 'delivery' | 'AI first byte' | 'page';

/** Measures each product of the quiet account in turn. */
async function measure(local: Local, quiet: Customer, host: string, hook: Receiver): Promise<Record<Product, number>> {
  const found: Record<Product, number[]> = { 'API request': [], delivery: [], 'AI first byte': [], page: [] };
  const ends = Date.now() + PHASE_MS;
  for (let sample = 0; sample < SAMPLES && (sample < MIN_SAMPLES || Date.now() < ends); sample += 1) {
    const key = (index: number) => quiet.secretKeys[(sample + index) % quiet.secretKeys.length] ?? '';
    const signal = AbortSignal.timeout(SAMPLE_MS);
    const headers = { authorization: `Bearer ${key(0)}` };
    found['API request'].push((await send(local.baseUrl + listApps.path, { headers, signal })).total);
    found.page.push((await send(local.baseUrl, { headers: { host }, signal })).total);
    found['AI first byte'].push((await chat(local, key(1), 'hello', signal)).first);
    const before = hook.received.length;
    const began = Date.now();
    const client = createClient({ baseUrl: local.baseUrl, secretKey: key(2) });
    await client.call(createApp, { body: { name: `app ${sample}`, framework: 'NODE' } });
    while (hook.received.length === before) await sleep(5, undefined, { signal });
    found.delivery.push((hook.received.at(-1)?.at ?? 0) - began);
  }
  return {
    'API request': p95(found['API request']),
    delivery: p95(found.delivery),
    'AI first byte': p95(found['AI first byte']),
    page: p95(found.page),
  };
}

/** Keeps so many of something going until it is told to stop. Refusals are part of the noise. */
function keepGoing(count: number, work: (signal: AbortSignal, index: number) => Promise<unknown>): () => Promise<void> {
  const stopping = new AbortController();
  const all = Array.from({ length: count }, async (_, index) => {
    while (!stopping.signal.aborted) {
      await work(stopping.signal, index).catch(() => sleep(50));
    }
  });
  return async () => {
    stopping.abort();
    await Promise.all(all);
  };
}

/** Starts each kind of noise. Returns what ends it. */
function neighbours(local: Local, noisy: Customer, host: string, hanging: Receiver) {
  const key = (index: number) => noisy.secretKeys[index % noisy.secretKeys.length] ?? '';
  return {
    '200 open requests of 30 s': async () =>
      keepGoing(200, (signal) => send(`${local.baseUrl}/?ms=30000`, { headers: { host }, signal })),
    '200 AI streams': async () => keepGoing(200, (signal, index) => chat(local, key(index), 'write 500 words', signal)),
    '5,000 events to a hanging receiver': async () => {
      await noisy.client.call(createWebhook, { body: { url: hanging.url, events: ['*'], description: '' } });
      let left = 5000;
      return keepGoing(10, async (signal, index) => {
        if (left-- <= 0) return await sleep(1000, undefined, { signal });
        const body = JSON.stringify({ name: 'noise', framework: 'NODE' });
        const headers = { authorization: `Bearer ${key(index)}`, 'content-type': 'application/json' };
        return await send(local.baseUrl + createApp.path, { method: 'POST', headers, body, signal });
      });
    },
    'ten keys that hammer': async () =>
      keepGoing(20, (signal, index) =>
        send(local.baseUrl + listApps.path, { headers: { authorization: `Bearer ${key(index)}` }, signal }),
      ),
    // The last one: its builds go on.
    '200 queued deployments': async () => {
      await Promise.all(
        Array.from({ length: 200 }, async (_, index) => {
          const body = {
            name: `queued ${index}`,
            framework: 'NODE' as const,
            repoUrl: 'https://git.localhost/server.git',
          };
          return await noisy.client.call(createApp, { body });
        }),
      );
      return async () => undefined;
    },
  };
}

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
  const run = await startRun({ DATA_DIR: ':memory:', LOCAL_GIT_ROOT: folder });
  const { local } = run;
  Object.assign(process.env, local.environment);
  const hook = await receiver();
  const hanging = await receiver(() => undefined);
  try {
    const { deps } = await import('../runtime/deps.ts');
    const [quiet, noisy] = [await openCustomer(local, 10), await openCustomer(local, 10)];
    await overrideLimits(deps, noisy.id, { concurrentRequests: 200 });
    await quiet.client.call(createWebhook, { body: { url: hook.url, events: ['app.created'], description: '' } });
    const page = await deployServer(quiet);
    const app = await deployServer(noisy);
    await measure(local, quiet, page, hook);
    const made: Row[] = [];
    for (const [name, begin] of Object.entries(neighbours(local, noisy, app, hanging))) {
      const alone = await measure(local, quiet, page, hook);
      const end = await begin();
      await sleep(2000);
      const beside = await measure(local, quiet, page, hook);
      await end();
      console.log(`${name}: ${Math.round(performance.now() / 1000)} s`, alone, beside);
      for (const product of Object.keys(alone) as Product[]) {
        made.push({
          what: `${product} beside ${name}`,
          ...{ ours: beside[product], against: alone[product], unit: 'ms', atMost: MAX_RATIO },
        });
      }
      await sleep(2000);
    }
    return made;
  } finally {
    await Promise.all([run.stop(), hook.stop(), hanging.stop()]);
    agent.destroy();
    rmSync(folder, { recursive: true, force: true });
  }
}
