import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Child } from './started-child.ts';
import type { StartSettings } from './starter.ts';
import { type Started, Watchdog } from './watchdog-client.ts';

/** Options of a child process. */
export interface ChildOptions {
  /** Name of the child in messages and of its log file: `<dataDir>/logs/<label>.log`. */
  label: string;
  cwd?: string;
  /** The child's whole environment. Default: the main process's. */
  env?: NodeJS.ProcessEnv;
  /** Default: no stdin; stdout and stderr are appended to the log file. */
  stdio?: StartSettings['stdio'];
  /** True if the platform cannot run without it: its unexpected end is reported to `onExit`. */
  essential?: boolean;
  /** Niceness of the child and its descendants, up to 19, for work that must not slow down other work. Default: the run's. */
  niceness?: number;
  /** Memory limit in MiB of the child and its descendants. When it is exceeded, the largest of them is killed. */
  memoryMb?: number;
}

/** Manages all processes of the local run. None of them outlives it, however it ends. */
export interface Children {
  /** The run's data directory, which also holds temporary files of children. */
  dataDir: string;
  /** Starts a process as the leader of a new process group. */
  spawn(command: string, args: readonly string[], options: ChildOptions): Child;
  /** Resolves when all output that children, except essential ones, printed before the call has arrived. */
  outputArrived(): Promise<void>;
  /** Ends a child and its process group: SIGTERM, then SIGKILL after `graceMs` (1,000). Resolves when it has ended. */
  end(child: Child, graceMs?: number): Promise<void>;
  /** Ends all children, then the watchdog. */
  stop(graceMs?: number): Promise<void>;
}

export interface ChildrenOptions {
  /** Called when an essential child ended unexpectedly. */
  onExit?: (label: string, how: string) => void;
  /** Removes the data directory when the main process has ended, however it ended. */
  temporary?: boolean;
}

/** Starts the watchdog (watchdog.ts). Returns the only way to start processes. */
export function startChildren(dataDir: string, options: ChildrenOptions = {}): Children {
  const logs = join(dataDir, 'logs');
  mkdirSync(logs, { recursive: true });
  let isStopping = false;
  const watchdog = new Watchdog(options.temporary ? dataDir : undefined, (how) => {
    if (!isStopping) options.onExit?.('watchdog', how);
  });
  const running = new Map<Child, { exited: Promise<void>; signal: Started['signal'] }>();
  const ending = new WeakSet<Child>();

  const spawn: Children['spawn'] = (command, args, { label, cwd, env, stdio, essential, niceness, memoryMb = 0 }) => {
    const settings: StartSettings = {
      command,
      args,
      niceness,
      memoryMb,
      cwd: cwd ?? process.cwd(),
      env: { ...(env ?? process.env) },
      log: stdio === undefined ? join(logs, `${label}.log`) : undefined,
      stdio: stdio ?? ['ignore', 'ignore', 'ignore'],
    };
    const { child, signal } = essential ? watchdog.startDirectly(settings) : watchdog.start(settings);
    const exited = new Promise<void>((resolve) => {
      const settle = (how: string): void => {
        if (!running.delete(child)) return;
        resolve();
        if (essential && !ending.has(child)) options.onExit?.(label, how);
      };
      child.once('exit', (code, by) => settle(by ? `killed by ${by}` : `exit code ${code}`));
      child.once('error', (error: Error) => settle(error.message));
    });
    running.set(child, { exited, signal });
    return child;
  };

  const end: Children['end'] = async (child, graceMs = 1000) => {
    const found = running.get(child);
    if (!found) return;
    ending.add(child);
    found.signal('SIGTERM');
    const timer = setTimeout(() => found.signal('SIGKILL'), graceMs);
    await found.exited;
    clearTimeout(timer);
  };

  return {
    dataDir,
    spawn,
    outputArrived: () => watchdog.outputArrived(),
    end,
    async stop(graceMs = 1500) {
      isStopping = true;
      await Promise.all([...running.keys()].map((child) => end(child, graceMs)));
      await watchdog.end();
    },
  };
}
