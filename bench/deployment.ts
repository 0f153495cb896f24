import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createApp } from '../contract/apps.ts';
import { createClient } from '../contract/client.ts';
import { createDeployment, getDeployment } from '../contract/deployments.ts';
import { freePort, startRun } from '../test/platform.ts';
import { byTurns, type Row } from './measure.ts';

const TIMES = 5;

/** A deployment of hello-express end to end against the same clone, `npm ci` and start by a shell script. */
export async function rows(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'deployment-'));
  const repositories = join(folder, 'repositories');
  const repository = join(repositories, 'hello-express.git');
  execFileSync('cp', ['-r', '--', resolve('examples'), repositories]);
  execFileSync('mv', ['--', join(repositories, 'hello-express'), repository]);
  const git = (...args: string[]) => execFileSync('git', args, { cwd: repository, stdio: 'ignore' });
  git('init', '--initial-branch=main');
  git('add', '--all');
  git('-c', 'user.name=Bench', '-c', 'user.email=bench@example.com', 'commit', '--message', 'bench');
  const run = await startRun({ DATA_DIR: ':memory:', LOCAL_GIT_ROOT: repositories, RATE_LIMIT_SECRET: '1000000' });
  try {
    const client = createClient({ baseUrl: run.local.baseUrl, secretKey: run.local.accounts.demo.secretKey });
    const repoUrl = 'https://git.localhost/hello-express.git';
    const body = { name: 'Bench', framework: 'EXPRESS' as const, repoUrl, deployNow: false };
    const { id } = (await client.call(createApp, { body })).body.data;
    const deploy = async () => {
      const queued = await client.call(createDeployment, { params: { id } });
      for (;;) {
        const { data } = (await client.call(getDeployment, { params: { id: queued.body.data.id } })).body;
        if (data.status === 'SUCCEEDED') return;
        if (data.status === 'FAILED') throw new Error(data.log);
        await new Promise((done) => setTimeout(done, 20));
      }
    };
    let copy = 0;
    const script = async () => {
      const place = join(folder, `copy-${copy++}`);
      const port = await freePort();
      const steps = `git clone --quiet --depth 1 file://${repository} ${place} && cd ${place} && npm ci --silent && (PORT=${port} exec node server.js)`;
      const shell = spawn('sh', ['-c', steps], { stdio: 'ignore', detached: true });
      for (;;) {
        const answered = await fetch(`http://127.0.0.1:${port}/`).then(
          ({ ok }) => ok,
          () => false,
        );
        if (answered) break;
        await new Promise((done) => setTimeout(done, 20));
      }
      if (shell.pid) process.kill(-shell.pid, 'SIGKILL');
    };
    await deploy();
    await script();
    const taken = await byTurns(TIMES, deploy, script);
    return [{ what: 'a deployment of hello-express against a shell script', ...taken, unit: 'ms', atMost: 1.3 }];
  } finally {
    await run.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
