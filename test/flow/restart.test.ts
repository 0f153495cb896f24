import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createApp, listApps } from '../../contract/apps.ts';
import { createClient } from '../../contract/client.ts';
import { createDeployment, getDeployment } from '../../contract/deployments.ts';
import { startRun } from '../platform.ts';
import { get } from './browse.ts';

const DATA_DIR = mkdtempSync(join(tmpdir(), 'restart-'));
afterAll(() => rmSync(DATA_DIR, { recursive: true, force: true }));

test('a run killed at any moment loses no acknowledged write and leaves no deployment stuck', async () => {
  let run = await startRun({ DATA_DIR });
  const connect = () => createClient({ baseUrl: run.local.baseUrl, secretKey: run.local.accounts.demo.secretKey });
  const names: string[] = [];
  const deployments: string[] = [];
  const body = {
    name: 'Killed',
    framework: 'EXPRESS' as const,
    repoUrl: 'https://git.localhost/hello-express.git',
    deployNow: false,
  };
  const app = (await connect().call(createApp, { body })).body.data;
  // Killed right after the deployment was taken, then in the middle of the build.
  for (const pause of [0, 1500]) {
    const client = connect();
    const name = `Kept ${pause}`;
    expect((await client.call(createApp, { body: { name } })).status).toBe(201);
    names.push(name);
    const queued = await client.call(createDeployment, { params: { id: app.id } });
    expect(queued.status).toBe(202);
    deployments.push(queued.body.data.id);
    await new Promise((done) => setTimeout(done, pause));
    await run.stop('SIGKILL');
    run = await startRun({ DATA_DIR });
    for (;;) {
      const { body: seen } = await connect().call(getDeployment, { params: { id: queued.body.data.id } });
      if (seen.data.finishedAt) break;
      await new Promise((done) => setTimeout(done, 1000));
    }
  }
  const client = connect();
  const kept = (await client.call(listApps)).body.data.map(({ name }) => name);
  expect(kept).toEqual(expect.arrayContaining(names));
  const last = await client.call(createDeployment, { params: { id: app.id } });
  expect(last.status).toBe(202);
  for (;;) {
    const { body: seen } = await client.call(getDeployment, { params: { id: last.body.data.id } });
    if (seen.data.finishedAt) {
      expect(seen.data.status).toBe('SUCCEEDED');
      break;
    }
    await new Promise((done) => setTimeout(done, 500));
  }
  expect((await get(run.local.baseUrl, app.primaryDomain)).status).toBe(200);
  await run.stop();
}, 300_000);
