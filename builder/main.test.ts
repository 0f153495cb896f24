import { execFile, execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { build as bundle } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fromBufferPromise } from 'yauzl';
import { writeNShim } from '../local/runtimes/n-shim.ts';
import { startKms } from '../local/stand-ins/kms.ts';
import { machinePath, networkEnvironment, npmEnvironment } from '../local/stand-ins/machine.ts';
import type { StandIn } from '../local/stand-ins/wire.ts';
import type { Job } from '../providers/builds.ts';
import { createSecrets } from '../providers/secrets.ts';

const root = mkdtempSync(join(tmpdir(), 'builder-'));
const objects = new Map<string, Buffer>();
let s3: Server;
let kms: StandIn;
const hostArn = 'arn:aws:lambda:af-south-1:000000000000:function:app-1';

beforeAll(async () => {
  await bundle({
    entryPoints: ['builder/main.ts', 'builder/environment.ts'],
    outdir: join(root, 'dist'),
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    mainFields: ['module', 'main'],
    banner: { js: "import{createRequire as __r}from'node:module';const require=__r(import.meta.url);" },
  });
  writeNShim(join(root, 'bin'));
  kms = await startKms({ dataDir: root });
  s3 = createServer(async (request, response) => {
    const key = decodeURIComponent(request.url ?? '').replace('/builds/', '');
    if (request.method === 'PUT') {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      objects.set(key, Buffer.concat(chunks));
      response.end();
    } else if (objects.has(key)) response.end(objects.get(key));
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => s3.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  await kms.stop();
  await new Promise((resolve) => s3.close(resolve));
  rmSync(root, { recursive: true });
});

/** Makes a repository of these files and returns its address. */
function repository(files: Record<string, string>, links: Record<string, string> = {}): string {
  const name = createHash('sha256')
    .update(JSON.stringify([files, links]))
    .digest('hex')
    .slice(0, 8);
  const directory = join(root, 'git', name);
  if (existsSync(directory)) return `file://${directory}`;
  mkdirSync(directory, { recursive: true });
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), content);
  }
  for (const [path, target] of Object.entries(links)) symlinkSync(target, join(directory, path));
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=e@x', ...args], { cwd: directory });
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-qm', 'The change');
  return `file://${directory}`;
}

let count = 0;
async function build(change: Partial<Job>, environment: Record<string, string> = {}) {
  count += 1;
  const deploymentId = `dep_${count}`;
  const job: Job = {
    applicationId: 'app_1',
    deploymentId,
    repoUrl: '',
    branch: 'main',
    nodeVersion: '22',
    framework: 'NODE',
    installCommand: 'npm ci',
    buildCommand: null,
    startFile: 'server.js',
    env: null,
    hostArn,
    ...change,
  };
  objects.set(`jobs/${deploymentId}.json`, Buffer.from(JSON.stringify(job)));
  const temporary = mkdtempSync(join(root, 'tmp-'));
  const child = spawn(process.execPath, [join(root, 'dist', 'main.mjs')], {
    env: {
      ...networkEnvironment(),
      ...npmEnvironment(),
      PATH: [join(root, 'bin'), ...machinePath()].join(delimiter),
      TMPDIR: temporary,
      N_PREFIX: join(temporary, 'n'),
      GIT_ALLOW_PROTOCOL: 'https:ssh:file',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local-platform-secret',
      AWS_REGION: 'af-south-1',
      AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${(s3.address() as AddressInfo).port}`,
      AWS_ENDPOINT_URL_KMS: kms.url,
      DEPLOYMENT_ID: deploymentId,
      BUILDS_BUCKET: 'builds',
      ...environment,
    },
    stdio: 'inherit',
  });
  const [code] = await once(child, 'exit');
  const result: { error?: string; step?: string; commitSha?: string } = JSON.parse(
    String(objects.get(`results/${deploymentId}.json`) ?? '{}'),
  );
  const artifact = objects.get(`artifacts/app_1/${deploymentId}.zip`);
  return { code, ...result, log: String(objects.get(`logs/${deploymentId}.txt`)), artifact };
}

async function entriesOf(artifact: Buffer | undefined): Promise<Map<string, string>> {
  const archive = await fromBufferPromise(artifact ?? Buffer.alloc(0), { lazyEntries: true });
  const entries = new Map<string, string>();
  for await (const entry of archive.eachEntry()) {
    const chunks: Buffer[] = [];
    for await (const chunk of await archive.openReadStreamPromise(entry)) chunks.push(chunk);
    entries.set(entry.fileName, Buffer.concat(chunks).toString());
  }
  return entries;
}

async function sealed(variables: Record<string, string>) {
  const call = async <Output>(operation: string, input: object): Promise<Output> => {
    const headers = { 'x-amz-target': `TrentService.${operation}` };
    return (await fetch(kms.url, { method: 'POST', headers, body: JSON.stringify(input) })).json() as Output;
  };
  return createSecrets(call, 'key').seal({ application: hostArn }, JSON.stringify(variables));
}

test('an application without dependencies is packaged with what starts it', async () => {
  const repoUrl = repository(
    { 'server.js': '1', 'lib/a.txt': 'a' },
    { 'current.txt': 'lib/a.txt', dangling: 'absent' },
  );
  const { code, commitSha, error, log, artifact } = await build({ repoUrl });
  expect([code, error]).toEqual([0, undefined]);
  expect(commitSha).toMatch(/^[0-9a-f]{7}$/);
  expect(log).toContain(`==> Cloning ${repoUrl} (branch main)\n    ${commitSha} The change\n    done in `);
  expect(log).toContain('nothing to install: there is no package.json');
  expect(log).toMatch(/==> Packaging\n {4}3 files, .* packed\n {4}done in \d+\.\d s\n$/);
  const entries = await entriesOf(artifact);
  expect([...entries.keys()].sort()).toEqual(
    ['.service/environment.mjs', '.service/release.json', 'current.txt', 'lib/a.txt', 'run.sh', 'server.js'].sort(),
  );
  expect(entries.get('current.txt')).toBe('lib/a.txt');
  expect(entries.get('run.sh')).toContain("exec node --import ./.service/environment.mjs 'server.js'");
});

test('its variables reach the build and the start, and neither log nor artifact', async () => {
  const secret = 'sup3r s3cret/value';
  const platform = 'process.env.AWS_SECRET_ACCESS_KEY ?? process.env.BUILDS_BUCKET';
  const repoUrl = repository({
    'build.js': `const v = process.env.TOKEN; console.log('plain', v, 'url', encodeURIComponent(v));
      console.log('base64', Buffer.from(v).toString('base64'), 'platform', ${platform}, process.version.split('.')[0]);`,
    'server.js': `console.log(JSON.stringify([process.env.TOKEN, ${platform}]))`,
  });
  const env = await sealed({ TOKEN: secret, NODE_ENV: 'production' });
  const { code, log, artifact } = await build({ repoUrl, env, buildCommand: 'node build.js', nodeVersion: '20' });
  expect(code).toBe(0);
  expect(log).toContain('plain [redacted] url [redacted]\nbase64 [redacted] platform undefined v20\n');
  const unpacked = mkdtempSync(join(root, 'unpacked-'));
  for (const [path, content] of await entriesOf(artifact)) {
    expect(content).not.toContain(secret);
    mkdirSync(dirname(join(unpacked, path)), { recursive: true });
    writeFileSync(join(unpacked, path), content);
  }
  // Not synchronously: KMS answers from this process.
  const { stdout: started } = await promisify(execFile)('sh', ['run.sh'], {
    cwd: unpacked,
    env: {
      PATH: process.env.PATH,
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      AWS_REGION: 'af-south-1',
      AWS_ENDPOINT_URL_KMS: kms.url,
    },
  });
  expect(JSON.parse(started)).toEqual([secret, null]);
});

test('development packages stay at home', async () => {
  const lock = {
    name: 'a',
    lockfileVersion: 3,
    packages: { '': { name: 'a' }, 'node_modules/kept': {}, 'node_modules/tool': { dev: true } },
  };
  // What an install leaves behind, without asking a registry.
  const install = [
    'mkdir -p node_modules/kept node_modules/tool node_modules/.bin',
    'echo 1 > node_modules/kept/index.js; echo 1 > node_modules/tool/cli.js',
    'ln -s ../tool/cli.js node_modules/.bin/tool',
    'cp lock.json node_modules/.package-lock.json',
  ].join(' && ');
  const repoUrl = repository({ 'server.js': '1', 'lock.json': JSON.stringify(lock) });
  const { log, artifact } = await build({ repoUrl, installCommand: install });
  expect(log).toContain('1 development packages are left out');
  const paths = [...(await entriesOf(artifact)).keys()];
  expect(paths).toContain('node_modules/kept/index.js');
  expect(paths.filter((path) => path.includes('tool'))).toEqual([]);
});

test('of a standalone Next.js build the standalone part goes, with static files and public', async () => {
  const make =
    'mkdir -p .next/standalone/.next .next/static && echo 1 > .next/standalone/server.js && echo 2 > .next/static/a.js';
  const next = { framework: 'NEXTJS', startFile: '.next/standalone/server.js' } as const;
  const repoUrl = repository({ 'public/logo.svg': 'x', 'pages/index.js': '1' });
  const { artifact } = await build({ repoUrl, ...next, buildCommand: make });
  const paths = [...(await entriesOf(artifact)).keys()].filter(
    (path) => path.startsWith('.next') || path.includes('public'),
  );
  expect(paths.sort()).toEqual([
    '.next/standalone/.next/static/a.js',
    '.next/standalone/public/logo.svg',
    '.next/standalone/server.js',
  ]);
  const without = await build({ repoUrl, ...next, buildCommand: 'true' });
  expect(without.error).toBe(
    'The start file ".next/standalone/server.js" was not found after the build: set output: \'standalone\' in next.config, so that the build makes it.',
  );
});

test.each<[string, Record<string, string>, Partial<Job>, string, string | RegExp]>([
  [
    'install',
    {},
    { installCommand: 'echo no such package; exit 9' },
    'install',
    'The install command "echo no such package; exit 9" failed with exit code 9.',
  ],
  ['build', {}, { buildCommand: 'exit 2' }, 'build', 'The build command "exit 2" failed with exit code 2.'],
  [
    'start file',
    {},
    { startFile: 'dist/main.js' },
    'package',
    'The start file "dist/main.js" was not found after the build.',
  ],
  ['branch', {}, { branch: 'absent' }, 'clone', /^Branch "absent" was not found in file:.*\.$/],
  [
    'lockfile',
    { 'package.json': '{"dependencies": {"express": "5"}}' },
    {},
    'install',
    '"npm ci" needs a package-lock.json, and the repository has none: run "npm install" and commit package-lock.json, or set the install command to "npm install".',
  ],
])('a failure says what to do: %s', async (_name, files, change, step, error) => {
  const repoUrl = repository({ 'server.js': '1', ...files });
  const failed = await build({ repoUrl, ...change });
  expect(failed).toMatchObject({ code: 1, step, artifact: undefined });
  expect(failed.error).toMatch(error);
});

test('a repository that is not there, or is refused by its protocol', async () => {
  const absent = `file://${join(root, 'git', 'absent')}`;
  expect(await build({ repoUrl: absent })).toMatchObject({
    step: 'clone',
    error: `The repository ${absent} was not found.`,
  });
  const refused = await build({ repoUrl: absent }, { GIT_ALLOW_PROTOCOL: 'https' });
  expect(refused.error).toContain("transport 'file' not allowed");
});

test('a link out of the repository is refused, and so is what is too large', async () => {
  const repoUrl = repository({ 'server.js': '1' }, { passwords: '/etc/passwd' });
  const { error, step } = await build({ repoUrl });
  expect([error, step]).toEqual(['The link "passwords" points out of the repository, to /etc/passwd.', 'package']);
  const large = await build({ repoUrl: repository({ 'server.js': '1' }), buildCommand: 'truncate -s 300M large' });
  expect(large.error).toBe('The application is 300 MB large after the build; at most 250 MB can be hosted.');
});

test('a command that takes too long, or leaves something running, does not hold the build', async () => {
  const repoUrl = repository({ 'server.js': '1' });
  const long = await build({ repoUrl, buildCommand: 'echo begun; sleep 60' }, { BUILD_LIMIT_MS: '700' });
  expect(long).toMatchObject({ step: 'build', error: 'The build took longer than the time limit and was ended.' });
  expect(long.log).toContain('begun');
  const began = performance.now();
  expect((await build({ repoUrl, buildCommand: 'sleep 3 & true' })).code).toBe(0);
  expect(performance.now() - began).toBeLessThan(2500);
});

test('the example builds with npm itself', async () => {
  const directory = join(root, 'example');
  cpSync('examples/hello-express', directory, { recursive: true, filter: (path) => !path.includes('node_modules') });
  execFileSync('git', ['init', '-q', '-b', 'main'], { cwd: directory });
  execFileSync('git', ['add', '-A'], { cwd: directory });
  execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=e@x', 'commit', '-qm', 'one'], { cwd: directory });
  const { code, artifact, log } = await build({ repoUrl: `file://${directory}` });
  expect(log).toMatch(/added \d+ packages/);
  expect(code).toBe(0);
  expect([...(await entriesOf(artifact)).keys()]).toContain('node_modules/express/index.js');
});
