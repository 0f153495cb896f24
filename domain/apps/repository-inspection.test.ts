import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveRepositories } from '../../local/emulators/git/git-server.ts';
import type { Emulator } from '../../local/emulators/wire.ts';
import { openRemote } from '../../providers/git/remote.ts';
import { committer, git } from '../../test/support/repositories.ts';
import type { Deps } from '../deps.ts';
import { inspectRepository } from './repository-inspection.ts';

const root = mkdtempSync(join(tmpdir(), 'inspect-'));
const commit = committer(root);
let server: Emulator;
beforeAll(async () => {
  server = await serveRepositories(root);
});
afterAll(async () => {
  await server.stop();
  rmSync(root, { recursive: true });
});

const CALLER = { accountId: 'acc_1', keyId: '' };
const settings = (allowLocalRepositories: boolean) => ({ settings: { allowLocalRepositories } }) as unknown as Deps;
const inspect = async (url: string, query: { branch?: string; rootDirectory?: string } = {}, deadlineMs = 20_000) => {
  const open = openRemote({ allowLocal: true, localUrl: server.url, deadlineMs });
  const deps = { ...settings(true), openRemote: open };
  return (await inspectRepository(deps, CALLER, { url, ...query })).data;
};
const at = (name: string) => `https://git.localhost/${name}.git`;

const NEXT = {
  name: 'shop',
  engines: { node: '>=24' },
  scripts: { build: 'next build', start: 'next start' },
  dependencies: { next: '16.0.0' },
};

describe('a repository', () => {
  beforeAll(() => {
    commit('shop', { 'package.json': JSON.stringify(NEXT), 'pnpm-lock.yaml': "lockfileVersion: '9.0'\n" });
    git(join(root, 'shop.git'), 'branch', 'a-feature');
    git(join(root, 'shop.git'), 'branch', 'zoo');
    const workspace = { workspaces: ['apps/*'] };
    const server = { scripts: { start: 'node server.js' }, dependencies: { express: '5.0.0' } };
    commit('monorepo', {
      'package.json': JSON.stringify(workspace),
      'package-lock.json': '{}',
      '.nvmrc': 'v20\n',
      'apps/web/package.json': JSON.stringify(server),
      // Far beyond what is read: the filter leaves it out.
      'apps/web/large.bin': randomBytes(3_000_000),
    });
    commit('module', {
      'package.json': '{"main":"lib/module.js","scripts":{"start":"nodemon"}}',
      Procfile: 'web: sass a:b && node web.js\n',
    });
    commit('site', { 'index.html': '<h1>Hello</h1>' });
    commit('broken', { 'package.json': '{' });
  });

  test('shows its branches, the default one first, and what a build would detect', async () => {
    expect(await inspect(at('shop'))).toEqual({
      problem: null,
      defaultBranch: 'main',
      branches: ['main', 'a-feature', 'zoo'],
      hasMoreBranches: false,
      branch: 'main',
      detected: {
        name: 'shop',
        framework: 'Next.js',
        setting: 'NEXTJS',
        packageManager: 'pnpm',
        nodeVersion: '24',
        buildCommand: 'pnpm run build',
        start: 'node .next/standalone/server.js',
      },
      notes: [],
    });
  });

  test('is read at another branch, and reports a branch that does not exist', async () => {
    expect(await inspect(at('shop'), { branch: 'zoo' })).toMatchObject({ branch: 'zoo', detected: { name: 'shop' } });
    expect(await inspect(at('shop'), { branch: 'nope' })).toMatchObject({
      branch: null,
      detected: null,
      branches: ['main', 'a-feature', 'zoo'],
      notes: ['The repository has no branch nope.'],
    });
  });

  test('is read in a subdirectory, with the lockfile of its workspace', async () => {
    expect(await inspect(at('monorepo'), { rootDirectory: 'apps/web' })).toMatchObject({
      detected: {
        framework: 'Express',
        setting: 'EXPRESS',
        packageManager: 'npm',
        start: 'node server.js',
        nodeVersion: '20',
      },
      notes: [],
    });
    expect((await inspect(at('monorepo'), { rootDirectory: 'apps/../nowhere' })).notes).toEqual([
      'The directory apps/../nowhere was not found in the repository.',
    ]);
  });

  test('shows the start command of its Procfile, and the build before it', async () => {
    const { detected } = await inspect(at('module'));
    expect([detected?.buildCommand, detected?.start]).toEqual(['sass a:b', 'node web.js']);
  });

  test.each([
    ['node app.js', 'node server.js'],
    ['node migrate.js && node server.js', 'node server.js'],
    ['node --no-warnings ./server.js', 'node --no-warnings ./server.js'],
  ])('shows the default start file, which precedes the start script: %s', async (start, expected) => {
    const name = `start-${start.length}`;
    commit(name, { 'package.json': JSON.stringify({ scripts: { start } }), 'app.js': '', 'server.js': '' });
    expect((await inspect(at(name))).detected?.start).toBe(expected);
  });

  test('shows the version of Node that Volta uses', async () => {
    const volta = '{"volta":{"node":"20.1.0"},"scripts":{"start":"node server.js"}}';
    commit('volta', { 'package.json': volta, 'api/.nvmrc': '24', 'api/package.json': volta });
    commit('volta-below', { '.nvmrc': '24', 'web/package.json': volta });
    const version = async (name: string, rootDirectory?: string) =>
      (await inspect(at(name), rootDirectory === undefined ? {} : { rootDirectory })).detected?.nodeVersion;
    expect(await version('volta')).toBe('20');
    // The nearest directory decides, and in one directory a file of a version manager precedes.
    expect(await version('volta-below', 'web')).toBe('20');
    expect(await version('volta', 'api')).toBe('24');
  });

  test('shows the version of Node that the nearest directory requires', async () => {
    const requiring = (node: string) => JSON.stringify({ engines: { node }, scripts: { start: 'node server.js' } });
    const plain = '{"scripts":{"start":"node server.js"}}';
    commit('engines', {
      'package.json': requiring('20'),
      'api/package.json': plain,
      'web/package.json': plain,
      'web/.nvmrc': '24',
      'own/package.json': plain,
      'own/package-lock.json': '{}',
    });
    const version = async (rootDirectory: string) =>
      (await inspect(at('engines'), { rootDirectory })).detected?.nodeVersion;
    expect([await version('api'), await version('web'), await version('own')]).toEqual(['20', '24', '22']);
  });

  test('without a usable package.json has a note about it', async () => {
    expect(await inspect(at('site'))).toMatchObject({
      problem: null,
      detected: null,
      notes: ['There is no package.json: the files are served as they are.'],
    });
    expect((await inspect(at('broken'))).notes[0]).toMatch(/^package\.json is not valid JSON/);
  });

  test('is read where its host redirects to, up to three times and only at public addresses', async () => {
    const REFS = '/info/refs?service=git-upload-pack';
    let requests = 0;
    const host = createServer(({ url = '' }, response) => {
      requests += 1;
      const to: Record<string, string> = {
        [`/moved${REFS}`]: `/again${REFS}`,
        [`/again${REFS}`]: `${server.url}/shop.git${REFS}`,
        [`/private${REFS}`]: `https://10.0.0.8/shop.git${REFS}`,
        [`/page${REFS}`]: '/sign-in',
      };
      response.writeHead(301, { location: to[url] ?? url }).end();
    });
    await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
    const localUrl = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
    const open = (path: string) =>
      openRemote({ allowLocal: true, localUrl, deadlineMs: 20_000 })(`https://git.localhost/${path}`);
    const moved = await open('moved');
    expect(await moved.readRoot(moved.branches[0]?.commit ?? '')).toHaveLength(2);
    await expect(open('private')).rejects.toThrow('is not at a public address');
    await expect(open('page')).rejects.toThrow('There is no Git repository at');
    requests = 0;
    await expect(open('endless')).rejects.toThrow('There is no Git repository at');
    expect(requests).toBe(4);
    host.close();
  });

  test('that does not exist is reported as a problem, like a host that is silent or not a Git host', async () => {
    expect((await inspect(at('absent'))).problem).toMatch(/was not found, or is private/);
    const web = createServer((request, response) => {
      if (request.url?.startsWith('/silent')) return;
      if (request.url?.startsWith('/switching')) {
        response.socket?.write('HTTP/1.1 101 Ha\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n');
        return;
      }
      response.end(request.url?.startsWith('/large') ? Buffer.alloc(4 * 1024 * 1024 + 1) : '<h1>A web site</h1>');
    });
    await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
    const { port } = web.address() as AddressInfo;
    const open = (path: string, deadlineMs: number) =>
      openRemote({ allowLocal: true, localUrl: `http://127.0.0.1:${port}`, deadlineMs })(
        `https://git.localhost/${path}`,
      );
    await expect(open('page', 20_000)).rejects.toThrow('There is no Git repository at https://git.localhost/page.');
    await expect(open('silent', 500)).rejects.toThrow('did not answer in time');
    await expect(open('switching', 20_000)).rejects.toThrow('could not be reached');
    await expect(open('large', 20_000)).rejects.toThrow('has more branches or larger files than can be shown');
    web.closeAllConnections();
    web.close();
  });
});

describe('is refused', () => {
  test.each([
    'https://127.0.0.1/app.git',
    'https://10.0.0.8/app.git',
    'https://169.254.169.254/latest',
    'https://db.internal/app',
  ])('%s, which is not public', async (url) => {
    const open = () => Promise.reject(new Error('must not be asked'));
    await expect(inspectRepository({ ...settings(false), openRemote: open }, CALLER, { url })).rejects.toThrow(
      'must be on a public name or address',
    );
  });

  test('an address over SSH', async () => {
    await expect(inspect('git@github.com:you/app.git')).rejects.toThrow('url: must begin with https://');
  });

  test('a redirect and a name that lead to an address that is not public', async () => {
    const trap = createServer((_, response) => {
      response.writeHead(302, { location: 'http://10.0.0.8/app.git/info/refs?service=git-upload-pack' }).end();
    });
    await new Promise<void>((resolve) => trap.listen(0, '127.0.0.1', resolve));
    const { port } = trap.address() as AddressInfo;
    const open = openRemote({ allowLocal: true, localUrl: `http://127.0.0.1:${port}`, deadlineMs: 20_000 });
    await expect(open('https://git.localhost/app.git')).rejects.toThrow('is not at a public address');
    trap.close();
    // Without the local run's permission, the machine itself is refused at connect time too.
    const strict = openRemote({ allowLocal: false, localUrl: `http://127.0.0.1:${port}`, deadlineMs: 20_000 });
    await expect(strict('https://git.localhost/app.git')).rejects.toThrow('is not at a public address');
  });
});
