import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PLATFORM_FAULT } from '../providers/builds/failures.ts';
import { entriesOf } from '../test/support/archive.ts';
import {
  build,
  closeTestHarness,
  kms,
  objectsUrl,
  openTestHarness,
  repository,
  requests,
  root,
  withVariables,
} from './test-harness.ts';

beforeAll(openTestHarness);
afterAll(closeTestHarness);

test('packages an application without dependencies together with its start script', async () => {
  const repoUrl = repository(
    { 'server.js': '1', 'lib/a.txt': 'a' },
    { 'current.txt': 'lib/a.txt', dangling: 'absent', notes: '/absent/notes' },
  );
  const { code, commitSha, error, log, artifact } = await build({ repoUrl });
  expect([code, error]).toEqual([0, undefined]);
  expect(commitSha).toMatch(/^[0-9a-f]{7}$/);
  expect(log).toContain(`==> Cloning ${repoUrl} (branch main)\n    ${commitSha} The change\n    done in `);
  expect(log).toContain('Nothing to install: there is no package.json');
  expect(log).toMatch(
    /==> Packaging\n {4}Detected Node\.js, start: node server\.js\n {4}packed \d+\.\d MB, files: 3\n {4}done in \d+\.\d s\n$/,
  );
  const entries = await entriesOf(artifact);
  expect([...entries.keys()].sort()).toEqual(
    [
      '.service/environment.mjs',
      '.service/launch.mjs',
      '.service/preload.cjs',
      '.service/release.json',
      'current.txt',
      'lib/a.txt',
      'run.sh',
      'server.js',
    ].sort(),
  );
  expect(entries.get('current.txt')).toBe('lib/a.txt');
  expect(entries.get('run.sh')).toContain('exec node --import ./.service/environment.mjs server.js');
});

test('builds a package of a monorepo with its tool if that must build other packages first', async () => {
  const tool = `#!/usr/bin/env node
    const { execSync } = require('node:child_process');
    const { join } = require('node:path');
    console.log('tool ' + process.argv.slice(2).join(' '));
    for (const name of ['packages/lib', 'apps/api'])
      execSync('npm run build', { cwd: join(__dirname, '../..', name), stdio: 'inherit' });`;
  const files = (dependencies: object) => ({
    'turbo.json': '{}',
    'package.json': '{"workspaces":["apps/*","packages/*","tools/*"],"devDependencies":{"turbo":"*"}}',
    'tools/turbo/package.json': '{"name":"turbo","version":"1.0.0","bin":{"turbo":"turbo.js"}}',
    'tools/turbo/turbo.js': tool,
    'packages/lib/package.json': '{"name":"lib","version":"1.0.0","scripts":{"build":"echo 1 > built.js"}}',
    'apps/api/package.json': JSON.stringify({
      name: 'api',
      dependencies,
      scripts: { build: 'mkdir -p dist && cp ../../packages/lib/built.js dist/main.js', start: 'node dist/main.js' },
    }),
  });
  const used = await build({ repoUrl: repository(files({ lib: '*' })), rootDirectory: 'apps/api' });
  expect(used).toMatchObject({
    code: 0,
    detected: {
      buildCommand: 'turbo run build --filter=api --env-mode=loose',
      start: 'node dist/main.js',
    },
  });
  expect(used.log).toContain('tool run build --filter=api --env-mode=loose');
  const unused = await build({ repoUrl: repository(files({})), rootDirectory: 'apps/api' });
  expect(unused.error).toContain('The build command "npm run build" failed with exit code 1.');
  expect(unused.log).not.toContain('tool run');
  const chosen = { repoUrl: repository(files({ lib: '*' })), rootDirectory: 'apps/api', buildCommand: 'exit 2' };
  expect((await build(chosen)).error).toContain('set the build command to "npx turbo run build --filter=api');
});

test('builds a package of a workspace after those that it uses, in their order, if its own build fails without them', async () => {
  const lib = (name: string, dependencies: object, script: string) =>
    JSON.stringify({ name: `@acme/${name}`, version: '1.0.0', dependencies, scripts: { build: script } });
  const repoUrl = repository({
    'package.json': '{"workspaces":["apps/*","packages/*"]}',
    'packages/a/package.json': lib('a', { '@acme/z': '*' }, 'cp ../z/built.js built.js'),
    'packages/z/package.json': lib('z', {}, 'echo 1 > built.js'),
    'apps/api/package.json': JSON.stringify({
      name: 'api',
      dependencies: { '@acme/a': '*' },
      scripts: { build: 'mkdir -p dist && cp ../../packages/a/built.js dist/main.js', start: 'node dist/main.js' },
    }),
  });
  const buildCommand = 'npm run build -w @acme/z -w @acme/a -w api';
  expect(await build({ repoUrl, rootDirectory: 'apps/api' })).toMatchObject({ code: 0, detected: { buildCommand } });
  const { error } = await build({ repoUrl, rootDirectory: 'apps/api', buildCommand: 'exit 2' });
  expect(error).toContain(`to be built first, set the build command to "${buildCommand}".`);
});

test('generates the client of Prisma, and builds again, if the build lacks it', async () => {
  const missing = `Module not found: Can't resolve './generated/prisma/client'`;
  const repoUrl = repository({
    'package.json': JSON.stringify({
      scripts: { build: 'node build.js', start: 'node server.js' },
      devDependencies: { prisma: '7' },
    }),
    'build.js': `if (!require('node:fs').existsSync('generated/prisma/client.js')) throw new Error(${JSON.stringify(missing)})`,
    'server.js': '',
    'prisma.sh': 'test "$1" = generate && mkdir -p generated/prisma && echo > generated/prisma/client.js',
  });
  const installCommand =
    'mkdir -p node_modules/.bin; cp prisma.sh node_modules/.bin/prisma; chmod +x node_modules/.bin/prisma';
  const built = await build({ repoUrl, installCommand });
  expect(built.log).toContain('Building again: prisma generate && npm run build');
  expect(built).toMatchObject({ detected: { buildCommand: 'prisma generate && npm run build' } });
  expect([...(await entriesOf(built.artifact)).keys()]).toContain('generated/prisma/client.js');
  expect((await build({ repoUrl, installCommand, buildCommand: 'node build.js' })).error).toMatch(
    /Prisma's client was not generated: set the build command to "prisma generate && node build\.js"\.$/,
  );
});

test('builds by the script "compile" what nothing starts otherwise, unless the owner wants no build', async () => {
  const repoUrl = repository({
    'package.json': JSON.stringify({ scripts: { compile: 'node compile.js', start: 'node lib/' } }),
    'compile.js': "require('node:fs').mkdirSync('lib'); require('node:fs').writeFileSync('lib/index.js', '');",
  });
  const built = await build({ repoUrl });
  expect(built).toMatchObject({ detected: { buildCommand: 'npm run compile', start: 'node lib/index.js' } });
  expect((await build({ repoUrl, buildCommand: '' })).error).toContain('neither was "lib/"');
});

test('builds again only once for each reason, even if both keep failing the build', async () => {
  const api = {
    name: 'api',
    dependencies: { lib: '*' },
    devDependencies: { prisma: '7' },
    scripts: { build: `echo "Can't resolve './generated/prisma/client'"; exit 1` },
  };
  const repoUrl = repository({
    'package.json': '{"workspaces":["apps/*","lib"]}',
    'lib/package.json': '{"name":"lib","version":"1.0.0","scripts":{"build":"exit 0"}}',
    'apps/api/package.json': JSON.stringify(api),
    'prisma.sh': 'exit 0',
  });
  const installCommand =
    'mkdir -p node_modules/.bin; cp prisma.sh node_modules/.bin/prisma; chmod +x node_modules/.bin/prisma; ln -s ../lib ../apps/api node_modules';
  const { error, log } = await build({ repoUrl, rootDirectory: 'apps/api', installCommand });
  expect(error).toContain('The build command "prisma generate && npm run build -w lib -w api" failed');
  expect(log.match(/Building again: .*/g)).toEqual([
    'Building again: prisma generate && npm run build',
    'Building again: npm run build -w lib -w api',
    'Building again: prisma generate && npm run build -w lib -w api',
  ]);
});

test('passes variables and databases to the build and the start, but not their secrets to log or artifact', async () => {
  const secret = 'sup3r s3cret/value';
  const platform = 'process.env.AWS_CONTAINER_CREDENTIALS_RELATIVE_URI ?? process.env.JOB_URL';
  const repoUrl = repository({
    'build.js': `const v = process.env.TOKEN; console.log('plain', v, 'url', encodeURIComponent(v));
      console.log(process.env.DATABASE_URL, process.env.DATABASE_MAIN_REGION);
      console.log('base64', Buffer.from(v).toString('base64'), 'platform', ${platform}, process.version.split('.')[0]);`,
    'server.js': `const { TOKEN, DATABASE_HOST, DATABASE_MAIN_REGION } = process.env;
      console.log(JSON.stringify([TOKEN, DATABASE_HOST, DATABASE_MAIN_REGION, ${platform}]))`,
  });
  const databases = [{ prefix: 'DATABASE_MAIN', host: 'main.example.on.aws', region: 'eu-west-1' }];
  const password = `main.example.on.aws/?X-Amz-Signature=${'0a'.repeat(32)}`;
  // The owner's variable takes precedence over the platform's.
  const env = await withVariables({ TOKEN: secret, NODE_ENV: 'production', DATABASE_MAIN_REGION: 'mine' });
  const { code, log, artifact } = await build({
    repoUrl,
    ...env,
    databases,
    databasePasswords: { DATABASE_MAIN: password },
    buildCommand: 'node build.js',
    nodeVersion: '20',
  });
  expect(code).toBe(0);
  expect(log).toContain(
    'plain [redacted] url [redacted]\npostgres://admin:[redacted]@main.example.on.aws:5432/postgres?sslmode=verify-full [redacted]\nbase64 [redacted] platform undefined v20\n',
  );
  expect(log).toContain('warning: Node 20 receives no security updates since 2026-04-30');
  const unpacked = mkdtempSync(join(root, 'unpacked-'));
  for (const [path, content] of await entriesOf(artifact)) {
    expect(content).not.toContain(secret);
    mkdirSync(dirname(join(unpacked, path)), { recursive: true });
    writeFileSync(join(unpacked, path), content);
  }
  // A KMS that has no rate left for the first two of many calls.
  const calls: number[] = [];
  const busy = createServer((request, response) => {
    calls.push(performance.now());
    if (calls.length < 3) return void response.writeHead(400).end('{"__type":"ThrottlingException"}');
    request.pipe(forward(kms.url, { method: 'POST', headers: request.headers }, (answer) => answer.pipe(response)));
  });
  await new Promise<void>((resolve) => busy.listen(0, '127.0.0.1', resolve));
  // Asynchronous, because the KMS emulator runs in this process.
  const { stdout: started } = await promisify(execFile)('sh', ['run.sh'], {
    cwd: unpacked,
    env: {
      PATH: process.env.PATH,
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      AWS_REGION: 'af-south-1',
      AWS_ENDPOINT_URL_KMS: `http://127.0.0.1:${(busy.address() as AddressInfo).port}`,
    },
  });
  busy.close();
  const [first = 0, second = 0, third = 0] = calls;
  expect(second - first).toBeGreaterThan(95);
  expect(third - second).toBeGreaterThan(195);
  expect(JSON.parse(started)).toEqual([secret, 'main.example.on.aws', 'mine', null]);
});

test('builds a package that another package starts, with its own programs', async () => {
  const tool = 'api/node_modules/.bin/tsc';
  const installCommand = `mkdir -p api/node_modules/.bin && cp tool ${tool} && chmod +x ${tool}`;
  const repoUrl = repository({
    'package.json': '{"scripts":{"start":"npm start --prefix api"}}',
    'api/package.json': '{"scripts":{"start":"tsc && node dist/index.js"}}',
    tool: '#!/bin/sh\nmkdir dist && echo 1 > dist/index.js',
  });
  const { error, log } = await build({ repoUrl, installCommand });
  expect(error).toBeUndefined();
  expect(log).toContain('==> Building: cd api && tsc\n');
});

test('starts with the options of Node that a variable and the start have, added to those of the host', async () => {
  const repoUrl = repository({
    'package.json': JSON.stringify({ scripts: { start: "NODE_OPTIONS='--import ./early.mjs' node server.js" } }),
    'early.mjs': "console.log('early', process.env.TOKEN);",
    'server.js': 'console.log(process.title, process.traceDeprecation, process.env.TOKEN);',
  });
  const started = async (variables: Record<string, string>): Promise<string> => {
    const { artifact } = await build({ repoUrl, ...(await withVariables(variables)) });
    const unpacked = mkdtempSync(join(root, 'unpacked-'));
    for (const [path, content] of await entriesOf(artifact)) {
      mkdirSync(dirname(join(unpacked, path)), { recursive: true });
      writeFileSync(join(unpacked, path), content);
    }
    const host = { AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local', AWS_ENDPOINT_URL_KMS: kms.url };
    const { stdout } = await promisify(execFile)('sh', ['run.sh'], {
      cwd: unpacked,
      env: { PATH: process.env.PATH, ...host, NODE_OPTIONS: '--trace-deprecation' },
    });
    return stdout;
  };
  // The module is loaded once, and with the application's variables.
  expect(await started({ TOKEN: 'opened' })).toBe('early opened\nnode true opened\n');
  const both = await started({ TOKEN: 'opened', NODE_OPTIONS: '--title=owners' });
  expect(both).toBe('early opened\nowners true opened\n');
});

test('deletes its job before the first command, so that the address in its environment is useless to commands', async () => {
  // Every environment of this machine that the command can read, as a process that was left behind reads it; of the jobs that
  // it finds, those of this file: others run beside it.
  const steal = `const { readdirSync, readFileSync } = require('node:fs');
    const read = (pid) => { try { return readFileSync('/proc/' + pid + '/environ', 'latin1'); } catch { return ''; } };
    const urls = readdirSync('/proc').flatMap((pid) => /JOB_URL=([^\\0]+)/.exec(read(pid))?.[1] ?? [])
      .filter((url) => url.startsWith('${objectsUrl()}'));
    const statuses = urls.map(async (url) => (await fetch(url)).status);
    Promise.all(statuses).then((all) => console.log('jobs', all.length > 0, 'statuses', [...new Set(all)].join()));`;
  const repoUrl = repository({ 'server.js': '1', 'steal.js': steal });
  requests.length = 0;
  const { code, log } = await build({ repoUrl, buildCommand: 'node steal.js' });
  expect(code).toBe(0);
  // As the same user, as here, the address is readable; as the build's user it is not (commands/thief.test.ts).
  expect(log).toMatch(/jobs (true|false) statuses (404)?\n/);
  const onJob = requests.filter((each) => each.includes('jobs/')).map((each) => each.split(' ')[0]);
  expect(onJob.slice(0, 3)).toEqual(['GET', 'DELETE', 'GET']);
});

test('refuses to build without a build user, before any command of the application', async () => {
  const repoUrl = repository({ 'server.js': '1' });
  const refused = await build({ repoUrl, installCommand: 'echo was here' }, { BUILD_USER: '' });
  expect(refused).toMatchObject({ code: 1, error: PLATFORM_FAULT, fault: true });
  expect(refused.log).not.toContain('was here');
});

test('cannot replace an artifact that is stored', async () => {
  const earlier = Buffer.from('an earlier artifact');
  const repoUrl = repository({ 'server.js': '1' });
  const refused = await build({ repoUrl }, {}, { stored: earlier });
  expect(refused).toMatchObject({ code: 1, step: 'package', artifact: earlier });
});

test('falls back to npm install without a lockfile and says so', async () => {
  // A dependency inside the repository needs no registry.
  const manifest = JSON.stringify({ name: 'a', dependencies: { inside: 'file:./inside' } });
  const files = {
    'server.js': '1',
    'package.json': manifest,
    'inside/package.json': '{"name":"inside","version":"1.0.0"}',
  };
  const { code, log } = await build({ repoUrl: repository(files) });
  expect(log).toContain('no package-lock.json found: using "npm install"');
  expect(code).toBe(0);
});

test('installs the package that the variable NODE_OPTIONS preloads, and preloads it in the build', async () => {
  const repoUrl = repository({
    'server.js': '1',
    'package.json': JSON.stringify({
      name: 'a',
      dependencies: { monitor: 'file:./monitor' },
      scripts: { postinstall: 'node -p "process.env.NODE_OPTIONS"' },
    }),
    'monitor/package.json': '{"name":"monitor","version":"1.0.0"}',
    'monitor/index.js': "console.log('monitored');",
  });
  const env = await withVariables({ NODE_OPTIONS: '--max-old-space-size=900 --require=monitor' });
  const { error, log } = await build({ repoUrl, buildCommand: 'node server.js', ...env });
  expect(error).toBeUndefined();
  expect(log.split('monitored')).toHaveLength(2);
  expect(log).toContain('\n--max-old-space-size=900\n');
});

test('excludes development packages from the artifact, apart from those that the server imports', async () => {
  const dev = true;
  const packages = { 'node_modules/kept': {}, 'node_modules/tool': { dev }, 'node_modules/dotenv': { dev } };
  const lock = { name: 'a', lockfileVersion: 3, packages: { '': { name: 'a' }, ...packages } };
  // Creates the files of an installation without a registry.
  const install = [
    'mkdir -p node_modules/kept node_modules/tool node_modules/dotenv node_modules/.bin',
    'echo 1 > node_modules/kept/index.js; echo 1 > node_modules/tool/cli.js; echo {} > node_modules/dotenv/package.json',
    'ln -s ../tool/cli.js node_modules/.bin/tool',
    'cp lock.json node_modules/.package-lock.json',
  ].join(' && ');
  const repoUrl = repository({
    'package.json': '{"devDependencies":{"tool":"1","dotenv":"16"}}',
    'server.js': "require('dotenv').config();",
    'lock.json': JSON.stringify(lock),
  });
  const { log, artifact } = await build({ repoUrl, installCommand: install });
  expect(log).toContain('development packages that the server imports are kept: dotenv');
  expect(log).toContain('development packages left out: 1');
  const paths = [...(await entriesOf(artifact)).keys()];
  expect(paths).toEqual(expect.arrayContaining(['node_modules/kept/index.js', 'node_modules/dotenv/package.json']));
  expect(paths.filter((path) => path.includes('tool'))).toEqual([]);
});

test('packages a standalone Next.js build with its static and public files', async () => {
  const make =
    'mkdir -p .next/standalone/.next .next/static && echo 1 > .next/standalone/server.js && echo 2 > .next/static/a.js';
  const next = { framework: 'NEXTJS', startFile: '.next/standalone/server.js' } as const;
  const repoUrl = repository({ 'public/logo.svg': 'x', 'pages/index.js': '1' });
  const account = JSON.stringify({ packages: { 'node_modules/tool': { dev: true } } });
  const installCommand = `mkdir node_modules && echo '${account}' > node_modules/.package-lock.json`;
  const { artifact, log } = await build({ repoUrl, ...next, installCommand, buildCommand: make });
  expect(log, 'of packages nothing is packaged, nor left out').not.toContain('development packages');
  const paths = [...(await entriesOf(artifact)).keys()].filter(
    (path) => path.startsWith('.next') || path.includes('public'),
  );
  expect(paths.sort()).toEqual([
    '.next/standalone/.next/static/a.js',
    '.next/standalone/public/logo.svg',
    '.next/standalone/server.js',
  ]);
  // As Next.js documents it for servers without a platform.
  const copies = 'cp -r public .next/standalone/ && cp -r .next/static .next/standalone/.next/';
  const copied = await build({ repoUrl, ...next, installCommand, buildCommand: `${make} && ${copies}` });
  expect(copied.log).toContain('MB, files: 3\n');
  expect((await entriesOf(copied.artifact)).size).toBe((await entriesOf(artifact)).size);
  const without = await build({ repoUrl, ...next, buildCommand: 'true' });
  expect(without.error).toBe(
    'The start file ".next/standalone/server.js" was not found after the build: the build command did not run "next build".',
  );
});

test('packages a Next.js application with its own server, without development files', async () => {
  const files = [
    '.next/standalone/server.js',
    '.next/cache/a',
    '.next/BUILD_ID',
    'node_modules/@next/swc-linux/a.node',
    ...['dev', 'prod'].map((kind) => `node_modules/next/dist/compiled/next-server/pages.runtime.${kind}.js`),
  ];
  const made = files.map((path) => `mkdir -p ${dirname(path)} && echo 1 > ${path}`).join(' && ');
  const manifest = { dependencies: { next: '16' }, scripts: { start: 'NODE_ENV=production node server.js' } };
  const { artifact, log } = await build({
    repoUrl: repository({ 'package.json': JSON.stringify(manifest), 'server.js': "require('next')" }),
    framework: 'NEXTJS',
    startFile: '.next/standalone/server.js',
    installCommand: 'true',
    buildCommand: made,
  });
  expect(log).toContain('Detected Next.js, npm, start: node server.js (start script)');
  const paths = [...(await entriesOf(artifact)).keys()].filter((path) => /next|server/.test(path));
  expect(paths.sort()).toEqual([
    '.next/BUILD_ID',
    'node_modules/next/dist/compiled/next-server/pages.runtime.prod.js',
    'server.js',
  ]);
});

test('installs a package inside the repository again with each build', async () => {
  const manifest = { name: 'a', version: '1.0.0', dependencies: { inside: 'file:./inside' } };
  const lockfile = {
    name: 'a',
    version: '1.0.0',
    lockfileVersion: 3,
    requires: true,
    packages: {
      '': manifest,
      // As npm installs it where links are turned off.
      'node_modules/inside': { version: '1.0.0', resolved: 'file:inside' },
    },
  };
  for (const word of ['first', 'second']) {
    const { log } = await build({
      repoUrl: repository({
        'server.js': '1',
        'package.json': JSON.stringify(manifest),
        'package-lock.json': JSON.stringify(lockfile),
        '.npmrc': 'install-links=true\n',
        'inside/package.json': '{"name":"inside","version":"1.0.0"}',
        'inside/index.js': `module.exports = '${word} of inside'`,
      }),
      buildCommand: 'node -p "require(\'inside\')"',
    });
    expect(log).toContain(`${word} of inside\n`);
  }
});

test('builds the example with npm', async () => {
  const example = 'examples/hello-express';
  const names = readdirSync(example).filter((name) => name !== 'node_modules');
  const repoUrl = repository(
    Object.fromEntries(names.map((name) => [name, readFileSync(join(example, name), 'utf8')])),
  );
  const { code, artifact, log } = await build({ repoUrl });
  expect(log).toMatch(/added \d+ packages/);
  expect(code).toBe(0);
  expect([...(await entriesOf(artifact)).keys()]).toContain('node_modules/express/index.js');
});
