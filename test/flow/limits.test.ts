import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApp } from '../../contract/apps/apps.ts';
import { readAppLogs } from '../../contract/apps/logs.ts';
import { createDeployment, getDeployment } from '../../contract/deployments/deployments.ts';
import { createWebhook } from '../../contract/webhooks/endpoints.ts';
import { get } from '../support/browse.ts';
import { newAccount, type OpenedAccount, waitFor } from '../support/harness.ts';
import { type Run, startRun } from '../support/platform.ts';
import { FAILING_RECEIVERS, receiver } from '../support/receivers.ts';
import { app, committer } from '../support/repositories.ts';

/** Limits of time, memory and attempts, on a separate platform whose builds may take some seconds, and deliveries too. */
const root = mkdtempSync(join(tmpdir(), 'limits-'));
const commit = committer(root);
const SECONDS = 12;
const RETRY_AFTER = [1, 1, 2, 2, 3];
let run: Run;
let account: OpenedAccount;
beforeAll(async () => {
  const limits = {
    RATE_LIMIT_SECRET: '100000',
    RATE_LIMIT_LOGIN: '100000',
    BUILD_SECONDS: String(SECONDS),
    WEBHOOK_RETRY_SCHEDULE: RETRY_AFTER.join(),
  };
  run = await startRun({ DATA_DIR: ':memory:', LOCAL_GIT_ROOT: root, ...limits });
  account = await newAccount({}, run.local);
});
afterAll(() => run?.stop());

async function deploy(name: string, fields: { installCommand?: string; buildCommand?: string } = {}) {
  const repoUrl = `https://git.localhost/${name}.git`;
  const body = { name, framework: 'NODE' as const, repoUrl, deployNow: false, ...fields };
  const { data: made } = (await account.call(createApp, { body })).body;
  const { data: begun } = (await account.call(createDeployment, { params: { id: made.id } })).body;
  const deployment = await waitFor(async () => {
    const { data } = (await account.call(getDeployment, { params: { id: begun.id } })).body;
    return data.finishedAt !== null && data;
  });
  return { made, deployment };
}

test.concurrent.each(['installCommand', 'buildCommand'] as const)(
  'a deployment whose %s hangs ends FAILED at its time limit with that reason',
  async (command) => {
    const name = `hangs-${command.toLowerCase()}`;
    commit(name, app("'hangs'"));
    const { deployment } = await deploy(name, { [command]: 'echo begun; sleep 3600 & wait' });
    expect(deployment.status).toBe('FAILED');
    const sentence = `The build was stopped: it exceeded the limit of ${SECONDS} seconds.`;
    expect(deployment.log).toMatch(new RegExp(`begun\\n==> Deployment failed: ${sentence.replaceAll('.', '\\.')}\\n$`));
  },
  120_000,
);

test.concurrent('a delivery has six attempts on schedule, and endpoints that fail affect no others', async () => {
  const owner = await newAccount({}, run.local);
  // A failing endpoint among as many misbehaving ones as the account allows.
  const down = await receiver((_, response) => response.writeHead(500).end());
  const good = await receiver();
  const nasty = await Promise.all(
    Object.values(FAILING_RECEIVERS)
      .slice(0, 17)
      .map(({ make }) => make()),
  );
  for (const { url } of [down, good, ...nasty])
    expect((await owner.call(createWebhook, { body: { url, events: ['*'] } })).status).toBe(201);
  expect((await owner.call(createApp, { body: { name: 'Fails', framework: 'NODE' } })).status).toBe(201);
  await waitFor(async () => good.received[0], 20);
  await waitFor(async () => down.received[5], 50);
  await sleep(4000);
  expect([down.received.length, good.received.length]).toEqual([6, 1]);
  const times = down.received.map(({ at }) => at);
  const gaps = times.slice(1).map((at, index) => (at - (times[index] ?? 0)) / 1000);
  console.log(`gaps of the six attempts: ${gaps.map((gap) => gap.toFixed(2)).join(', ')} s`);
  for (const [index, asked] of RETRY_AFTER.entries()) {
    expect(gaps[index]).toBeGreaterThanOrEqual(asked - 0.05);
    expect(gaps[index]).toBeLessThan(asked + 15);
  }
  expect(new Set(down.received.map(({ headers }) => headers['x-service-delivery'])).size).toBe(6);
  expect(new Set(down.received.map(({ body }) => body)).size).toBe(1);
  await Promise.all([down, good, ...nasty].map((each) => each.stop()));
}, 120_000);

test('an application beyond its memory limit is stopped, responds with 502 and is restarted; others keep running', async () => {
  const hoard = `q.url === '/hoard' ? setInterval(() => kept.push(Buffer.alloc(64 << 20, 1)), 20) && '' : 'up'`;
  const server = `const kept = []; require('node:http').createServer((q, s) => {
    const says = ${hoard}; if (says) s.end(says);
  }).listen(process.env.PORT);`;
  commit('hoards', { ...app(''), 'server.js': server });
  commit('modest', app("'modest'"));
  const [hoards, modest] = await Promise.all([deploy('hoards'), deploy('modest')]);
  const ask = async ({ made }: typeof hoards, path = '/') => {
    const { status, body } = await get(run.local.baseUrl, made.primaryDomain, path);
    return [status, body.trim()];
  };
  expect([await ask(hoards), await ask(modest)]).toEqual([
    [200, 'up'],
    [200, 'modest'],
  ]);
  expect(await ask(hoards, '/hoard')).toEqual([502, 'The application ended before it answered.']);
  expect([await ask(hoards), await ask(modest)]).toEqual([
    [200, 'up'],
    [200, 'modest'],
  ]);
  await waitFor(async () => {
    const { data } = (await account.dashboard.call(readAppLogs, { params: { id: hoards.made.id } })).body;
    return data.some(({ text }) => text === 'Error: Runtime exited with error: signal: killed');
  });
});
