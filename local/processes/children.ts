import { spawn as spawnProcess } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Child, StartedChild } from './started-child.ts';
import { type FromStarter, type StartSettings, signalGroup, startProcess, type ToStarter } from './starter.ts';

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
  // In its own session, so that neither Ctrl-C nor a kill of the main process's group reaches it.
  const watchdog = spawnProcess(
    process.execPath,
    [fileURLToPath(new URL('./watchdog.ts', import.meta.url)), ...(options.temporary ? [dataDir] : [])],
    { detached: true, stdio: ['pipe', 'ignore', 'ignore', 'ipc'], serialization: 'advanced', cwd: '/' },
  );
  const watchdogInput = watchdog.stdin;
  // The listener of `exit` reports the watchdog's end.
  watchdogInput?.on('error', () => {});
  const running = new Map<Child, { exited: Promise<void>; signal: (signal: NodeJS.Signals) => void }>();
  const ending = new WeakSet<Child>();

  /** The processes that the watchdog started, by number, until the last message about them. */
  const started = new Map<number, StartedChild>();
  let lastNumber = 0;
  const settling = new Map<number, () => void>();
  let isStopping = false;
  watchdog.on('message', (message: FromStarter) => {
    if (message.event === 'settled') {
      settling.get(message.of)?.();
      settling.delete(message.of);
      return;
    }
    const child = started.get(message.of);
    if (message.event === 'close' || message.event === 'failed') started.delete(message.of);
    child?.receive(message);
  });
  /** Sends the watchdog a message. Calls `onUndelivered` if the watchdog has ended, which may not be known yet. */
  const sendToWatchdog = (message: ToStarter, onUndelivered = (): void => {}): void => {
    if (!watchdog.connected) setImmediate(onUndelivered);
    else
      watchdog.send(message, (error) => {
        if (error) onUndelivered();
      });
  };
  watchdog.once('exit', (code, by) => {
    // Without the watchdog, only this process can end its children.
    for (const [of, child] of started) {
      if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
        signalGroup(child.pid, 'SIGKILL');
      child.receive({ of, event: 'exit', code: null, signal: 'SIGKILL' });
      child.receive({ of, event: 'close', code: null, signal: 'SIGKILL' });
    }
    started.clear();
    for (const resolve of settling.values()) resolve();
    if (!isStopping) options.onExit?.('watchdog', by ? `killed by ${by}` : `exit code ${code}`);
  });

  /** Starts a process through the watchdog. */
  const startByWatchdog = (settings: StartSettings) => {
    const child = new StartedChild(settings);
    lastNumber += 1;
    const number = lastNumber;
    started.set(number, child);
    sendToWatchdog({ start: number, settings }, () => {
      if (started.delete(number)) child.emit('error', new Error('The watchdog, which starts processes, has ended'));
    });
    return { child, signal: (signal: NodeJS.Signals) => sendToWatchdog({ signal, to: number }) };
  };
  /** Starts a process directly, without waiting for the watchdog's start. At the beginning of a run that is cheap. */
  const startDirectly = (settings: StartSettings) => {
    const child = startProcess(settings);
    const { pid } = child;
    const signal = (name: NodeJS.Signals): void => {
      if (pid !== undefined) signalGroup(pid, name);
    };
    if (pid !== undefined) watchdogInput?.write(`+${pid} ${settings.memoryMb}\n`);
    child.once('exit', () => {
      // Kills the remaining processes of the group. Only afterwards can the system reuse the group's number.
      signal('SIGKILL');
      if (pid !== undefined) watchdogInput?.write(`-${pid}\n`);
    });
    return { child, signal };
  };

  const spawn: Children['spawn'] = (command, args, { label, cwd, env, stdio, essential, niceness, memoryMb = 0 }) => {
    const { child, signal } = (essential ? startDirectly : startByWatchdog)({
      command,
      args,
      niceness,
      memoryMb,
      cwd: cwd ?? process.cwd(),
      env: { ...(env ?? process.env) },
      log: stdio === undefined ? join(logs, `${label}.log`) : undefined,
      stdio: stdio ?? ['ignore', 'ignore', 'ignore'],
    });
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

  const outputArrived: Children['outputArrived'] = async () => {
    if (!watchdog.connected) return;
    lastNumber += 1;
    const number = lastNumber;
    await new Promise<void>((resolve) => {
      settling.set(number, resolve);
      sendToWatchdog({ settle: number }, resolve);
    });
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
    outputArrived,
    end,
    async stop(graceMs = 1500) {
      isStopping = true;
      await Promise.all([...running.keys()].map((child) => end(child, graceMs)));
      if (watchdog.exitCode !== null || watchdog.signalCode !== null) return;
      const exited = new Promise<void>((resolve) => watchdog.once('exit', () => resolve()));
      watchdogInput?.end();
      await exited;
    },
  };
}
