import { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';
import type { FromStarter, StartSettings } from './starter.ts';

/** A message about a process. */
type ProcessMessage = Exclude<FromStarter, { event: 'settled' }>;

/** A child process, with the events `exit`, `close` and `error` of Node's ChildProcess. */
export interface Child extends EventEmitter {
  /** Undefined until the process has started. */
  readonly pid?: number | undefined;
  readonly exitCode: number | null;
  readonly signalCode: NodeJS.Signals | null;
  readonly stdout: Readable | null;
  readonly stderr: Readable | null;
}

const readable = (): Readable => new Readable({ read: () => undefined });

/** A child process that the watchdog started (starter.ts) and about which it sends messages. */
export class StartedChild extends EventEmitter implements Child {
  pid: number | undefined;
  exitCode: number | null = null;
  signalCode: NodeJS.Signals | null = null;
  readonly stdout: Readable | null;
  readonly stderr: Readable | null;

  constructor({ log, stdio: [, out, err] }: Pick<StartSettings, 'log' | 'stdio'>) {
    super();
    this.stdout = log === undefined && out === 'pipe' ? readable() : null;
    this.stderr = log === undefined && err === 'pipe' ? readable() : null;
  }

  receive(message: ProcessMessage): void {
    if (message.event === 'started') this.pid = message.pid;
    else if (message.event === 'output') this[message.stream]?.push(message.chunk);
    else if (message.event === 'failed') {
      this.emit('error', Object.assign(new Error(message.message), { code: message.code }));
    } else if (message.event === 'exit') {
      this.exitCode = message.code;
      this.signalCode = message.signal;
      this.emit('exit', message.code, message.signal);
    } else {
      this.stdout?.push(null);
      this.stderr?.push(null);
      // Deferred, so that the last output is emitted before.
      setImmediate(() => this.emit('close', message.code, message.signal));
    }
  }
}
