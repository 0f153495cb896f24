import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

/** A running PostgreSQL. Calls must not overlap. */
export interface Engine {
  /** Sends protocol messages. Resolves with the server's whole response, and rejects if the engine ends before. */
  run(bytes: Buffer): Promise<Buffer>;
  /** Writes everything to disk and ends. */
  stop(): Promise<void>;
  /** Ends the engine immediately, even during a query. The next start recovers, as after a crash. */
  kill(): Promise<void>;
  readonly ended: boolean;
}

/** Maximum duration of an orderly shutdown. */
const STOP_TIMEOUT_MS = 3000;

const newWorker = (directory: string, task: 'prepare' | 'serve'): Worker =>
  new Worker(new URL('./engine-worker.ts', import.meta.url), { workerData: { directory, task }, execArgv: [] });

/** Opens the data directories of the databases. Each is a copy of a template, which is prepared once. */
export function openDataDirectories(directory: string) {
  const template = join(directory, 'template');
  let prepared: Promise<unknown> | undefined;
  const prepare = async (): Promise<void> => {
    if (existsSync(template)) return;
    const [code] = await once(newWorker(template, 'prepare'), 'exit');
    if (code !== 0) throw new Error('PostgreSQL could not be prepared');
  };
  const pathOf = (id: string): string => join(directory, id);
  return {
    pathOf,
    /** Creates a database's directory unless it exists. */
    async create(id: string): Promise<string> {
      const path = pathOf(id);
      if (existsSync(path)) return path;
      prepared ??= prepare().catch((error: unknown) => {
        prepared = undefined;
        throw error;
      });
      await prepared;
      await rm(`${path}.new`, { recursive: true, force: true });
      await cp(template, `${path}.new`, { recursive: true });
      await rename(`${path}.new`, path);
      return path;
    },
    remove: (id: string) => rm(pathOf(id), { recursive: true, force: true }),
  };
}

/** Starts PostgreSQL on a data directory, in its own thread. */
export async function startEngine(directory: string): Promise<Engine> {
  const worker = newWorker(directory, 'serve');
  let ended = false;
  let pending: { resolve(bytes: Buffer): void; reject(error: Error): void } | undefined;
  const exit = new Promise<void>((resolve) => {
    worker.once('exit', () => {
      ended = true;
      pending?.reject(new Error('The database engine ended'));
      resolve();
    });
  });
  await new Promise<void>((resolve, reject) => {
    worker.once('message', () => resolve());
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('The database engine did not start')));
  });
  worker.on('error', (error) => console.error(error));
  worker.on('message', (bytes: Uint8Array) => pending?.resolve(Buffer.from(bytes.buffer)));
  const kill = async (): Promise<void> => {
    await worker.terminate();
    await exit;
  };
  return {
    run: (bytes) =>
      new Promise<Buffer>((resolve, reject) => {
        if (ended) reject(new Error('The database engine ended'));
        pending = { resolve, reject };
        worker.postMessage(new Uint8Array(bytes));
      }),
    kill,
    async stop() {
      if (ended) return;
      const timeout = setTimeout(kill, STOP_TIMEOUT_MS);
      worker.postMessage('close');
      await exit;
      clearTimeout(timeout);
    },
    get ended() {
      return ended;
    },
  };
}
