import { mkdtempSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApp, deleteApp, getApp, updateApp } from '../../contract/apps/apps.ts';
import { replaceEnv } from '../../contract/apps/environment.ts';
import type { Client } from '../../contract/client.ts';
import { createDeployment, getDeployment, listDeployments } from '../../contract/deployments/deployments.ts';
import { get } from '../support/browse.ts';
import { newAccount, waitFor } from '../support/harness.ts';
import { type Run, startRun } from '../support/platform.ts';
import { app, committer, git } from '../support/repositories.ts';

/** Deployments on a separate platform whose repositories the tests write. */
const root = mkdtempSync(join(tmpdir(), 'repositories-'));
let run: Run;
let client: Client;
beforeAll(async () => {
  run = await startRun({ DATA_DIR: ':memory:', LOCAL_GIT_ROOT: root, RATE_LIMIT_SECRET: '100000' });
  client = await newAccount({ appLimit: 100 }, run.local);
}, 60_000);
afterAll(() => run?.stop());

const commit = committer(root);

async function create(name: string, fields: Record<string, unknown> = {}) {
  const body = {
    name,
    framework: 'NODE',
    repoUrl: `https://git.localhost/${name}.git`,
    deployNow: false,
    ...fields,
  } as { name: string };
  const { status, body: made, error } = await client.call(createApp, { body });
  if (status !== 201) throw new Error(`creating ${name}: ${error?.message}`);
  return made.data;
}

async function deploy(id: string) {
  const { body, error } = await client.call(createDeployment, { params: { id } });
  if (error) throw new Error(error.message);
  return await follow(body.data.id);
}

async function follow(id: string) {
  for (;;) {
    const { body } = await client.call(getDeployment, { params: { id } });
    if (body.data.finishedAt !== null) return body.data;
    await new Promise((done) => setTimeout(done, 100));
  }
}

/** Sends a request with headers to a hosted application. Returns the response, its body unread. */
const exchange = (host: string, path: string, headers: Record<string, string>, method = 'GET') =>
  new Promise<IncomingMessage>((resolve, reject) => {
    const { hostname, port } = new URL(run.local.baseUrl);
    request({ hostname, port, path, method, headers: { host: `${host}:${port}`, ...headers } }, (answer) =>
      resolve(answer.resume()),
    )
      .on('error', reject)
      .end();
  });

const page = (host: string, path = '/') => get(run.local.baseUrl, host, path);

describe('a deployment', () => {
  test('brings an application from a Git URL to a live site, and the next one replaces it', async () => {
    const sha = commit('live', app("'first ' + process.env.GREETING + ' ' + process.version"));
    const made = await create('live', { nodeVersion: '20' });
    const placeholder = await waitFor(async () => {
      const answer = await page(made.primaryDomain);
      return answer.status === 200 && answer.body;
    });
    expect(placeholder).toContain('<html');
    await client.call(replaceEnv, {
      params: { id: made.id },
      body: { vars: [{ key: 'GREETING', value: 'hello é "q" $HOME' }] },
    });
    const first = await deploy(made.id);
    expect(first).toMatchObject({ status: 'SUCCEEDED', trigger: 'API', commitSha: sha });
    expect((await page(made.primaryDomain)).body).toMatch(/^first hello é "q" \$HOME v20\./);
    commit('live', app("'second'"));
    await client.call(updateApp, { params: { id: made.id }, body: { nodeVersion: '24' } });
    expect((await deploy(made.id)).status).toBe('SUCCEEDED');
    expect((await page(made.primaryDomain)).body).toBe('second');
    const { body } = await client.call(listDeployments, { params: { id: made.id } });
    expect(body.data.map(({ status }) => status)).toEqual(['SUCCEEDED', 'SUCCEEDED']);
  }, 60_000);

  test('in progress makes another one a conflict; its log grows and is kept', async () => {
    commit('slow', app("'slow'", { build: 'echo building && sleep 2 && echo built' }));
    const made = await create('slow', { buildCommand: 'npm run build' });
    const { body } = await client.call(createDeployment, { params: { id: made.id } });
    const racing = await Promise.all([1, 2, 3].map(() => client.call(createDeployment, { params: { id: made.id } })));
    expect(racing.map(({ status }) => status)).toEqual([409, 409, 409]);
    let partly = '';
    while (!partly.includes('building'))
      partly = (await client.call(getDeployment, { params: { id: body.data.id } })).body.data.log;
    expect(partly).not.toMatch(/^built$/m);
    const done = await follow(body.data.id);
    expect(done.status).toBe('SUCCEEDED');
    expect(done.log).toMatch(/^built$/m);
    expect(done.log).toContain('The new release is live');
  }, 60_000);

  test('switches releases under 100 requests a second without a failed request', async () => {
    commit('busy', app("'one'"));
    const made = await create('busy');
    await deploy(made.id);
    commit('busy', app("'two'"));
    const seen: string[] = [];
    const asked: Promise<unknown>[] = [];
    // Open loop: 100 requests a second regardless of pending responses.
    const load = setInterval(() => {
      const answered = page(made.primaryDomain).then(
        ({ status, body }) => seen.push(`${status} ${body}`),
        (error: Error) => seen.push(error.message),
      );
      asked.push(answered);
    }, 10);
    expect((await deploy(made.id)).status).toBe('SUCCEEDED');
    await new Promise((done) => setTimeout(done, 500));
    clearInterval(load);
    await Promise.all(asked);
    expect(new Set(seen)).toEqual(new Set(['200 one', '200 two']));
    expect(seen.lastIndexOf('200 one')).toBeLessThan(seen.length - 1);
  }, 60_000);

  test('is taken down when its application is deleted', async () => {
    commit('gone', app("'here'"));
    const made = await create('gone');
    await deploy(made.id);
    expect((await page(made.primaryDomain)).body).toBe('here');
    await client.call(deleteApp, { params: { id: made.id } });
    for (;;) if ((await page(made.primaryDomain)).status === 404) break;
    expect((await client.call(getApp, { params: { id: made.id } })).status).toBe(404);
  }, 60_000);
});

describe('a project without settings', () => {
  const server = (says: string) =>
    `require('node:http').createServer((q, s) => s.end(${says})).listen(process.env.PORT);`;

  test('on another branch, with another Node and a build in its start script is deployed as it says', async () => {
    const scripts = { build: 'node build.js', start: 'npm run build && cross-env NODE_ENV=test node dist/app' };
    commit('detected', {
      'package.json': JSON.stringify({ engines: { node: '20.x' }, scripts }),
      'build.js': `require('node:fs').mkdirSync('dist');
        require('node:fs').writeFileSync('dist/app.js', ${JSON.stringify(server("process.version + ' ' + process.env.NODE_ENV"))});`,
    });
    git(join(root, 'detected.git'), 'branch', '-m', 'master');
    const made = await create('detected');
    const done = await deploy(made.id);
    expect(done.status, done.log).toBe('SUCCEEDED');
    expect(done.log).toContain('there is no branch main: using master, the default branch of the repository');
    expect(done.log).toContain('Detected Node.js, npm, start: node dist/app.js (start script)');
    expect((await page(made.primaryDomain)).body).toMatch(/^v20\..* test$/);
    expect((await client.call(getApp, { params: { id: made.id } })).body.data).toMatchObject({
      branch: 'master',
      detected: { framework: null, nodeVersion: '20', buildCommand: 'npm run build', start: 'node dist/app.js' },
    });
  }, 90_000);

  test('whose build makes a site is served as files; a WebSocket gets 501', async () => {
    const build = 'mkdir -p dist/docs && cp *.html *.js dist && cp index.html dist/docs';
    const files = {
      'index.html': '<p>site</p>',
      '404.html': 'lost',
      'app-BxY3k9Qz.js': `// ${'code '.repeat(400)}`,
      'package.json': JSON.stringify({ scripts: { build } }),
    };
    commit('site', files);
    const made = await create('site');
    const done = await deploy(made.id);
    expect(done.log).toContain('start: files of dist');
    expect(await page(made.primaryDomain)).toMatchObject({ status: 200, type: 'text/html', body: '<p>site</p>' });
    expect(await page(made.primaryDomain, '/docs/')).toMatchObject({ status: 200 });
    expect(await page(made.primaryDomain, '/nowhere')).toMatchObject({ status: 404, body: 'lost' });
    expect(await page(made.primaryDomain, '/package.json')).toMatchObject({ status: 404 });
    const front = await exchange(made.primaryDomain, '/', {});
    expect(front.headers['cache-control']).toBe('public, max-age=0, must-revalidate');
    const known = { 'if-none-match': String(front.headers.etag) };
    expect((await exchange(made.primaryDomain, '/', known)).statusCode).toBe(304);
    const script = '/app-BxY3k9Qz.js';
    const compressed = await exchange(made.primaryDomain, script, { 'accept-encoding': 'br, gzip' });
    expect(compressed.headers).toMatchObject({
      ...{ 'content-encoding': 'br', vary: expect.stringMatching(/accept-encoding/i) },
      'cache-control': 'public, max-age=31536000, immutable',
    });
    const part = await exchange(made.primaryDomain, script, { range: 'bytes=3-6' });
    expect([part.statusCode, part.headers['content-range']]).toEqual([206, 'bytes 3-6/2003']);
    const head = await exchange(made.primaryDomain, script, {}, 'HEAD');
    expect([head.statusCode, head.headers['content-length']]).toEqual([200, '2003']);
    const upgrade = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' };
    const { statusCode } = await exchange(made.primaryDomain, '/', { ...upgrade, 'sec-websocket-version': '13' });
    expect(statusCode).toBe(501);
  }, 90_000);

  test('is healthy on the path that was set, whatever it answers below 500', async () => {
    const answers = `(s.statusCode = q.url === '/ready' ? 401 : 500, 'x')`;
    commit('path', { 'server.js': server(answers), 'package.json': '{}' });
    const made = await create('path', { startCommand: 'cd . && node server.js | cat', healthCheckPath: '/ready' });
    expect((await deploy(made.id)).status).toBe('SUCCEEDED');
    await client.call(updateApp, { params: { id: made.id }, body: { healthCheckPath: '/', startCommand: null } });
    const failed = await deploy(made.id);
    expect(failed.log).toContain('The new release answered 500 on /; a status below 500 is needed.');
  }, 90_000);
});

describe('a deployment that cannot succeed ends FAILED with a reason, and the previous release stays live', () => {
  const good = app("'good'");
  test.each<[string, Record<string, string>, Record<string, unknown>, RegExp]>([
    ['no-branch', {}, { branch: 'nowhere' }, /branch.*nowhere/i],
    ['bad-install', {}, { installCommand: 'npm ci --no-such && exit 7' }, /install/i],
    ['bad-build', {}, { buildCommand: 'echo trying && exit 3' }, /build.*3/i],
    ['no-start-file', {}, { startFile: 'nothing.js' }, /nothing\.js/],
    ['exits', { 'server.js': "console.log('last words'); process.exit(4);" }, {}, /last words/],
    ['never-listens', { 'server.js': 'setInterval(() => {}, 1000);' }, {}, /did not answer/],
    [
      'answers-500',
      {
        'server.js':
          'require("node:http").createServer((q, s) => { s.statusCode = 500; s.end(); }).listen(process.env.PORT);',
      },
      {},
      /answered 500/,
    ],
  ])(
    '%s',
    async (name, files, fields, reason) => {
      commit(name, good);
      const made = await create(name);
      expect((await deploy(made.id)).status).toBe('SUCCEEDED');
      commit(name, files);
      await client.call(updateApp, { params: { id: made.id }, body: fields });
      const failed = await deploy(made.id);
      expect(failed.status).toBe('FAILED');
      expect(failed.log).toMatch(reason);
      expect(failed.log).toMatch(/Deployment failed: /);
      expect((await page(made.primaryDomain)).body).toBe('good');
    },
    90_000,
  );

  test('no repository', async () => {
    const made = await create('no-repository');
    const failed = await deploy(made.id);
    expect(failed.status).toBe('FAILED');
    expect(failed.log).toMatch(/repository/i);
    expect((await page(made.primaryDomain)).status).toBe(200); // the placeholder still
  }, 60_000);
});
