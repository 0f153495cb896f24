import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startChildren } from '../../local/processes/children.ts';
import { freePort } from '../../local/processes/ports.ts';
import { callOnce, cpuOf, memoryOf, openStreams, readStream, type Target } from '../ai-gateway/load.ts';
import { createBenchTable, startProgram, storeProviderKey } from '../ai-gateway/targets.ts';
import { measureAlternately, type Row } from '../measure.ts';

/**
 * Measures the cost of an AI call that waits for its provider. One process holds a thousand open calls of ten seconds each, as an
 * execution environment on managed instances does (docs/decisions/0063-ai-on-managed-instances.md).
 */
const OPEN_CALLS = 1000;
/** Each uses one key with at most 100 open calls. This leaves room for a machine on which calls take longer. */
const ACCOUNTS = 40;
/** Interval between two of the 100 tokens of a call, which takes ten seconds. */
const TOKEN_INTERVAL_MS = 100;
const DURATION_S = 30;
const WARM_UP_CALLS = 300;
/** Interval between two tokens of a call that waits for its provider. It is longer than the call is open. */
const STALLED_INTERVAL_MS = 60_000;
/** Measured calls of one account, with no and with many other calls open. */
const MEASURED_CALLS = 100;
/** Keys of each account. A key may have 100 open calls, and one key is free for the measured calls. */
const KEYS_PER_ACCOUNT = OPEN_CALLS / 100 + 1;

/** US dollars in us-east-1, on demand: an instance with 2 vCPUs and 4 GiB (c7g.large), with Lambda's fee of 15%. */
const DOLLARS_PER_INSTANCE_HOUR = 0.0725 * 1.15;
const INSTANCE = { vcpus: 2, gibibytes: 4 };
/** Lambda adds instances above this utilization of their processors. */
const TARGET_UTILIZATION = 0.5;
/** One in each availability zone. */
const MIN_INSTANCES = 3;
const DOLLARS_PER_MILLION_REQUESTS = 0.2;

/**
 * @param perCall processor seconds of a call
 * @param megabytes memory of a thousand open calls
 */
function dollarsPerMillion(perCall: number, megabytes: number): number {
  const callsPerSecond = OPEN_CALLS / 10;
  const byProcessor = (callsPerSecond * perCall) / (INSTANCE.vcpus * TARGET_UTILIZATION);
  const byMemory = megabytes / 1024 / INSTANCE.gibibytes;
  const instances = Math.max(MIN_INSTANCES, Math.ceil(byProcessor), Math.ceil(byMemory));
  return (instances * DOLLARS_PER_INSTANCE_HOUR * 1_000_000) / (callsPerSecond * 3600) + DOLLARS_PER_MILLION_REQUESTS;
}

/**
 * Compares a call of an account with a thousand open calls with a call of an account without open calls, alternately in the same
 * process: open calls must not slow down the account's other calls.
 */
async function compareOpen(targetOf: (account: number, key: number) => Target): Promise<Row> {
  const closes: (() => void)[] = [];
  try {
    for (let key = 1; key < KEYS_PER_ACCOUNT; key += 1)
      closes.push(await openStreams(targetOf(0, key), OPEN_CALLS / (KEYS_PER_ACCOUNT - 1), STALLED_INTERVAL_MS));
    const medians = await measureAlternately(
      MEASURED_CALLS,
      () => callOnce(targetOf(0, 0)),
      () => callOnce(targetOf(1, 0)),
    );
    return {
      name: `an AI call with ${OPEN_CALLS} other open calls of its account, against none`,
      ...medians,
      unit: 'ms',
      maxRatio: 1.2,
    };
  } finally {
    for (const close of closes) close();
  }
}

export async function rows(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'ai-open-'));
  const children = startChildren(folder);
  const stops: (() => void)[] = [];
  const run = async (core: number, file: string, env: Record<string, string>) => {
    const port = await freePort();
    const { pid, stop } = await startProgram(core, [`bench/ai-gateway/${file}.ts`], env, port);
    stops.push(stop);
    return { pid, base: `http://127.0.0.1:${port}` };
  };
  try {
    const upstream = await run(1, 'upstream', {});
    const { environment, secretKeys } = await createBenchTable(folder, children, ACCOUNTS, {
      keysOfEach: KEYS_PER_ACCOUNT,
      concurrentAiCalls: 2 * OPEN_CALLS,
    });
    const keys = await storeProviderKey(folder);
    stops.push(keys.stop);
    const baseUrls = JSON.stringify({ openai: `${upstream.base}/v1` });
    const { pid, base } = await run(0, 'gateway', { ...environment, ...keys.env, AI_PROVIDER_BASE_URLS: baseUrls });
    const targets = secretKeys.map(
      (key): Target => ({
        name: 'ours',
        url: `${base}/ai/v1`,
        headers: { authorization: `Bearer ${key}` },
        pid,
        model: 'openai/gpt-4o-mini',
      }),
    );
    const targetOf = (account: number, key: number): Target => {
      const target = targets[account * KEYS_PER_ACCOUNT + key];
      if (!target) throw new Error('there is no account');
      return target;
    };
    const targetAt = (index: number): Target => targetOf(index % ACCOUNTS, 0);
    for (let index = 0; index < WARM_UP_CALLS; index += 1) await callOnce(targetAt(index));
    const idle = memoryOf(pid);

    const perSecond = OPEN_CALLS / 10;
    const calls = perSecond * DURATION_S;
    const began = performance.now();
    const before = cpuOf(pid);
    let peak = 0;
    const memoryTimer = setInterval(() => {
      peak = Math.max(peak, memoryOf(pid));
    }, 500);
    const pending: Promise<number>[] = [];
    for (let index = 0; index < calls; index += 1) {
      await sleep(Math.max(0, began + (index * 1000) / perSecond - performance.now()));
      pending.push(readStream(targetAt(index), TOKEN_INTERVAL_MS));
    }
    await Promise.all(pending);
    clearInterval(memoryTimer);
    const perCall = (cpuOf(pid) - before) / calls;
    const dollars = dollarsPerMillion(perCall, peak);
    console.log(
      `${calls} calls of 10 s, ${perSecond} a second: ${(perCall * 1000).toFixed(1)} ms of a processor a call, ` +
        `${idle.toFixed(0)} MB idle, ${peak.toFixed(0)} MB with ${OPEN_CALLS} open`,
    );
    const open = await compareOpen(targetOf);
    return [
      open,
      {
        name: 'a million calls of 10 s on managed instances, against $15',
        ours: dollars,
        baseline: 15,
        unit: '$',
        maxRatio: 1,
      },
      { name: 'memory of a thousand open calls, against 1 GiB', ours: peak, baseline: 1074, unit: 'MB', maxRatio: 1 },
    ];
  } finally {
    for (const stop of stops) stop();
    await children.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
