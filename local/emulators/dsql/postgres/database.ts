import { type Engine, startEngine } from './engine.ts';
import { query } from './messages.ts';
import { parseResponse, rowsOf } from './responses.ts';

/** Exclusive use of a database's engine. The engine has only one session, which the clients' sessions share. */
export interface EngineLease {
  engine: Engine;
  /** The session that held the previous lease; undefined for a newly started engine. */
  previous: object | undefined;
  /** Names of the statements that are prepared in the engine. */
  statements: Set<string>;
  release(): void;
}

/** Thrown when a session cannot acquire the engine in time, because another session's transaction stays open. */
export class LeaseTimeout extends Error {}

/** Thrown when a session acquires the engine of a database that has been stopped. */
export class DatabaseStopped extends Error {}

/** As on DSQL, the size of an empty database is 0. */
const SIZE = `SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) FROM pg_class c
  JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind = 'r' AND n.nspname NOT IN ('pg_catalog', 'information_schema')`;

interface DatabaseOptions {
  /** Returns the data directory, and creates it on first use. */
  directory(): Promise<string>;
  /** Called before the engine starts. May stop the engine of another database. */
  makeRoom(database: Database): Promise<void>;
  /** Idle time after which the engine stops. */
  idleMs: number;
  acquireTimeoutMs: number;
  /** Called with the milliseconds for which the engine worked for a client. */
  onWork?(milliseconds: number): void;
}

export interface Database {
  /** Acquires the engine for a session, and starts the engine if necessary. Throws {@link LeaseTimeout} or {@link DatabaseStopped}. */
  acquire(session: object): Promise<EngineLease>;
  /** Aborts the running query by ending the engine. */
  kill(): Promise<void>;
  /** Stops the engine unless it is in use. Returns true if the engine is stopped. */
  stopIfUnused(): Promise<boolean>;
  /** Stops the engine, which does not start again. */
  stop(): Promise<void>;
  readonly running: boolean;
  readonly usedAt: number;
  /** Returns the size of all tables in bytes. If the engine is stopped or in use, returns the size of the last measurement. */
  measure(): Promise<number | undefined>;
}

/** Returns the engine with a report of the duration of each call. */
function metered(engine: Engine, onWork: (milliseconds: number) => void): Engine {
  return {
    async run(bytes) {
      const startedAt = performance.now();
      try {
        return await engine.run(bytes);
      } finally {
        onWork(performance.now() - startedAt);
      }
    },
    stop: () => engine.stop(),
    kill: () => engine.kill(),
    get ended() {
      return engine.ended;
    },
  };
}

/** Creates a database whose engine starts on first use and stops when it is idle. */
export function createDatabase({
  directory,
  makeRoom,
  idleMs,
  acquireTimeoutMs,
  onWork = () => undefined,
}: DatabaseOptions): Database {
  let engine: Engine | undefined;
  let statements = new Set<string>();
  let isLeased = false;
  let previous: object | undefined;
  let usedAt = 0;
  let size: number | undefined;
  let idleTimer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const waiters: { grant(): void }[] = [];

  const measure = async (): Promise<void> => {
    if (!engine || engine.ended) return;
    const [[bytes] = []] = rowsOf(parseResponse(await engine.run(query(SIZE))));
    if (bytes) size = Number(bytes);
  };
  const release = (): void => {
    usedAt = Date.now();
    const next = waiters.shift();
    if (next) {
      next.grant();
      return;
    }
    isLeased = false;
    clearTimeout(idleTimer);
    idleTimer = setTimeout(
      () => database.stopIfUnused().catch((error: unknown) => console.error(error)),
      idleMs,
    ).unref();
  };
  const waitForLease = (): Promise<void> => {
    if (!isLeased) {
      isLeased = true;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const waiter = {
        grant: () => {
          clearTimeout(timeout);
          resolve();
        },
      };
      const timeout = setTimeout(() => {
        waiters.splice(waiters.indexOf(waiter), 1);
        reject(new LeaseTimeout());
      }, acquireTimeoutMs);
      waiters.push(waiter);
    });
  };
  const database: Database = {
    async acquire(session) {
      await waitForLease();
      clearTimeout(idleTimer);
      try {
        // A session that waited must not start the engine of a removed database again, which would create its directory.
        if (isStopped) throw new DatabaseStopped();
        if (!engine || engine.ended) {
          await makeRoom(database);
          engine = await startEngine(await directory());
          statements = new Set();
          previous = undefined;
        }
        const lease = { engine: metered(engine, onWork), statements, previous, release };
        previous = session;
        return lease;
      } catch (error) {
        release();
        throw error;
      }
    },
    kill: async () => engine?.kill(),
    async stopIfUnused() {
      if (isLeased) return false;
      isLeased = true;
      try {
        await measure();
        await engine?.stop();
        engine = undefined;
      } finally {
        const next = waiters.shift();
        if (next) next.grant();
        else isLeased = false;
      }
      return true;
    },
    async measure() {
      if (isLeased || !database.running) return size;
      isLeased = true;
      try {
        await measure();
      } finally {
        release();
      }
      return size;
    },
    async stop() {
      isStopped = true;
      clearTimeout(idleTimer);
      await engine?.stop();
    },
    get running() {
      return engine !== undefined && !engine.ended;
    },
    get usedAt() {
      return usedAt;
    },
  };
  return database;
}
