import type { AppProcess, startApp } from './app-process.ts';

/** One version of a function that can be started. */
export interface Runnable {
  /** Identifies the process. Versions with the same key have the same code and settings. */
  key: string;
  start(): ReturnType<typeof startApp>;
  /** Returns true if requests are routed to this version, which extends its idle time. */
  serving(): boolean;
}

export interface AppProcesses {
  /**
   * Calls `work` with the process of a version, which is started if necessary. The process is not stopped for being idle before
   * `work` has ended. Throws `StartFailure`.
   */
  use<T>(runnable: Runnable, work: (app: AppProcess, cold: boolean) => Promise<T>): Promise<T>;
  /** Stops all processes whose keys have this prefix, including busy ones. */
  stop(prefix: string): Promise<void>;
  /** Stops all processes and prevents new ones. */
  close(): Promise<void>;
}

export interface IdleLimits {
  /** Idle time in milliseconds after which a version that serves requests is stopped. */
  servingMs: number;
  /** Idle time in milliseconds of a version that no alias points to. */
  otherMs: number;
}

interface Running {
  runnable: Runnable;
  app: Promise<AppProcess>;
  active: number;
  lastUsed: number;
}

/** Runs at most one process per version. The first request starts it, and it stops after its idle time. */
export function createAppProcesses(limits: IdleLimits): AppProcesses {
  const running = new Map<string, Running>();
  let closed = false;

  const startEntry = (runnable: Runnable): Running => {
    if (closed) throw new Error('The app host is stopping');
    const entry: Running = { runnable, app: runnable.start(), active: 0, lastUsed: Date.now() };
    running.set(runnable.key, entry);
    const removeEntry = (): void => {
      if (running.get(runnable.key) === entry) running.delete(runnable.key);
    };
    // A crashed process is removed, so that the next request starts another.
    entry.app.then((app) => app.ended.then(removeEntry), removeEntry);
    return entry;
  };

  const stopEntry = async (entry: Running): Promise<void> => {
    // Removed from the map first, so that a request during the stop starts a new process.
    if (running.get(entry.runnable.key) === entry) running.delete(entry.runnable.key);
    await entry.app.then(
      (app) => app.stop(),
      () => {},
    );
  };

  const sweep = setInterval(
    () => {
      for (const entry of running.values()) {
        const limit = entry.runnable.serving() ? limits.servingMs : limits.otherMs;
        if (entry.active === 0 && Date.now() - entry.lastUsed > limit) void stopEntry(entry);
      }
    },
    Math.min(1000, limits.otherMs),
  ).unref();

  return {
    async use(runnable, work) {
      const found = running.get(runnable.key);
      const entry = found ?? startEntry(runnable);
      entry.active += 1;
      try {
        return await work(await entry.app, !found);
      } finally {
        entry.active -= 1;
        entry.lastUsed = Date.now();
      }
    },
    async stop(prefix) {
      const matching = [...running.values()].filter(({ runnable }) => runnable.key.startsWith(prefix));
      await Promise.all(matching.map(stopEntry));
    },
    async close() {
      closed = true;
      clearInterval(sweep);
      await Promise.all([...running.values()].map(stopEntry));
    },
  };
}
