import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApp, updateApp } from '../../contract/apps/apps.ts';
import { getDeployKey, getGitHook, rotateDeployKey } from '../../contract/apps/git-access.ts';
import { readAppLogs } from '../../contract/apps/logs.ts';
import { createDeployment, getDeployment, listDeployments } from '../../contract/deployments/deployments.ts';
import { createWebhook } from '../../contract/webhooks/endpoints.ts';
import { get } from '../support/browse.ts';
import { HOSTS, type SentHook } from '../support/git-hooks.ts';
import { newAccount, type OpenedAccount, waitFor } from '../support/harness.ts';
import { type Run, startRun } from '../support/platform.ts';
import { FAILING_RECEIVERS, receiver } from '../support/receivers.ts';
import { app, commitTo, git } from '../support/repositories.ts';
import { hasSsh, type SshGitServer, startSshGitServer } from '../support/ssh-git-server.ts';

/**
 * Private repositories, pushes, and limits of time, memory and attempts: on a separate platform with settings of its own, whose data can be
 * searched.
 */
const root = mkdtempSync(join(tmpdir(), 'own-settings-'));
const [repositories, DATA_DIR] = [join(root, 'git'), join(root, 'data')];
/** Short for the builds that hang, and long for the others on a busy machine. */
const SECONDS = 20;
const RETRY_AFTER = [1, 1, 2, 2, 3];
let run: Run;
let account: OpenedAccount;
let server: SshGitServer;
beforeAll(async () => {
  server = await startSshGitServer(repositories);
  commitTo(join(repositories, 'first.git'), app("'first'"));
  run = await startRun({
    DATA_DIR,
    LOCAL_GIT_ROOT: repositories,
    GIT_KNOWN_HOSTS: server.knownHost,
    RATE_LIMIT_SECRET: '100000',
    RATE_LIMIT_LOGIN: '100000',
    BUILD_SECONDS: String(SECONDS),
    WEBHOOK_RETRY_SCHEDULE: RETRY_AFTER.join(),
  });
  account = await newAccount({ appLimit: 100 }, run.local);
});
afterAll(async () => {
  await run?.stop();
  await server?.stop();
  rmSync(root, { recursive: true, force: true });
});

async function create(name: string, repoUrl: string, fields: { installCommand?: string; buildCommand?: string } = {}) {
  const body = { name, framework: 'NODE' as const, repoUrl, deployNow: false, ...fields };
  return (await account.call(createApp, { body })).body.data;
}

const follow = (id: string) =>
  waitFor(async () => {
    const { data } = (await account.call(getDeployment, { params: { id } })).body;
    return data.finishedAt !== null && data;
  });

async function deploy(id: string) {
  return await follow((await account.call(createDeployment, { params: { id } })).body.data.id);
}

const page = async (host: string) => (await get(run.local.baseUrl, host)).body;

/** Prefix of every private key in OpenSSH's format, in base64. */
const PRIVATE_KEY_PREFIX = Buffer.from('openssh-key-v1').toString('base64').slice(0, 18);

/** Returns the files below a folder that contain a text. */
function filesContaining(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => readFileSync(path).includes(text));
}

test.skipIf(!hasSsh)(
  'a private repository is deployed once its host has the deploy key, whose private half is stored encrypted only',
  async () => {
    const sha = commitTo(join(repositories, 'private.git'), app("'private'"));
    const { id, primaryDomain } = await create('Private', `git@[127.0.0.1:${server.port}]:private.git`);
    const refused = await deploy(id);
    expect(refused.status).toBe('FAILED');
    expect(refused.log).toContain("does not accept this application's deploy key");
    server.authorized.add((await account.dashboard.call(getDeployKey, { params: { id } })).body.data.publicKey);
    const done = await deploy(id);
    expect(done).toMatchObject({ status: 'SUCCEEDED', commitSha: sha });
    expect(await page(primaryDomain)).toBe('private');
    // Execution histories, jobs, logs, artifacts, the table: everything that the platform stores.
    expect(filesContaining(DATA_DIR, sha), 'that it looks where things are kept').not.toEqual([]);
    expect(filesContaining(DATA_DIR, PRIVATE_KEY_PREFIX)).toEqual([]);
  },
  120_000,
);

test.skipIf(!hasSsh)(
  'a private repository is deployed with a rotated deploy key once its host has it',
  async () => {
    commitTo(join(repositories, 'renewed.git'), app("'renewed'"));
    const { id, primaryDomain } = await create('Renewed', `git@[127.0.0.1:${server.port}]:renewed.git`);
    server.authorized.add((await account.dashboard.call(getDeployKey, { params: { id } })).body.data.publicKey);
    expect((await deploy(id)).status).toBe('SUCCEEDED');
    const { publicKey } = (await account.dashboard.call(rotateDeployKey, { params: { id } })).body.data;
    const refused = await deploy(id);
    expect(refused.status).toBe('FAILED');
    expect(refused.log).toContain("does not accept this application's deploy key");
    expect(await page(primaryDomain), 'what is live stays').toBe('renewed');
    server.authorized.add(publicKey);
    expect((await deploy(id)).status).toBe('SUCCEEDED');
  },
  120_000,
);

/** Post-receive hook of a self-hosted Git server: signs like GitHub and calls the platform. */
const POST_RECEIVE = (url: string, secret: string) => `#!/bin/sh
while read -r before after ref; do
  body=$(printf '{"ref":"%s","before":"%s","after":"%s","head_commit":{"message":"%s"}}' "$ref" "$before" "$after" "$(git log -1 --format=%s "$after")")
  signature=$(printf '%s' "$body" | openssl dgst -sha256 -hmac '${secret}' -r | cut -d ' ' -f 1)
  curl -sS -X POST '${url}' -H 'Content-Type: application/json' -H 'X-GitHub-Event: push' \\
    -H "X-GitHub-Delivery: $after" -H "X-Hub-Signature-256: sha256=$signature" --data-raw "$body"
done
`;

test('git push makes a new release live; a commit with [skip ci] does not', async () => {
  const [bare, work] = [join(repositories, 'pushed.git'), join(root, 'work')];
  git(repositories, 'init', '--quiet', '--bare', '--initial-branch=main', bare);
  commitTo(work, app("'one'"));
  const push = () => git(work, 'push', '--quiet', bare, 'main');
  push();
  const { id, primaryDomain } = await create('Pushed', 'https://git.localhost/pushed.git');
  expect((await deploy(id)).status).toBe('SUCCEEDED');
  const { url, secret } = (await account.dashboard.call(getGitHook, { params: { id } })).body.data;
  writeFileSync(join(bare, 'hooks', 'post-receive'), POST_RECEIVE(url, secret));
  chmodSync(join(bare, 'hooks', 'post-receive'), 0o755);
  await account.call(updateApp, { params: { id }, body: { autoDeploy: true } });

  const sha = commitTo(work, app("'two'"));
  push();
  expect(await waitFor(async () => (await page(primaryDomain)) === 'two')).toBe(true);
  commitTo(work, app("'three'"), 'Only a text [skip ci]');
  push();
  const { data } = (await account.call(listDeployments, { params: { id } })).body;
  expect(data.map(({ trigger }) => trigger)).toEqual(['PUSH', 'API']);
  const [pushed] = data;
  expect(await follow(pushed?.id ?? '')).toMatchObject({ status: 'SUCCEEDED', trigger: 'PUSH', commitSha: sha });
});

test("guessing is limited per address and does not affect the repository's own pushes", async ({ task }) => {
  // The guesses of a failed attempt count for a minute.
  if (task.result?.retryCount) await sleep(61_000);
  const { id } = await create('Guessed', 'https://git.localhost/first.git');
  const { url, secret } = (await account.dashboard.call(getGitHook, { params: { id } })).body.data;
  const send = ({ headers, body }: SentHook, to = url) => fetch(to, { method: 'POST', headers, body });
  const guesses = await Promise.all(Array.from({ length: 40 }, () => send(HOSTS.GitLab('a guess'))));
  const statuses = guesses.map(({ status }) => status);
  expect(statuses.filter((status) => status === 401)).toHaveLength(30);
  const limited = guesses.filter(({ status }) => status === 429);
  expect(limited).toHaveLength(10);
  for (const { headers } of limited) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await send(HOSTS.GitLab(secret), url.replace(id, 'app_none'))).status, 'nor which there are').toBe(429);
  for (const host of Object.values(HOSTS)) expect((await send(host(secret))).status).toBe(200);
});

test.concurrent.each(['installCommand', 'buildCommand'] as const)(
  'a deployment whose %s hangs ends FAILED at its time limit with that reason',
  async (command) => {
    const name = `hangs-${command.toLowerCase()}`;
    commitTo(join(repositories, `${name}.git`), app("'hangs'"));
    const { id } = await create(name, `https://git.localhost/${name}.git`, {
      [command]: 'echo begun; sleep 3600 & wait',
    });
    const deployment = await deploy(id);
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
  const made = async (name: string, files: Record<string, string>) => {
    commitTo(join(repositories, `${name}.git`), files);
    const created = await create(name, `https://git.localhost/${name}.git`);
    await deploy(created.id);
    return created;
  };
  const [hoards, modest] = await Promise.all([
    made('hoards', { ...app(''), 'server.js': server }),
    made('modest', app("'modest'")),
  ]);
  const ask = async ({ primaryDomain }: typeof hoards, path = '/') => {
    const { status, body } = await get(run.local.baseUrl, primaryDomain, path);
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
    const { data } = (await account.dashboard.call(readAppLogs, { params: { id: hoards.id } })).body;
    return data.some(({ text }) => text === 'Error: Runtime exited with error: signal: killed');
  });
});
