import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { deleteApp, getApp, updateApp } from '../../contract/apps/apps.ts';
import { replaceEnv } from '../../contract/apps/environment.ts';
import {
  createDeployment,
  getDeployment,
  listDeployments,
  readDeploymentLog,
} from '../../contract/deployments/deployments.ts';
import { rollBack } from '../../contract/deployments/rollback.ts';
import { setSuspension } from '../../contract/operator/actions.ts';
import { get } from '../support/browse.ts';
import { deployer, newDeployingAccount } from '../support/deployer.ts';
import { local, type OpenedAccount, setLimits, waitFor } from '../support/harness.ts';
import { newOperator } from '../support/operator.ts';
import { app, committer, git } from '../support/repositories.ts';

/** Deployments of repositories that the tests write. */
const repositories = inject('repositories');
const commit = committer(repositories);
let client: OpenedAccount;
beforeAll(async () => {
  client = await newDeployingAccount();
});

const { create, begin, follow, deploy } = deployer(() => client);

/** Sends a request with headers to a hosted application. Returns the response, its body unread. */
const exchange = (host: string, path: string, headers: Record<string, string>, method = 'GET') =>
  new Promise<IncomingMessage>((resolve, reject) => {
    const { hostname, port } = new URL(local.baseUrl);
    request({ hostname, port, path, method, headers: { host: `${host}:${port}`, ...headers } }, (answer) =>
      resolve(answer.resume()),
    )
      .on('error', reject)
      .end();
  });

const page = (host: string, path = '/') => get(local.baseUrl, host, path);

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
  });

  test('in progress makes another one a conflict; its log grows and is kept', async () => {
    commit('slow', app("'slow'", { build: 'echo building && sleep 8 && echo built' }));
    const made = await create('slow', { buildCommand: 'npm run build' });
    const { id } = await begin(made.id);
    const racing = await Promise.all([1, 2, 3].map(() => client.call(createDeployment, { params: { id: made.id } })));
    expect(racing.map(({ status }) => status)).toEqual([409, 409, 409]);
    const partly = await waitFor(async () => {
      const { log } = (await client.call(getDeployment, { params: { id } })).body.data;
      return log.includes('building') && log;
    });
    expect(partly).not.toMatch(/^built$/m);
    const done = await follow(id);
    expect(done.status).toBe('SUCCEEDED');
    expect(done.log).toMatch(/^built$/m);
    expect(done.log).toContain('The new release is live');
  });

  test('switches releases under 100 requests a second without a failed request', async () => {
    commit('busy', app("'one'"));
    // What a busy machine answers late is no more than an application may have at once.
    await setLimits(client.id, { concurrentRequests: 1000 });
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
  });

  test('has its static files cached by the edge as their headers allow, and purged with each switch', async () => {
    const cache = (name: string, release: string) => `
      const name = ${JSON.stringify(name)}, release = ${JSON.stringify(release)};
      require('node:http').createServer((q, s) => {
        const { pathname } = new URL(q.url, 'http://app');
        if (pathname === '/cookie.js') s.setHeader('set-cookie', 'sid=1');
        s.setHeader('cache-control', pathname === '/private.js' ? 'private, max-age=600' : 'public, max-age=600');
        s.end(pathname === '/host' ? q.headers.host : [name, release].join(' '));
      }).listen(process.env.PORT);`;
    const release = async (made: { id: string }, name: string, number: string) => {
      commit(name, { 'server.js': cache(name, number), 'package.json': '{}' });
      const done = await deploy(made.id);
      expect(done.status, done.log).toBe('SUCCEEDED');
      return done;
    };
    const [made, other] = await Promise.all([create('static-files'), create('static-files-too')]);
    // A shell between the host and the application, whose processes of Node are told the same.
    await client.call(updateApp, { params: { id: other.id }, body: { startCommand: 'cd . && node server.js | cat' } });
    const [first] = await Promise.all([
      release(made, 'static-files', 'one'),
      release(other, 'static-files-too', 'one'),
    ]);
    const read = async (host: string, path: string, headers = {}, method = 'GET') => {
      const answer = await exchange(host, path, headers, method);
      return { status: answer.statusCode, from: answer.headers['x-cache'], age: answer.headers.age };
    };
    const hit = { status: 200, from: 'Hit from cloudfront' };
    const miss = { status: 200, from: 'Miss from cloudfront', age: undefined };
    for (const { primaryDomain: host } of [made, other]) {
      expect(await read(host, '/app.js'), 'of another application').toEqual(miss);
      expect(await read(host, '/app.js')).toMatchObject({ ...hit, age: expect.stringMatching(/^\d+$/) });
      expect(await read(host, '/app.js', {}, 'HEAD')).toMatchObject(hit);
      expect(await read(host, '/app.js', { range: 'bytes=0-1' })).toMatchObject({ ...hit, status: 206 });
      expect(await read(host, '/app.js?v=2'), 'another query').toEqual(miss);
      const forged = { 'x-app-release': '1-aaaaaaa' };
      for (const path of ['/', '/cookie.js', '/private.js'])
        for (const turn of [1, 2]) expect(await read(host, path, forged), `${path} ${turn}`).toEqual(miss);
      expect(await read(host, '/app.js', { authorization: 'Bearer a' })).toEqual(miss);
    }
    for (const { primaryDomain } of [made, other]) {
      const visited = `${primaryDomain}:${new URL(local.baseUrl).port}`;
      expect((await page(primaryDomain, '/host')).body, 'the host that was visited').toBe(visited);
    }
    const { primaryDomain: host } = made;
    const body = async () => (await page(host, '/app.js')).body;
    expect(await body()).toBe('static-files one');
    await release(made, 'static-files', 'two');
    expect(await body()).toBe('static-files two');
    const back = await client.dashboard.call(rollBack, { params: { id: made.id }, body: { deploymentId: first.id } });
    expect((await follow(back.body.data.id)).status).toBe('SUCCEEDED');
    expect(await read(host, '/app.js'), 'not what the first release left there').toEqual(miss);
    expect(await body()).toBe('static-files one');
    const operator = await newOperator();
    const suspend = (suspended: boolean) =>
      operator.call(setSuspension, {
        params: { id: client.id },
        body: { suspended, reason: 'Of the test.', applicationId: made.id },
      });
    expect((await suspend(true)).status).toBe(200);
    await waitFor(async () => (await page(host, '/app.js')).status === 503);
    await suspend(false);
    await waitFor(async () => (await page(host, '/app.js')).status === 200);
    await client.call(deleteApp, { params: { id: made.id } });
    await waitFor(async () => (await page(host, '/app.js')).status === 404);
  });

  test('is taken down when its application is deleted', async () => {
    commit('gone', app("'here'"));
    const made = await create('gone');
    const { id } = await deploy(made.id);
    expect((await page(made.primaryDomain)).body).toBe('here');
    await client.call(deleteApp, { params: { id: made.id } });
    // At once, not when its files are gone.
    expect((await client.call(getDeployment, { params: { id } })).status).toBe(404);
    expect((await client.dashboard.call(readDeploymentLog, { params: { id } })).status).toBe(404);
    await waitFor(async () => (await page(made.primaryDomain)).status === 404);
    expect((await client.call(getApp, { params: { id: made.id } })).status).toBe(404);
  });
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
    git(join(repositories, 'detected.git'), 'branch', '-m', 'master');
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
  });

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
      'content-encoding': 'br',
      vary: expect.stringMatching(/accept-encoding/i),
      'cache-control': 'public, max-age=31536000, immutable',
    });
    const part = await exchange(made.primaryDomain, script, { range: 'bytes=3-6' });
    expect([part.statusCode, part.headers['content-range']]).toEqual([206, 'bytes 3-6/2003']);
    const head = await exchange(made.primaryDomain, script, {}, 'HEAD');
    expect([head.statusCode, head.headers['content-length']]).toEqual([200, '2003']);
    const upgrade = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' };
    const { statusCode } = await exchange(made.primaryDomain, '/', { ...upgrade, 'sec-websocket-version': '13' });
    expect(statusCode).toBe(501);
  });

  test('is healthy on the path that was set, whatever it answers below 500', async () => {
    const answers = `(s.statusCode = q.url === '/ready' ? 401 : 500, 'x')`;
    commit('path', { 'server.js': server(answers), 'package.json': '{}' });
    const made = await create('path', { startCommand: 'cd . && node server.js | cat', healthCheckPath: '/ready' });
    expect((await deploy(made.id)).status).toBe('SUCCEEDED');
    await client.call(updateApp, { params: { id: made.id }, body: { healthCheckPath: '/', startCommand: null } });
    const failed = await deploy(made.id);
    expect(failed.log).toContain('The new release answered 500 on /; a status below 500 is required.');
  });
});

/** A release that never answers is given up after a long while, so that the others are deployed meanwhile. */
describe.concurrent('a deployment that cannot succeed ends FAILED with a reason, and the previous release stays live', () => {
  const good = app("'good'");
  type Failure = [what: string, files: Record<string, string>, fields: Record<string, unknown>, reason: RegExp];
  async function expectFailure(made: { id: string; primaryDomain: string }, name: string, failure: Failure) {
    const [what, files, fields, reason] = failure;
    const unchanged = { branch: 'main', installCommand: 'npm ci', buildCommand: null, startFile: 'server.js' };
    commit(name, { ...good, ...files });
    await client.call(updateApp, { params: { id: made.id }, body: { ...unchanged, ...fields } });
    const failed = await deploy(made.id);
    expect(failed.status, what).toBe('FAILED');
    expect(failed.log, what).toMatch(reason);
    expect(failed.log, what).toMatch(/Deployment failed: /);
    expect((await page(made.primaryDomain)).body, what).toBe('good');
  }

  test.each<[string, Failure[]]>([
    [
      'before its release',
      [
        ['a branch that does not exist', {}, { branch: 'nowhere' }, /branch.*nowhere/i],
        ['a failing install command', {}, { installCommand: 'npm ci --no-such && exit 7' }, /install/i],
        ['a failing build command', {}, { buildCommand: 'echo trying && exit 3' }, /build.*3/i],
        ['no start file', {}, { startFile: 'nothing.js' }, /nothing\.js/],
      ],
    ],
    [
      'at its release',
      [
        ['exits', { 'server.js': "console.log('last words'); process.exit(4);" }, {}, /last words/],
        [
          'answers 500',
          {
            'server.js':
              'require("node:http").createServer((q, s) => { s.statusCode = 500; s.end(); }).listen(process.env.PORT);',
          },
          {},
          /answered 500/,
        ],
      ],
    ],
    [
      'without ever listening',
      [['never listens', { 'server.js': 'setInterval(() => {}, 1000);' }, {}, /did not answer/]],
    ],
  ])(
    '%s',
    async (when, failures) => {
      const name = when.replaceAll(' ', '-');
      commit(name, good);
      const made = await create(name);
      expect((await deploy(made.id)).status).toBe('SUCCEEDED');
      for (const failure of failures) await expectFailure(made, name, failure);
    },
    300_000,
  );

  test('no repository', async () => {
    const made = await create('no-repository');
    const failed = await deploy(made.id);
    expect(failed.status).toBe('FAILED');
    expect(failed.log).toMatch(/repository/i);
    expect((await page(made.primaryDomain)).status).toBe(200); // the placeholder still
  });
});
