/**
 * Environment of the builder's tests: the bundled builder, an in-memory S3, a KMS emulator and repositories created on
 * demand.
 */
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { build as bundle } from 'esbuild';
import { startKms } from '../local/emulators/kms/kms.ts';
import { machinePath, networkEnvironment, npmEnvironment } from '../local/emulators/machine.ts';
import type { Emulator } from '../local/emulators/wire.ts';
import { nodeBinaries } from '../local/runtimes/node-binary.ts';
import { createBuildAccess } from '../providers/builds/access.ts';
import { toText } from '../providers/builds/build-log.ts';
import { createBuilds, type Job } from '../providers/builds/builds.ts';
import { createSecrets } from '../providers/encryption/secrets.ts';

/** Parent directory of everything that a test file creates. */
export const root = mkdtempSync(join(tmpdir(), 'builder-'));
/** The builds bucket, and the requests that it received. */
const objects = new Map<string, Buffer>();
export const requests: string[] = [];
let s3: Server;
export let kms: Emulator;
const hostArn = 'arn:aws:lambda:af-south-1:000000000000:function:app-1';

/** Returns the address of the harness's object store. */
export const objectsUrl = (): string => `http://127.0.0.1:${(s3.address() as AddressInfo).port}`;

/** Bundles the builder and starts its services. */
export async function openTestHarness(): Promise<void> {
  const options = { outdir: join(root, 'dist'), bundle: true, platform: 'node', target: 'node20' } as const;
  await bundle({
    ...options,
    entryPoints: {
      main: 'builder/main.ts',
      environment: 'builder/app-runtime/environment.ts',
      launch: 'builder/app-runtime/launch.ts',
      'site-server': 'builder/app-runtime/site-server.ts',
    },
    outExtension: { '.js': '.mjs' },
    format: 'esm',
    mainFields: ['module', 'main'],
    banner: { js: "import{createRequire as __r}from'node:module';const require=__r(import.meta.url);" },
  });
  await bundle({
    ...options,
    entryPoints: ['builder/app-runtime/preload.ts'],
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
  });
  kms = await startKms({ dataDir: root });
  s3 = createServer(async (request, response) => {
    const key = decodeURIComponent(request.url ?? '').replace('/builds/', '');
    requests.push(`${request.method} ${key}`);
    if (request.method === 'PUT') {
      const body = await buffer(request);
      if (request.headers['if-none-match'] === '*' && objects.has(key)) return void response.writeHead(412).end();
      objects.set(key, body);
      response.end();
    } else if (request.method === 'DELETE') {
      objects.delete(key);
      response.writeHead(204).end();
    } else if (objects.has(key)) response.end(objects.get(key));
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => s3.listen(0, '127.0.0.1', resolve));
}

export async function closeTestHarness(): Promise<void> {
  await kms.stop();
  await new Promise((resolve) => s3.close(resolve));
  // Test files of one worker share this map, and would otherwise restore caches of the previous file.
  objects.clear();
  rmSync(root, { recursive: true });
}

/**
 * Creates a repository with these files and returns its URL.
 * @param submodules addresses of submodules by path; a submodule with an empty address is not listed in .gitmodules
 */
export function repository(
  files: Record<string, string>,
  links: Record<string, string> = {},
  submodules: Record<string, string> = {},
): string {
  const name = createHash('sha256')
    .update(JSON.stringify([files, links, submodules]))
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
  for (const [path, url] of Object.entries(submodules)) {
    const commit = url.startsWith('file:')
      ? execFileSync('git', ['rev-parse', 'HEAD'], { cwd: fileURLToPath(url), encoding: 'utf8' }).trim()
      : 'a'.repeat(40);
    if (url !== '') {
      git('config', '-f', '.gitmodules', `submodule.${path}.path`, path);
      git('config', '-f', '.gitmodules', `submodule.${path}.url`, url);
      git('add', '.gitmodules');
    }
    git('update-index', '--add', '--cacheinfo', `160000,${commit},${path}`);
  }
  git('commit', '-qm', 'The change');
  return `file://${directory}`;
}

let count = 0;
/**
 * Runs the builder as CodeBuild does and returns its results. `stored` is an artifact that already exists; `launcher` is a command that starts
 * the builder.
 */
export async function build(
  change: Partial<Job>,
  environment: Record<string, string> = {},
  { stored, launcher = [] }: { stored?: Buffer; launcher?: readonly string[] } = {},
) {
  count += 1;
  const deploymentId = `dep_${count}`;
  const base = objectsUrl();
  const { readJob, access } = await createBuildAccess(async (grants) =>
    grants.map(({ key, ...request }) => ({ ...request, url: `${base}/builds/${key}` })),
  ).grant('app_1', deploymentId);
  if (stored) objects.set(`artifacts/app_1/${deploymentId}.zip`, stored);
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
    startCommand: null,
    rootDirectory: null,
    variables: {},
    env: null,
    hostArn,
    databases: [],
    deployKey: null,
    access,
    ...change,
  };
  const key = await createBuilds(
    {
      getObject: async (_, name) => objects.get(name),
      putObject: async (_, name, body) => void objects.set(name, Buffer.from(body)),
      deleteObject: async (_, name) => void objects.delete(name),
    },
    'builds',
  ).writeJob(job);
  const temporary = mkdtempSync(join(root, 'tmp-'));
  const [command = '', ...args] = [...launcher, process.execPath, join(root, 'dist', 'main.mjs')];
  const child = spawn(command, args, {
    env: {
      ...networkEnvironment(),
      ...npmEnvironment(),
      PATH: machinePath().join(delimiter),
      TMPDIR: temporary,
      NODE_BINARIES: JSON.stringify(nodeBinaries()),
      GIT_ALLOW_PROTOCOL: 'https:ssh:file',
      AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: '/v2/credentials/platform-secret',
      JOB_URL: `${readJob.url}#${key}`,
      BUILD_USER: 'self',
      BUILD_SECONDS: '120',
      ...environment,
    },
    stdio: 'inherit',
    detached: true,
  });
  const [code] = await once(child, 'exit');
  try {
    // Kills processes that the build's commands left running, like the end of a container.
    process.kill(-(child.pid ?? Number.NaN), 'SIGKILL');
  } catch {
    // No process was still running.
  }
  const result: { error?: string; step?: string; commitSha?: string } = JSON.parse(
    String(objects.get(`results/${deploymentId}.json`) ?? '{}'),
  );
  const artifact = objects.get(`artifacts/app_1/${deploymentId}.zip`);
  return { code, ...result, log: toText(String(objects.get(`logs/${deploymentId}.txt`))), artifact };
}

/** Returns variables as a job contains them: decrypted for the build, encrypted for the artifact. */
export const withVariables = async (variables: Record<string, string>) => ({
  variables,
  env: await createSecrets(async <Output>(operation: string, input: object): Promise<Output> => {
    const headers = { 'x-amz-target': `TrentService.${operation}` };
    return (await fetch(kms.url, { method: 'POST', headers, body: JSON.stringify(input) })).json() as Output;
  }, 'key').seal({ application: hostArn }, JSON.stringify(variables)),
});
