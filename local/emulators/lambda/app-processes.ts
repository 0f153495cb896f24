import type { AppProcess, startApp } from './app-process.ts';

/** One version of one function, as far as running it goes. */
export interface Runnable {
  /** Names the process: what has the same key runs the same code with the same settings. */
  key: string;
  start(): ReturnType<typeof startApp>;
  /** Whether requests are routed to it: then it may be idle for long. */
  serving(): boolean;
}

export interface AppProcesses {
  /**
   * Lends the running process of a version, started if need be; it is not stopped before `work` is over. Throws
   * {@link StartFailure} when it cannot be started.
   */
  use<T>(runnable: Runnable, work: (app: AppProcess, cold: boolean) => Promise<T>): Promise<T>;
  /** Stops the processes whose key begins so, whatever they are doing. */
  stop(prefix: string): Promise<void>;
  /** Stops all, and starts none any more. */
  close(): Promise<void>;
}

export interface IdleLimits {
  /** A version that serves is stopped after so long without a request, in milliseconds. */
  servingMs: number;
  /** One that does not serve (any more, or yet). */
  otherMs: number;
}

interface Running {
  runnable: Runnable;
  app: Promise<AppProcess>;
  active: number;
  lastUsed: number;
}

/** At most one process a version, started by the first who needs it and stopped when nobody has for a while. */
export function createAppProcesses(limits: IdleLimits): AppProcesses {
  const running = new Map<string, Running>();
  let closed = false;

  const begin = (runnable: Runnable): Running => {
    if (closed) throw new Error('the app host is stopping');
    const entry: Running = { runnable, app: runnable.start(), active: 0, lastUsed: Date.now() };
    running.set(runnable.key, entry);
    const forget = (): void => {
      if (running.get(runnable.key) === entry) running.delete(runnable.key);
    };
    // A crashed process is forgotten, so that the next request starts another.
    entry.app.then((app) => app.ended.then(forget), forget);
    return entry;
  };

  const stopEntry = async (entry: Running): Promise<void> => {
    // Out of the map first: whoever comes while it stops gets a new one.
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
      const entry = found ?? begin(runnable);
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
