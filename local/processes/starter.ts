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
  /** File to which the output is appended. If undefined, `stdio` applies. */
  log: string | undefined;
  stdio: readonly ['ignore', Output, Output];
  niceness: number | undefined;
  /** Memory limit in MiB of the process and its descendants; 0 means no limit. */
  memoryMb: number;
}
type Output = 'ignore' | 'pipe';

/** Messages to the watchdog: start a process under a number, signal its group, or request a message after all previous output. */
export type ToStarter =
  | { start: number; settings: StartSettings }
  | { signal: NodeJS.Signals; to: number }
  | { settle: number };

/** Messages of the watchdog about a process, of which the last is `close` or `failed`, and `settled`, which follows all previous output. */
export type FromStarter = { of: number } & (
  | { event: 'settled' }
  | { event: 'started'; pid: number }
  | { event: 'failed'; message: string; code: string | undefined }
  | { event: 'output'; stream: 'stdout' | 'stderr'; chunk: Uint8Array }
  | { event: 'exit' | 'close'; code: number | null; signal: NodeJS.Signals | null }
);

/** Sends a message. Returns false if the receiver is behind. Calls `onSent` when the message has been sent. */
type Send = (message: FromStarter, onSent?: () => void) => boolean;

/** Process groups that end with the main process. */
export interface Watched {
  add(group: number, memoryMb: number): void;
  delete(group: number): void;
}

/** Starts a process as the leader of a new session, and thereby of a new process group. */
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

/** Sends a signal to a process group. @param group the process id of its leader */
export function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch {
    // The group has already ended.
  }
}

/** Returns a function that handles messages to the watchdog. Sends messages about the processes that it starts. */
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
      // Kills the remaining processes of the group. Only afterwards can the system reuse the group's number.
      signalGroup(pid, 'SIGKILL');
      watched.delete(pid);
      send({ of, event: 'exit', code, signal });
    });
    child.once('close', (code, signal) => send({ of, event: 'close', code, signal }));
  };

  return (message) => {
    if ('settle' in message) {
      // Output that was readable together with this message is read in the same iteration of the event loop.
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
