import { type ChildProcess, type StdioOptions, spawn as spawnProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Options of a child process. */
export interface ChildOptions {
  /** Name of the child in messages and of its log file: `<dataDir>/logs/<label>.log`. */
  label: string;
  cwd?: string;
  /** The child's whole environment. Default: the main process's. */
  env?: NodeJS.ProcessEnv;
  /** Default: no stdin; stdout and stderr are appended to the log file. */
  stdio?: StdioOptions;
  /** True if the platform cannot run without it: its unexpected end is reported to `onExit`. */
  essential?: boolean;
  /** Niceness of the child and its descendants, for work that others must not wait for: 19 is the most. Default: that of the run. */
  niceness?: number;
  /** Memory limit in MiB of the child and its descendants. When it is exceeded, the largest of them is killed. */
  memoryMb?: number;
}

/** Manages all processes of the local run. None of them outlives it, however it ends. */
export interface Children {
  /** The run's data directory, which also holds temporary files of children. */
  dataDir: string;
  /** Starts a process as the leader of a new process group. */
  spawn(command: string, args: readonly string[], options: ChildOptions): ChildProcess;
  /** Ends a child and its process group: SIGTERM, then SIGKILL after `graceMs` (1,000). Resolves when it has ended. */
  end(child: ChildProcess, graceMs?: number): Promise<void>;
  /** Ends all children, then the watchdog. */
  stop(graceMs?: number): Promise<void>;
}

export interface ChildrenOptions {
  /** Called when an essential child ended unexpectedly. */
  onExit?: (label: string, how: string) => void;
  /** Removes the data directory when the main process has ended, however it ended. */
  temporary?: boolean;
}

const signalGroup = (child: ChildProcess, signal: NodeJS.Signals): void => {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The group has already ended.
  }
};

/** Starts the watchdog (watchdog.ts). Returns the only way to start processes. */
export function startChildren(dataDir: string, options: ChildrenOptions = {}): Children {
  const logs = join(dataDir, 'logs');
  mkdirSync(logs, { recursive: true });
  // In its own session, so that neither Ctrl-C nor a kill of the main process's group reaches it.
  const watchdog = spawnProcess(
    process.execPath,
    [fileURLToPath(new URL('./watchdog.ts', import.meta.url)), ...(options.temporary ? [dataDir] : [])],
    { detached: true, stdio: ['pipe', 'ignore', 'ignore'], cwd: '/' },
  );
  const watchdogInput = watchdog.stdin;
  // A crashed watchdog must not crash the main process; then only `stop` ends children.
  watchdogInput?.on('error', () => {});
  const running = new Map<ChildProcess, Promise<void>>();
  const ending = new WeakSet<ChildProcess>();

  const spawn: Children['spawn'] = (command, args, { label, cwd, env, stdio, essential, niceness, memoryMb = 0 }) => {
    const log = stdio === undefined ? openSync(join(logs, `${label}.log`), 'a') : undefined;
    const [file, ...rest] =
      niceness === undefined ? [command, ...args] : ['nice', '-n', `${niceness}`, command, ...args];
    const child = spawnProcess(file, rest, {
      cwd,
      env,
      stdio: stdio ?? ['ignore', log, log],
      detached: true,
    });
    if (log !== undefined) closeSync(log);
    if (child.pid !== undefined) watchdogInput?.write(`+${child.pid} ${memoryMb}\n`);
    const exited = new Promise<void>((resolve) => {
      const settle = (how: string): void => {
        if (!running.delete(child)) return;
        // Kills processes that the leader left in its group. Only afterwards may the system reuse the group's number.
        signalGroup(child, 'SIGKILL');
        if (child.pid !== undefined) watchdogInput?.write(`-${child.pid}\n`);
        resolve();
        if (essential && !ending.has(child)) options.onExit?.(label, how);
      };
      child.once('exit', (code, signal) => settle(signal ? `killed by ${signal}` : `exit code ${code}`));
      child.once('error', (error) => settle(error.message));
    });
    running.set(child, exited);
    return child;
  };

  const end: Children['end'] = async (child, graceMs = 1000) => {
    const exited = running.get(child);
    if (!exited) return;
    ending.add(child);
    signalGroup(child, 'SIGTERM');
    const timer = setTimeout(() => signalGroup(child, 'SIGKILL'), graceMs);
    await exited;
    clearTimeout(timer);
  };

  return {
    dataDir,
    spawn,
    end,
    async stop(graceMs = 1500) {
      await Promise.all([...running.keys()].map((child) => end(child, graceMs)));
      if (watchdog.exitCode !== null || watchdog.signalCode !== null) return;
      const exited = new Promise<void>((resolve) => watchdog.once('exit', () => resolve()));
      watchdogInput?.end();
      await exited;
    },
  };
}
