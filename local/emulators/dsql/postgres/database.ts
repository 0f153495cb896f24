import { readAnswer, rowsOf } from './answers.ts';
import { type Engine, startEngine } from './engine.ts';
import { query } from './messages.ts';

/** Uses of a database's engine are exclusive: it has one session, which the clients' sessions take turns in. */
export interface Turn {
  engine: Engine;
  /** The session that had the previous turn. */
  previous: object | undefined;
  /** Names of the prepared statements that the engine has. */
  statements: Set<string>;
  end(): void;
}

/** Thrown where a turn does not come in time, because another session's transaction stays open. */
export class TurnTimeout extends Error {}

/** As on DSQL, an empty database has no size. */
const SIZE = `SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) FROM pg_class c
  JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind = 'r' AND n.nspname NOT IN ('pg_catalog', 'information_schema')`;

interface DatabaseOptions {
  /** Returns the data directory, and creates it the first time. */
  directory(): Promise<string>;
  /** Makes room for another engine. */
  reserve(database: Database): Promise<void>;
  idleMs: number;
  turnMs: number;
  /** Called with the time in milliseconds that the engine worked for a client. */
  onWork?(milliseconds: number): void;
}

export interface Database {
  take(session: object): Promise<Turn>;
  /** Ends a query that runs too long, or that its client cancelled, by ending the engine. */
  kill(): Promise<void>;
  /** Stops the engine unless it is in use. Returns whether it is stopped. */
  rest(): Promise<boolean>;
  stop(): Promise<void>;
  readonly running: boolean;
  readonly usedAt: number;
  /** Returns the size of all tables in bytes: as it is while the engine runs unused, else as it was then. */
  measure(): Promise<number | undefined>;
}

/** Returns an engine that reports how long it works. */
function metered(engine: Engine, onWork: (milliseconds: number) => void): Engine {
  return {
    async run(bytes) {
      const from = performance.now();
      try {
        return await engine.run(bytes);
      } finally {
        onWork(performance.now() - from);
      }
    },
    stop: () => engine.stop(),
    kill: () => engine.kill(),
    get ended() {
      return engine.ended;
    },
  };
}

/** A database whose engine runs while it is used. */
export function createDatabase({
  directory,
  reserve,
  idleMs,
  turnMs,
  onWork = () => undefined,
}: DatabaseOptions): Database {
  let engine: Engine | undefined;
  let statements = new Set<string>();
  let taken = false;
  let previous: object | undefined;
  let usedAt = 0;
  let size: number | undefined;
  let idle: NodeJS.Timeout | undefined;
  const waiting: { go(): void }[] = [];

  const measure = async (): Promise<void> => {
    if (!engine || engine.ended) return;
    const [[bytes] = []] = rowsOf(readAnswer(await engine.run(query(SIZE))));
    if (bytes) size = Number(bytes);
  };
  const release = (): void => {
    usedAt = Date.now();
    const next = waiting.shift();
    if (next) {
      next.go();
      return;
    }
    taken = false;
    clearTimeout(idle);
    idle = setTimeout(() => database.rest().catch((error: unknown) => console.error(error)), idleMs).unref();
  };
  const enter = (): Promise<void> => {
    if (!taken) {
      taken = true;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const entry = {
        go: () => {
          clearTimeout(timeout);
          resolve();
        },
      };
      const timeout = setTimeout(() => {
        waiting.splice(waiting.indexOf(entry), 1);
        reject(new TurnTimeout());
      }, turnMs);
      waiting.push(entry);
    });
  };
  const database: Database = {
    async take(session) {
      await enter();
      clearTimeout(idle);
      try {
        if (!engine || engine.ended) {
          await reserve(database);
          engine = await startEngine(await directory());
          statements = new Set();
          previous = undefined;
        }
        const turn = { engine: metered(engine, onWork), statements, previous, end: release };
        previous = session;
        return turn;
      } catch (error) {
        release();
        throw error;
      }
    },
    kill: async () => engine?.kill(),
    async rest() {
      if (taken) return false;
      taken = true;
      try {
        await measure();
        await engine?.stop();
        engine = undefined;
      } finally {
        const next = waiting.shift();
        if (next) next.go();
        else taken = false;
      }
      return true;
    },
    async measure() {
      if (taken || !database.running) return size;
      taken = true;
      try {
        await measure();
      } finally {
        release();
      }
      return size;
    },
    async stop() {
      clearTimeout(idle);
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
