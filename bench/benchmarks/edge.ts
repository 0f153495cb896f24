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
const AT_ONCE = 10;
const TURNS = 5;

interface Load {
  perSecond: number;
  p99: number;
}

/** Sends requests to a server, ten at a time over kept connections. */
async function load(port: number, host: string): Promise<Load> {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  const taken: number[] = [];
  const once = () =>
    new Promise<void>((resolve, reject) => {
      const began = performance.now();
      request({ agent, port, host: '127.0.0.1', path: '/healthz', headers: { host } }, (answer) => {
        if (answer.statusCode !== 200) reject(new Error(`${host} answered ${answer.statusCode}`));
        answer.on('error', reject).on('end', () => {
          taken.push(performance.now() - began);
          resolve();
        });
        answer.resume();
      })
        .on('error', reject)
        .end();
    });
  let left = TIMES;
  const began = performance.now();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (left > 0) {
        left -= 1;
        await once();
      }
    }),
  );
  const perSecond = (TIMES * 1000) / (performance.now() - began);
  agent.destroy();
  return { perSecond, p99: quantile(taken, 0.99) };
}

/** Compares hello-express behind the local edge with the same program alone: requests a second, and the 99th percentile. */
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
    const of = (name: keyof typeof measured, figure: keyof Load) =>
      quantile(
        measured[name].map((each) => each[figure]),
        0.5,
      );
    return [
      {
        what: `time per request through the local edge, ${AT_ONCE} concurrently, against the application alone`,
        ours: 1000 / of('edge', 'perSecond'),
        against: 1000 / of('alone', 'perSecond'),
        unit: 'ms',
        atMost: 1 / 0.6,
      },
      {
        what: 'p99 added by the local edge, against 2 ms',
        ours: of('edge', 'p99') - of('alone', 'p99'),
        against: 2,
        unit: 'ms',
        atMost: 1,
      },
    ];
  } finally {
    program.kill();
    await run.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
