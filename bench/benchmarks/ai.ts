import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startChildren } from '../../local/processes/children.ts';
import { freePort } from '../../local/processes/ports.ts';
import {
  abortStream,
  callOnce,
  cpuOf,
  cpuPer1000,
  median,
  memoryOf,
  openStreams,
  readStream,
  repeatAtRate,
  repeatConcurrently,
  type Target,
} from '../ai-gateway/load.ts';
import { createBenchTable, installPortkey, isPinned, startProgram, storeProviderKey } from '../ai-gateway/targets.ts';
import type { Row } from '../measure.ts';

/**
 * Compares the AI gateway with Portkey's open-source gateway and a bare proxy: same machine, same run, same provider.
 * The measured gateway has one core; everything else (provider, table, driver) has the other. Portkey neither
 * authenticates nor bills here; the platform's gateway does both. The table calls for that are counted. Their processor time is
 * measured separately: the same client makes as many table calls in a process that does nothing else.
 */

/** Number of warm-up calls until the code is compiled, and number of measured calls. */
const WARM_UP_CALLS = 3000;
const CALLS = 1000;
/**
 * Calls per second that the slowest target sustains: the platform's gateway, whose table is DynamoDB Local on one core.
 */
const RATE = 150;
const STREAMS = 300;
const CONCURRENCY = 50;
const TOKEN_INTERVAL_MS = 10;
const SEQUENTIAL_STREAMS = 40;
/** The maximum number of open calls of one key. */
const OPEN_STREAMS = 100;
const ABORTS = 20;
const OURS = 'ours';

interface Figures {
  /** At the same rate for all targets, because an idle process pays more to wake up for a packet than a busy one. */
  cpuPaced: number;
  /** At each target's maximum rate. */
  cpuMaxRate: number;
  perSecond: number;
  /** Table calls per AI call. */
  tableCalls: number;
  firstByte: number;
  firstByteOf50: number;
  cpuStreams: number;
  idleMegabytes: number;
  kilobytesPerStream: number;
}

/** Returns the number of table calls that a target has made. Only the platform's gateway makes any. */
const tableCallsOf = async ({ name, url }: Target): Promise<number> =>
  name === OURS ? Number(await (await fetch(new URL('/table-calls', url))).text()) : 0;

async function measure(target: Target): Promise<Figures> {
  await repeatConcurrently(WARM_UP_CALLS, CONCURRENCY, () => callOnce(target));
  await repeatConcurrently(60, 20, () => readStream(target, 1));
  const idle = target.pid ? memoryOf(target.pid) : 0;
  const cpuPaced = await cpuPer1000(target, CALLS, () => repeatAtRate(CALLS, RATE, () => callOnce(target)));
  let perSecond = 0;
  const tableCallsBefore = await tableCallsOf(target);
  const cpuWhole = await cpuPer1000(target, CALLS, async () => {
    perSecond = CALLS / (await repeatConcurrently(CALLS, CONCURRENCY, () => callOnce(target))).seconds;
  });
  const tableCalls = ((await tableCallsOf(target)) - tableCallsBefore) / CALLS;
  const first = median((await repeatConcurrently(SEQUENTIAL_STREAMS, 1, () => readStream(target, 1))).results);
  let firstOf50 = 0;
  const cpuStreams = await cpuPer1000(target, STREAMS, async () => {
    firstOf50 = median(
      (
        await repeatConcurrently(
          STREAMS,
          CONCURRENCY,
          () => readStream(target, TOKEN_INTERVAL_MS),
          100 * TOKEN_INTERVAL_MS,
        )
      ).results,
    );
  });
  const before = target.pid ? memoryOf(target.pid) : 0;
  const close = await openStreams(target, OPEN_STREAMS);
  const perStream = target.pid ? ((memoryOf(target.pid) - before) * 1000) / OPEN_STREAMS : 0;
  close();
  await new Promise((done) => setTimeout(done, 500));
  return {
    cpuPaced,
    cpuMaxRate: cpuWhole,
    perSecond,
    tableCalls,
    firstByte: first,
    firstByteOf50: firstOf50,
    cpuStreams,
    idleMegabytes: idle,
    kilobytesPerStream: perStream,
  };
}

const HEADINGS = [
  '',
  `at ${RATE} a second`,
  '1,000 whole: CPU s',
  'calls/s',
  '1st byte ms',
  'at 50 ms',
  '1,000 streams: CPU s',
  'idle MB',
  'kB a stream',
  'aborts passed on',
];

export async function rows(): Promise<Row[]> {
  if (isPinned) spawnSync('taskset', ['-cp', '1', String(process.pid)]);
  else console.log('taskset is not installed: processes are not pinned to cores');
  const folder = mkdtempSync(join(tmpdir(), 'ai-bench-'));
  const children = startChildren(folder);
  const stops: (() => void)[] = [];
  const run = async (core: number, args: string[], env: Record<string, string>) => {
    const port = await freePort();
    const { pid, stop } = await startProgram(core, args, env, port);
    stops.push(stop);
    return { pid, stop, base: `http://127.0.0.1:${port}` };
  };
  try {
    const portkey = installPortkey();
    const upstream = await run(1, ['bench/ai-gateway/upstream.ts'], {});
    const { environment, secretKeys } = await createBenchTable(folder, children);
    const [secretKey = ''] = secretKeys;
    const cutSoFar = async () => Number(await (await fetch(`${upstream.base}/cut`)).text());
    const model = 'gpt-4o-mini';
    const hosted = {
      'x-portkey-provider': 'openai',
      'x-portkey-custom-host': `${upstream.base}/v1`,
      authorization: 'Bearer x',
    };
    const targets: [name: string, begin: () => Promise<Target & { stop?: () => void }>][] = [
      ['direct', async () => ({ name: 'direct', url: `${upstream.base}/v1`, headers: {}, model })],
      [
        'bare proxy',
        async () => {
          const { pid, base, stop } = await run(0, ['bench/ai-gateway/proxy.ts'], { UPSTREAM: upstream.base });
          return { name: 'bare proxy', url: `${base}/v1`, headers: {}, model, pid, stop };
        },
      ],
      [
        'Portkey',
        async () => {
          const port = await freePort();
          const { pid, stop } = await startProgram(0, [portkey, `--port=${port}`, '--headless'], {}, port);
          stops.push(stop);
          return { name: 'Portkey', url: `http://127.0.0.1:${port}/v1`, headers: hosted, model, pid, stop };
        },
      ],
      [
        'Portkey, no sleep',
        async () => {
          const port = await freePort();
          const { pid, stop } = await startProgram(
            0,
            ['--import', resolve('bench/ai-gateway/no-sleep.mjs'), portkey, `--port=${port}`, '--headless'],
            {},
            port,
          );
          stops.push(stop);
          return { name: 'Portkey, no sleep', url: `http://127.0.0.1:${port}/v1`, headers: hosted, model, pid, stop };
        },
      ],
      [
        OURS,
        async () => {
          const keys = await storeProviderKey(folder);
          stops.push(keys.stop);
          const env = {
            ...environment,
            ...keys.env,
            AI_PROVIDER_BASE_URLS: JSON.stringify({ openai: `${upstream.base}/v1` }),
          };
          const { pid, base, stop } = await run(0, ['bench/ai-gateway/gateway.ts'], env);
          return {
            name: OURS,
            url: `${base}/ai/v1`,
            headers: { authorization: `Bearer ${secretKey}` },
            model: `openai/${model}`,
            pid,
            stop,
          };
        },
      ],
    ];
    const found = new Map<string, Figures & { aborts: number }>();
    for (const [name, begin] of targets) {
      const target = await begin();
      const figures = await measure(target);
      const before = await cutSoFar();
      for (let count = 0; count < ABORTS; count += 1) await abortStream(target);
      await new Promise((done) => setTimeout(done, 700));
      found.set(name, { ...figures, aborts: (await cutSoFar()) - before });
      target.stop?.();
    }
    const direct = found.get('direct');
    console.log(HEADINGS.map((head) => head.padStart(20)).join(''));
    for (const [name, all] of found) {
      const added = (value: number, base: number | undefined) =>
        (name === 'direct' ? value : value - (base ?? 0)).toFixed(1);
      const shown = [
        all.cpuPaced.toFixed(2),
        all.cpuMaxRate.toFixed(2),
        all.perSecond.toFixed(0),
        added(all.firstByte, direct?.firstByte),
        added(all.firstByteOf50, direct?.firstByteOf50),
      ];
      const rest = [
        all.cpuStreams.toFixed(2),
        all.idleMegabytes.toFixed(0),
        all.kilobytesPerStream.toFixed(0),
        `${all.aborts} of ${ABORTS}`,
      ];
      console.log([name, ...shown, ...rest].map((text) => text.padStart(20)).join(''));
    }
    const [ours, theirs, awake] = [OURS, 'Portkey', 'Portkey, no sleep'].map((name) => found.get(name));
    if (!ours || !theirs || !awake || !direct) throw new Error('A measurement is missing');
    const bare = await run(0, ['bench/ai-gateway/table-calls.ts'], environment);
    // Warms up with as many table calls as the gateway made while warming up.
    await fetch(`${bare.base}/${Math.round(WARM_UP_CALLS * ours.tableCalls)}`);
    const cpuBefore = cpuOf(bare.pid);
    await fetch(`${bare.base}/${CALLS * 10}`);
    const cpuOfTable = ((cpuOf(bare.pid) - cpuBefore) / 10) * ours.tableCalls;
    console.log(`${ours.tableCalls.toFixed(1)} table calls in each call: CPU ${cpuOfTable.toFixed(2)} s of 1,000`);
    const addedLatency = (figures: Figures) => ({
      first: figures.firstByte - direct.firstByte,
      firstOf50: figures.firstByteOf50 - direct.firstByteOf50,
    });
    const row = (name: string, mine: number, baseline: number, unit: string, maxRatio: number): Row => ({
      name,
      ours: mine,
      baseline,
      unit,
      maxRatio,
    });
    return [
      row(
        'added time to first byte, one call at a time, against Portkey',
        addedLatency(ours).first,
        addedLatency(theirs).first,
        'ms',
        0.5,
      ),
      row(
        'added time to first byte, 50 concurrent calls, against Portkey',
        addedLatency(ours).firstOf50,
        addedLatency(theirs).firstOf50,
        'ms',
        0.5,
      ),
      row(
        'added time to first byte, one call at a time, against Portkey without its sleep',
        addedLatency(ours).first,
        addedLatency(awake).first,
        'ms',
        Number.POSITIVE_INFINITY,
      ),
      row('CPU for 1,000 paced streams, against Portkey', ours.cpuStreams, theirs.cpuStreams, 's', 0.8),
      row(`CPU for 1,000 calls, ${RATE} a second, against Portkey`, ours.cpuPaced, theirs.cpuPaced, 's', 1.5),
      row(
        'CPU for 1,000 calls at full speed, against Portkey',
        ours.cpuMaxRate,
        theirs.cpuMaxRate,
        's',
        Number.POSITIVE_INFINITY,
      ),
      row(
        'CPU for 1,000 calls without their table calls, against Portkey',
        ours.cpuMaxRate - cpuOfTable,
        theirs.cpuMaxRate,
        's',
        1.3,
      ),
      row('table calls per AI call, against ten', ours.tableCalls, 10, '', 1),
      row('memory of an open stream, against 150 kB', ours.kilobytesPerStream, 150, 'kB', 1),
    ];
  } finally {
    for (const stop of stops) stop();
    await children.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
