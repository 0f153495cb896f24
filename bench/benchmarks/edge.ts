import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createApp } from '../../contract/apps/apps.ts';
import { createClient } from '../../contract/client.ts';
import { getDeployment, listDeployments } from '../../contract/deployments/deployments.ts';
import { freePort } from '../../local/processes/ports.ts';
import { quantile, type Row } from '../measure.ts';
import { startMeasuredRun } from '../processes/run.ts';

const TIMES = 3000;
const CONCURRENCY = 10;
const TURNS = 5;

interface Load {
  perSecond: number;
  p99: number;
}

/** Sends requests to a server, ten at a time over keep-alive connections. */
async function load(port: number, host: string): Promise<Load> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY });
  const durations: number[] = [];
  const sendRequest = () =>
    new Promise<void>((resolve, reject) => {
      const began = performance.now();
      request({ agent, port, host: '127.0.0.1', path: '/healthz', headers: { host } }, (answer) => {
        if (answer.statusCode !== 200) reject(new Error(`${host} answered ${answer.statusCode}`));
        answer.on('error', reject).on('end', () => {
          durations.push(performance.now() - began);
          resolve();
        });
        answer.resume();
      })
        .on('error', reject)
        .end();
    });
  let remaining = TIMES;
  const began = performance.now();
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      while (remaining > 0) {
        remaining -= 1;
        await sendRequest();
      }
    }),
  );
  const perSecond = (TIMES * 1000) / (performance.now() - began);
  agent.destroy();
  return { perSecond, p99: quantile(durations, 0.99) };
}

/** Compares hello-express behind the local edge with the same program alone: requests per second and the 99th percentile. */
export async function rows(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'edge-'));
  const alone = await freePort();
  cpSync('examples/hello-express', folder, { recursive: true });
  execFileSync('npm', ['ci', '--silent'], { cwd: folder, stdio: 'ignore' });
  const program = spawn(process.execPath, ['server.js'], {
    cwd: folder,
    env: { ...process.env, PORT: String(alone) },
    stdio: 'ignore',
  });
  const run = await startMeasuredRun({ RATE_LIMIT_SECRET: '1000000' });
  try {
    const client = createClient({ baseUrl: run.local.baseUrl, secretKey: run.local.accounts.demo.secretKey });
    const repoUrl = 'https://git.localhost/hello-express.git';
    const created = await client.call(createApp, { body: { name: 'Edge', framework: 'EXPRESS', repoUrl } });
    const { id, slug } = created.body.data;
    for (;;) {
      const [deployment] = (await client.call(listDeployments, { params: { id } })).body.data;
      const state = deployment && (await client.call(getDeployment, { params: { id: deployment.id } })).body.data;
      if (state?.status === 'SUCCEEDED') break;
      if (state?.status === 'FAILED') throw new Error(state.log);
      await sleep(100);
    }
    const port = Number(new URL(run.local.baseUrl).port);
    const hostname = `${slug}.${run.local.environment.APPS_DOMAIN}`;
    const measured = { edge: [] as Load[], alone: [] as Load[] };
    await load(port, hostname);
    await load(alone, 'localhost');
    for (let turn = 0; turn < TURNS; turn += 1) {
      measured.edge.push(await load(port, hostname));
      measured.alone.push(await load(alone, 'localhost'));
    }
    const medianOf = (name: keyof typeof measured, figure: keyof Load) =>
      quantile(
        measured[name].map((turn) => turn[figure]),
        0.5,
      );
    return [
      {
        name: `time per request through the local edge, ${CONCURRENCY} concurrently, against the application alone`,
        ours: 1000 / medianOf('edge', 'perSecond'),
        baseline: 1000 / medianOf('alone', 'perSecond'),
        unit: 'ms',
        maxRatio: 1 / 0.6,
      },
      {
        name: 'p99 added by the local edge, against 2 ms',
        ours: medianOf('edge', 'p99') - medianOf('alone', 'p99'),
        baseline: 2,
        unit: 'ms',
        maxRatio: 1,
      },
    ];
  } finally {
    program.kill();
    await run.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
