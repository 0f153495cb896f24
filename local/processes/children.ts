import { type ChildProcess, type StdioOptions, spawn as spawnProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** How one child is run. */
export interface ChildOptions {
  /** Names the child in messages and its log file: `<dataDir>/logs/<label>.log`. */
  label: string;
  cwd?: string;
  /** The whole environment of the child; the default is main's own. */
  env?: NodeJS.ProcessEnv;
  /** By default nothing on stdin, stdout and stderr appended to the log file. */
  stdio?: StdioOptions;
  /** The platform cannot go on without it: its unexpected end is told to `onDeath`. */
  essential?: boolean;
  /** What it and all that it starts may have in memory, in megabytes. Beyond, the largest of them is killed. */
  memoryMb?: number;
}

/** All processes that the local run starts. None of them outlives it, however it ends. */
export interface Children {
  /** Where the run keeps its state: the place for what children leave lying about. */
  dataDir: string;
  /** Starts a process as the leader of a new process group. */
  spawn(command: string, args: readonly string[], options: ChildOptions): ChildProcess;
  /** Ends one child and its whole group: SIGTERM, then SIGKILL after `graceMs` (1,000). Resolves when it is gone. */
  end(child: ChildProcess, graceMs?: number): Promise<void>;
  /** Ends all children, then the watchdog. */
  stop(graceMs?: number): Promise<void>;
}

export interface ChildrenOptions {
  /** Called when an essential child ended without being asked to. */
  onDeath?: (label: string, how: string) => void;
  /** Remove the data directory when main is gone, however it went. */
  temporary?: boolean;
}

const signalGroup = (child: ChildProcess, signal: NodeJS.Signals): void => {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The group is gone already.
  }
};

/** Starts the watchdog (see watchdog.ts) and returns the one way to start processes. */
export function startChildren(dataDir: string, options: ChildrenOptions = {}): Children {
  const logs = join(dataDir, 'logs');
  mkdirSync(logs, { recursive: true });
  // Its own session, so that neither Ctrl-C nor a kill of main's group reaches it.
  const watchdog = spawnProcess(
    process.execPath,
    [fileURLToPath(new URL('./watchdog.ts', import.meta.url)), ...(options.temporary ? [dataDir] : [])],
    { detached: true, stdio: ['pipe', 'ignore', 'ignore'], cwd: '/' },
  );
  const list = watchdog.stdin;
  // A dead watchdog must not take main along; children are then ended by `stop` alone.
  list?.on('error', () => {});
  const running = new Map<ChildProcess, Promise<void>>();
  const ending = new WeakSet<ChildProcess>();

  const spawn: Children['spawn'] = (command, args, { label, cwd, env, stdio, essential, memoryMb = 0 }) => {
    const log = stdio === undefined ? openSync(join(logs, `${label}.log`), 'a') : undefined;
    const child = spawnProcess(command, args, {
      cwd,
      env,
      stdio: stdio ?? ['ignore', log, log],
      detached: true,
    });
    if (log !== undefined) closeSync(log);
    if (child.pid !== undefined) list?.write(`+${child.pid} ${memoryMb}\n`);
    const gone = new Promise<void>((resolve) => {
      const settle = (how: string): void => {
        if (!running.delete(child)) return;
        // What the leader left behind in its group goes with it; only then may the number be used again by others.
        signalGroup(child, 'SIGKILL');
        if (child.pid !== undefined) list?.write(`-${child.pid}\n`);
        resolve();
        if (essential && !ending.has(child)) options.onDeath?.(label, how);
      };
      child.once('exit', (code, signal) => settle(signal ? `killed by ${signal}` : `exit code ${code}`));
      child.once('error', (error) => settle(error.message));
    });
    running.set(child, gone);
    return child;
  };

  const end: Children['end'] = async (child, graceMs = 1000) => {
    const gone = running.get(child);
    if (!gone) return;
    ending.add(child);
    signalGroup(child, 'SIGTERM');
    const timer = setTimeout(() => signalGroup(child, 'SIGKILL'), graceMs);
    await gone;
    clearTimeout(timer);
  };

  return {
    dataDir,
    spawn,
    end,
    async stop(graceMs = 1500) {
      await Promise.all([...running.keys()].map((child) => end(child, graceMs)));
      if (watchdog.exitCode !== null || watchdog.signalCode !== null) return;
      const gone = new Promise<void>((resolve) => watchdog.once('exit', () => resolve()));
      list?.end();
      await gone;
    },
  };
}
