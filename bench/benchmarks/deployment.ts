import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createApp } from '../../contract/apps/apps.ts';
import { createClient } from '../../contract/client.ts';
import { createDeployment, getDeployment } from '../../contract/deployments/deployments.ts';
import { freePort } from '../../local/processes/ports.ts';
import { durationOf, measureAlternately, median, type Row } from '../measure.ts';
import { startMeasuredRun } from '../processes/run.ts';

const TIMES = 5;
const NEXT_TURNS = 3;

/**
 * Compares a deployment of hello-express with a shell script that clones, runs `npm ci` and starts the same repository;
 * and the second deployment of hello-next, with an unchanged lockfile, with the first.
 */
export async function rows(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'deployment-'));
  const repositories = join(folder, 'repositories');
  const repositoryOf = (example: string): string => {
    const repository = join(repositories, `${example}.git`);
    execFileSync('cp', ['-r', '--', resolve('examples', example), repository]);
    const git = (...args: string[]) => execFileSync('git', args, { cwd: repository, stdio: 'ignore' });
    git('init', '--initial-branch=main');
    git('add', '--all');
    git('-c', 'user.name=Bench', '-c', 'user.email=bench@example.com', 'commit', '--message', 'bench');
    return repository;
  };
  mkdirSync(repositories);
  const repository = repositoryOf('hello-express');
  repositoryOf('hello-next');
  const run = await startMeasuredRun({ LOCAL_GIT_ROOT: repositories, RATE_LIMIT_SECRET: '1000000' });
  try {
    const client = createClient({ baseUrl: run.local.baseUrl, secretKey: run.local.accounts.demo.secretKey });
    const create = async (example: string, framework: 'EXPRESS' | 'NEXTJS'): Promise<string> => {
      const repoUrl = `https://git.localhost/${example}.git`;
      const body = { name: example, framework, repoUrl, deployNow: false };
      return (await client.call(createApp, { body })).body.data.id;
    };
    const deploy = async (id: string) => {
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
      const directory = join(folder, `copy-${copy++}`);
      const port = await freePort();
      const steps = `git clone --quiet --depth 1 file://${repository} ${directory} && cd ${directory} && npm ci --silent && (PORT=${port} exec node server.js)`;
      const shell = spawn('sh', ['-c', steps], { stdio: 'ignore', detached: true });
      for (;;) {
        const isUp = await fetch(`http://127.0.0.1:${port}/`).then(
          ({ ok }) => ok,
          () => false,
        );
        if (isUp) break;
        await new Promise((done) => setTimeout(done, 20));
      }
      if (shell.pid) process.kill(-shell.pid, 'SIGKILL');
    };
    const express = await create('hello-express', 'EXPRESS');
    await deploy(express);
    await script();
    const medians = await measureAlternately(TIMES, () => deploy(express), script);
    const [firsts, seconds]: [number[], number[]] = [[], []];
    for (let turn = 0; turn < NEXT_TURNS; turn += 1) {
      const next = await create('hello-next', 'NEXTJS');
      firsts.push(await durationOf(() => deploy(next)));
      seconds.push(await durationOf(() => deploy(next)));
    }
    return [
      { name: 'a deployment of hello-express, against a shell script', ...medians, unit: 'ms', maxRatio: 1.3 },
      {
        name: 'a second deployment of hello-next, against the first',
        ours: median(seconds),
        baseline: median(firsts),
        unit: 'ms',
        maxRatio: 0.6,
      },
    ];
  } finally {
    await run.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
