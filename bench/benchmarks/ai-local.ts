import { freePort } from '../../local/processes/ports.ts';
import { callOnce, readStream, repeatConcurrently, type Target } from '../ai-gateway/load.ts';
import { installPortkey, startProgram } from '../ai-gateway/targets.ts';
import { median, type Row } from '../measure.ts';
import { startMeasuredRun } from '../processes/run.ts';
import { cpuSecondsOf, treeOf } from '../processes/tree.ts';

const CALLS = 600;
const CALL_CONCURRENCY = 10;
const STREAMS = 150;
const STREAM_CONCURRENCY = 50;
/** Interval between two of the 100 tokens of a stream. */
const TOKEN_INTERVAL_MS = 10;
const TURNS = 3;

interface Figures {
  perSecond: number;
  firstText: number;
  cpuPerStream: number;
}

/** Measures a target once. The first calls are not counted, because they compile code and start environments. */
async function measure(target: Target): Promise<Figures> {
  await repeatConcurrently(CALLS / 2, CALL_CONCURRENCY, () => callOnce(target));
  const { seconds } = await repeatConcurrently(CALLS, CALL_CONCURRENCY, () => callOnce(target));
  const stream = () => readStream(target, TOKEN_INTERVAL_MS);
  await repeatConcurrently(STREAM_CONCURRENCY, STREAM_CONCURRENCY, stream, 100 * TOKEN_INTERVAL_MS);
  const pids = target.pid ? treeOf(target.pid) : [];
  const before = cpuSecondsOf(pids);
  const { results } = await repeatConcurrently(STREAMS, STREAM_CONCURRENCY, stream, 100 * TOKEN_INTERVAL_MS);
  const cpuPerStream = ((cpuSecondsOf(pids) - before) * 1000) / STREAMS;
  return { perSecond: CALLS / seconds, firstText: median(results), cpuPerStream };
}

/**
 * Compares AI calls through the whole local run, with its table, authentication and billing, with calls through Portkey's gateway, which
 * has none of these. Both use the same provider and machine, alternately and without pinned cores.
 */
export async function rows(): Promise<Row[]> {
  const stops: (() => unknown)[] = [];
  const program = async (args: string[]) => {
    const port = await freePort();
    const { pid, stop } = await startProgram(undefined, [...args, `--port=${port}`], {}, port);
    stops.push(stop);
    return { pid, url: `http://127.0.0.1:${port}/v1` };
  };
  try {
    const upstream = await program(['bench/ai-gateway/upstream.ts']);
    const portkey = await program([installPortkey(), '--headless']);
    const run = await startMeasuredRun({
      RATE_LIMIT_SECRET: '10000000',
      AI_PROVIDER_BASE_URLS: JSON.stringify({ openai: upstream.url }),
    });
    stops.push(run.stop);
    const { demo } = run.local.accounts;
    const model = 'gpt-4o-mini';
    const targets: Record<'direct' | 'portkey' | 'ours', Target> = {
      direct: { name: 'direct', url: upstream.url, headers: {}, model },
      portkey: {
        name: 'Portkey',
        ...portkey,
        model,
        headers: {
          'x-portkey-provider': 'openai',
          'x-portkey-custom-host': upstream.url,
          authorization: 'Bearer x',
        },
      },
      ours: {
        name: 'ours',
        url: `${run.local.baseUrl}/ai/v1`,
        pid: run.pid,
        model: `openai/${model}`,
        headers: { authorization: `Bearer ${demo.keys.ai}` },
      },
    };
    const samples = { direct: [] as Figures[], portkey: [] as Figures[], ours: [] as Figures[] };
    for (let turn = 0; turn < TURNS; turn += 1) {
      for (const name of ['direct', 'portkey', 'ours'] as const) samples[name].push(await measure(targets[name]));
    }
    const medianOf = (name: keyof typeof samples, figure: keyof Figures) =>
      median(samples[name].map((each) => each[figure]));
    const added = (name: keyof typeof samples) => medianOf(name, 'firstText') - medianOf('direct', 'firstText');
    return [
      {
        name: `time per AI call, ${CALL_CONCURRENCY} concurrently, against Portkey`,
        ours: 1000 / medianOf('ours', 'perSecond'),
        baseline: 1000 / medianOf('portkey', 'perSecond'),
        unit: 'ms',
        maxRatio: 2.2,
      },
      {
        name: `added time to first text, ${STREAM_CONCURRENCY} paced streams, against Portkey`,
        ours: added('ours'),
        baseline: added('portkey'),
        unit: 'ms',
        maxRatio: 2,
      },
      {
        name: 'processor time of a paced stream of 100 tokens, against Portkey',
        ours: medianOf('ours', 'cpuPerStream'),
        baseline: medianOf('portkey', 'cpuPerStream'),
        unit: 'ms',
        maxRatio: 8,
      },
    ];
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}
