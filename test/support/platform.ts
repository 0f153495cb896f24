import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestProject } from 'vitest/node';
import type { LoginFacts } from '../../local/emulators/login/provider.ts';

/** What `local.json` tells of an account (design, section 6). */
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
  /** With these a test makes logins of its own. */
  login: LoginFacts;
  dns: { host: string; port: number };
  accounts: { demo: LocalAccount; other: LocalAccount };
  /** The variables a process needs to act as one of the platform's functions. */
  environment: Record<string, string>;
}

declare module 'vitest' {
  export interface ProvidedContext {
    local: Local;
  }
}

/** A port that nobody listens on, from below the range of outgoing connections. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(12_000, 32_000);
    const probe = createServer().listen(port);
    const free = await once(probe, 'listening').then(
      () => true,
      () => false,
    );
    probe.close();
    if (free) return port;
  }
}

export interface Run {
  local: Local;
  /** Of the run itself; its engines are children of it. */
  pid: number;
  /** Ends the run, by default as Ctrl-C does; resolves when the process is gone. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** Starts the whole platform on this machine, as `npm start` does, and waits until it is ready. */
export async function startRun(environment: Record<string, string>): Promise<Run> {
  const scratch = await mkdtemp(join(tmpdir(), 'platform-'));
  const localJson =
    environment.DATA_DIR === ':memory:' ? join(scratch, 'local.json') : join(environment.DATA_DIR ?? '', 'local.json');
  const child = spawn(process.execPath, ['local/start.ts'], {
    env: { ...process.env, PORT: String(await freePort()), LOCAL_JSON: localJson, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said: string[] = [];
  const gone = once(child, 'exit');
  const ready = new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        said.push(line);
        if (line.startsWith('ready ')) resolve();
      });
    }
    gone.then(() => reject(new Error(`the local run ended before it was ready:\n${said.join('\n')}`)), reject);
  });
  await ready;
  const local = JSON.parse(await readFile(localJson, 'utf8')) as Local;
  return {
    local,
    pid: child.pid ?? 0,
    stop: async (signal = 'SIGTERM') => {
      child.kill(signal);
      await gone;
      await rm(scratch, { recursive: true, force: true });
    },
  };
}

/** One platform for all the tests over HTTP, keeping nothing. Each test opens accounts of its own. */
export default async function setup(project: TestProject) {
  const run = await startRun({ DATA_DIR: ':memory:', RATE_LIMIT_ANONYMOUS: '100000' });
  project.provide('local', run.local);
  return () => run.stop();
}
