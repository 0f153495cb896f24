import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { setSessionNiceness } from './niceness.ts';

/** Settings of the start of a process. */
export interface StartSettings {
  command: string;
  args: readonly string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** File to which its output is appended. Undefined: `stdio` says where it goes. */
  log: string | undefined;
  stdio: readonly ['ignore', Output, Output];
  niceness: number | undefined;
  /** Memory limit in MiB of the process and its descendants; 0 means no limit. */
  memoryMb: number;
}
type Output = 'ignore' | 'pipe';

/** Messages to the watchdog: starts a process under a number, signals its group, or asks for what was printed so far. */
export type ToStarter =
  | { start: number; settings: StartSettings }
  | { signal: NodeJS.Signals; to: number }
  | { settle: number };

/** Messages of the watchdog about a process, the last one is `close` or `failed`; and `settled`, behind all output before. */
export type FromStarter = { of: number } & (
  | { event: 'settled' }
  | { event: 'started'; pid: number }
  | { event: 'failed'; message: string; code: string | undefined }
  | { event: 'output'; stream: 'stdout' | 'stderr'; chunk: Uint8Array }
  | { event: 'exit' | 'close'; code: number | null; signal: NodeJS.Signals | null }
);

/** Sends a message. Returns false if the receiver is behind; `onSent` is called when it has caught up. */
type Send = (message: FromStarter, onSent?: () => void) => boolean;

/** Process groups that end with the main process. */
export interface Watched {
  add(group: number, memoryMb: number): void;
  delete(group: number): void;
}

/** Starts a process as the leader of a new session, by which it leads a process group, too. */
export function startProcess({ command, args, cwd, env, log, stdio, niceness }: StartSettings): ChildProcess {
  const output = log === undefined ? undefined : openSync(log, 'a');
  const [file, ...rest] = niceness === undefined ? [command, ...args] : ['nice', '-n', `${niceness}`, command, ...args];
  try {
    const child = spawn(file, rest, {
      cwd,
      env,
      detached: true,
      stdio: output === undefined ? [...stdio] : ['ignore', output, output],
    });
    if (child.pid !== undefined && niceness !== undefined) void setSessionNiceness(child.pid, niceness);
    return child;
  } finally {
    if (output !== undefined) closeSync(output);
  }
}

/** @param group the process id of its leader */
export function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch {
    // The group has already ended.
  }
}

/** Returns a function that does what messages ask for, and tells of the processes by messages. */
export function createStarter(watched: Watched, send: Send): (message: ToStarter) => void {
  const running = new Map<number, number>();

  const relay = (of: number, name: 'stdout' | 'stderr', stream: Readable | null): void => {
    stream?.on('data', (chunk: Uint8Array) => {
      const isBehind = !send({ of, event: 'output', stream: name, chunk }, () => stream.resume());
      if (isBehind) stream.pause();
    });
  };
  const start = (of: number, settings: StartSettings): void => {
    const child = startProcess(settings);
    const { pid } = child;
    child.once('error', ({ message, code }: NodeJS.ErrnoException) => send({ of, event: 'failed', message, code }));
    if (pid === undefined) return;
    watched.add(pid, settings.memoryMb);
    running.set(of, pid);
    send({ of, event: 'started', pid });
    relay(of, 'stdout', child.stdout);
    relay(of, 'stderr', child.stderr);
    child.once('exit', (code, signal) => {
      running.delete(of);
      // Kills processes that the leader left in its group. Only afterwards may the system reuse the group's number.
      signalGroup(pid, 'SIGKILL');
      watched.delete(pid);
      send({ of, event: 'exit', code, signal });
    });
    child.once('close', (code, signal) => send({ of, event: 'close', code, signal }));
  };

  return (message) => {
    if ('settle' in message) {
      // What was readable when the message was is read in the same turn of the event loop.
      setImmediate(() => send({ of: message.settle, event: 'settled' }));
      return;
    }
    if ('signal' in message) {
      const group = running.get(message.to);
      if (group !== undefined) signalGroup(group, message.signal);
      return;
    }
    try {
      start(message.start, message.settings);
    } catch (error) {
      const { message: text, code }: NodeJS.ErrnoException = error instanceof Error ? error : new Error(String(error));
      send({ of: message.start, event: 'failed', message: text, code });
    }
  };
}
