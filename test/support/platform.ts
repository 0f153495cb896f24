import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestProject } from 'vitest/node';
import type { LoginFacts } from '../../local/emulators/login/provider.ts';
import { freePort } from '../../local/processes/ports.ts';
import { checkRights } from './rights-report.ts';

/** An account in `local.json`. */
export interface LocalAccount {
  id: string;
  email: string;
  password: string;
  dashboardToken: string;
  secretKey: string;
  publicKey: string;
  keys: Record<'read' | 'write' | 'deploy' | 'domains' | 'ai' | 'expired' | 'revoked', string>;
  restrictedPublic: { key: string; origin: string };
}

export interface Local {
  baseUrl: string;
  dashboardUrl: string;
  /** Issuer settings with which tests sign access tokens. */
  login: LoginFacts;
  dns: { host: string; port: number };
  accounts: { demo: LocalAccount; other: LocalAccount; operator: LocalAccount };
  /** Environment of the platform's functions. */
  environment: Record<string, string>;
  /** Values of the platform's secrets, by name. */
  secrets: Record<string, string>;
  /** ARN of each function's role. */
  roles: Record<string, string>;
  /** Folder of the functions' logs, `<function>.log`. */
  logs: string;
}

declare module 'vitest' {
  export interface ProvidedContext {
    local: Local;
    /** Directory of the shared platform's repositories, for tests that add their own. */
    repositories: string;
  }
}

export interface Run {
  local: Local;
  /** Lines that the run has printed so far. */
  output: readonly string[];
  /** Process id of the run; its engines are child processes. */
  pid: number;
  /** Stops the run, by default like Ctrl-C; resolves when the process has exited. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** Time in milliseconds after which a run that is not ready never will be: a first start on a busy machine takes about a minute. */
const READY_MS = 300_000;

/**
 * Starts the whole platform on this machine like `npm start`, and waits until it is ready.
 * @param cwd the directory of its sources; this one's unless given
 */
export async function startRun(environment: Record<string, string>, cwd = process.cwd()): Promise<Run> {
  const scratch = await mkdtemp(join(tmpdir(), 'platform-'));
  const localJson =
    environment.DATA_DIR === ':memory:' ? join(scratch, 'local.json') : join(environment.DATA_DIR ?? '', 'local.json');
  const { scripts }: { scripts: { start: string } } = JSON.parse(await readFile(join(cwd, 'package.json'), 'utf8'));
  const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter);
  const settings = {
    PORT: String(await freePort()),
    LOCAL_JSON: localJson,
    LOCAL_IAM: 'on',
    // A run of tests calls each function now and then: importing its bundle again takes more than the call.
    LOCAL_IDLE_SECONDS: '1200',
    // A test waits for its deployment, not for answers, and browsers take both cores.
    LOCAL_BUILD_NICENESS: '3',
    ...environment,
  };
  const child = spawn('sh', ['-c', scripts.start], {
    cwd,
    env: { ...process.env, PATH, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said: string[] = [];
  const gone = once(child, 'exit');
  const ready = new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new Error(`the local run was not ready within ${READY_MS / 1000} s:\n${said.join('\n')}`));
      child.kill();
    }, READY_MS);
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        said.push(line);
        if (!line.startsWith('ready ')) return;
        clearTimeout(timer);
        resolve();
      });
    }
    gone.then(() => {
      clearTimeout(timer);
      reject(new Error(`the local run ended before it was ready:\n${said.join('\n')}`));
    }, reject);
  });
  await ready;
  const local = JSON.parse(await readFile(localJson, 'utf8')) as Local;
  return {
    local,
    output: said,
    pid: child.pid ?? 0,
    stop: async (signal = 'SIGTERM') => {
      child.kill(signal);
      await gone;
      await rm(scratch, { recursive: true, force: true });
    },
  };
}

/** The run that all projects over HTTP share. */
interface Shared {
  run: Run;
  /** Directory of the run's repositories: the examples, and what tests add. */
  repositories: string;
  remove(): Promise<void>;
}

/** Each project loads this module for itself: what they share is on the process. */
const onProcess = globalThis as typeof globalThis & { sharedPlatform?: { started: Promise<Shared>; users: number } };

/** Starts the shared platform, without persistent data. */
async function startShared(): Promise<Shared> {
  const rights = await mkdtemp(join(tmpdir(), 'rights-'));
  // The runs that tests start themselves report their rights to the same directory.
  process.env.LOCAL_IAM_REPORT ??= rights;
  const run = await startRun({ DATA_DIR: ':memory:', RATE_LIMIT_ANONYMOUS: '100000' });
  const repositories = resolve(run.local.login.keyFile, '../../git');
  return { run, repositories, remove: () => rm(rights, { recursive: true }) };
}

/** Fails if a role lacked a right in the tests of the project `platform`, whatever became of the refused request. */
async function checkRightsOf({ vitest }: TestProject): Promise<void> {
  const platform = vitest.projects.find(({ name }) => name === 'platform');
  const done = vitest.state.getFiles().filter(({ projectName }) => projectName === 'platform');
  if (!platform || done.length === 0) return;
  const { testFiles } = await platform.globTestFiles();
  checkRights(String(process.env.LOCAL_IAM_REPORT), done.length === testFiles.length);
}

/** Starts one platform for all tests over HTTP; the last project to end stops it. Each test opens its own accounts. */
export default async function setup(project: TestProject) {
  onProcess.sharedPlatform ??= { started: startShared(), users: 0 };
  const { sharedPlatform } = onProcess;
  sharedPlatform.users += 1;
  const { run, repositories, remove } = await sharedPlatform.started;
  project.provide('local', run.local);
  project.provide('repositories', repositories);
  return async () => {
    sharedPlatform.users -= 1;
    if (sharedPlatform.users > 0) return;
    await run.stop();
    await checkRightsOf(project);
    await remove();
  };
}
