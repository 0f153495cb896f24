import { freePort } from '../../local/processes/ports.ts';
import { many, streamed, type Target, whole } from '../ai-gateway/load.ts';
import { installPortkey, startProgram } from '../ai-gateway/targets.ts';
import { median, type Row } from '../measure.ts';
import { startMeasuredRun } from '../processes/run.ts';
import { cpuSecondsOf, treeOf } from '../processes/tree.ts';

const CALLS = 600;
const CALLS_AT_ONCE = 10;
const STREAMS = 150;
const STREAMS_AT_ONCE = 50;
/** Milliseconds between the tokens of a stream, of which there are a hundred. */
const PACE = 10;
const TURNS = 3;

interface Figures {
  perSecond: number;
  firstText: number;
  cpuPerStream: number;
}

/** Measures a target once. The first calls are not counted: code is compiled then, and environments start. */
async function measure(target: Target): Promise<Figures> {
  await many(CALLS / 2, CALLS_AT_ONCE, () => whole(target));
  const { seconds } = await many(CALLS, CALLS_AT_ONCE, () => whole(target));
  const stream = () => streamed(target, PACE);
  await many(STREAMS_AT_ONCE, STREAMS_AT_ONCE, stream, 100 * PACE);
  const pids = target.pid ? treeOf(target.pid) : [];
  const before = cpuSecondsOf(pids);
  const { results } = await many(STREAMS, STREAMS_AT_ONCE, stream, 100 * PACE);
  const cpuPerStream = ((cpuSecondsOf(pids) - before) * 1000) / STREAMS;
  return { perSecond: CALLS / seconds, firstText: median(results), cpuPerStream };
}

/**
 * AI calls through the whole local run, with its table, authentication and billing, against Portkey's gateway, which has none of
 * these: the same provider and the same machine, by turns and without pinned cores.
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
    const taken = { direct: [] as Figures[], portkey: [] as Figures[], ours: [] as Figures[] };
    for (let turn = 0; turn < TURNS; turn += 1) {
      for (const name of ['direct', 'portkey', 'ours'] as const) taken[name].push(await measure(targets[name]));
    }
    const of = (name: keyof typeof taken, figure: keyof Figures) => median(taken[name].map((each) => each[figure]));
    const added = (name: keyof typeof taken) => of(name, 'firstText') - of('direct', 'firstText');
    return [
      {
        what: `time per AI call, ${CALLS_AT_ONCE} concurrently, against Portkey`,
        ours: 1000 / of('ours', 'perSecond'),
        against: 1000 / of('portkey', 'perSecond'),
        unit: 'ms',
        atMost: 2.2,
      },
      {
        what: `added time to first text, ${STREAMS_AT_ONCE} paced streams, against Portkey`,
        ours: added('ours'),
        against: added('portkey'),
        unit: 'ms',
        atMost: 2,
      },
      {
        what: 'processor time of a paced stream of 100 tokens, against Portkey',
        ours: of('ours', 'cpuPerStream'),
        against: of('portkey', 'cpuPerStream'),
        unit: 'ms',
        atMost: 8,
      },
    ];
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}
