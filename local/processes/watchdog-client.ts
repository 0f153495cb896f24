import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Child, StartedChild } from './started-child.ts';
import { type FromStarter, type StartSettings, signalGroup, startProcess, type ToStarter } from './starter.ts';

/** A started child, and the function that sends its process group a signal. */
export interface Started {
  child: Child;
  signal(signal: NodeJS.Signals): void;
}

/** The main process's side of the watchdog (watchdog.ts). Creating it starts the watchdog. */
export class Watchdog {
  readonly #process: ChildProcess;
  /** The processes that the watchdog started, by number, until the last message about them. */
  readonly #started = new Map<number, StartedChild>();
  readonly #settling = new Map<number, () => void>();
  #lastNumber = 0;

  /**
   * @param temporaryDirectory removed when the main process has ended
   * @param onExit called with the reason when the watchdog has ended
   */
  constructor(temporaryDirectory: string | undefined, onExit: (how: string) => void) {
    // In its own session, so that neither Ctrl-C nor a kill of the main process's group reaches it.
    this.#process = spawn(
      process.execPath,
      [
        fileURLToPath(new URL('./watchdog.ts', import.meta.url)),
        ...(temporaryDirectory === undefined ? [] : [temporaryDirectory]),
      ],
      { detached: true, stdio: ['pipe', 'ignore', 'ignore', 'ipc'], serialization: 'advanced', cwd: '/' },
    );
    // The listener of `exit` reports the watchdog's end.
    this.#process.stdin?.on('error', () => {});
    this.#process.on('message', (message: FromStarter) => this.#receive(message));
    this.#process.once('exit', (code, by) => {
      this.#killStarted();
      onExit(by ? `killed by ${by}` : `exit code ${code}`);
    });
  }

  /** Starts a process through the watchdog. */
  start(settings: StartSettings): Started {
    const child = new StartedChild(settings);
    this.#lastNumber += 1;
    const number = this.#lastNumber;
    this.#started.set(number, child);
    this.#send({ start: number, settings }, () => {
      if (this.#started.delete(number))
        child.emit('error', new Error('The watchdog, which starts processes, has ended'));
    });
    return { child, signal: (signal) => this.#send({ signal, to: number }) };
  }

  /** Starts a process directly, without waiting for the watchdog's start. At the beginning of a run that is cheap. */
  startDirectly(settings: StartSettings): Started {
    const child = startProcess(settings);
    const { pid } = child;
    const signal = (name: NodeJS.Signals): void => {
      if (pid !== undefined) signalGroup(pid, name);
    };
    if (pid !== undefined) this.#process.stdin?.write(`+${pid} ${settings.memoryMb}\n`);
    child.once('exit', () => {
      // Kills the remaining processes of the group. Only afterwards can the system reuse the group's number.
      signal('SIGKILL');
      if (pid !== undefined) this.#process.stdin?.write(`-${pid}\n`);
    });
    return { child, signal };
  }

  /** Resolves when all output that the watchdog's processes printed before the call has arrived. */
  async outputArrived(): Promise<void> {
    if (!this.#process.connected) return;
    this.#lastNumber += 1;
    const number = this.#lastNumber;
    await new Promise<void>((resolve) => {
      this.#settling.set(number, resolve);
      this.#send({ settle: number }, resolve);
    });
  }

  /** Ends the watchdog. Resolves when it has ended. */
  async end(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const exited = new Promise<void>((resolve) => this.#process.once('exit', () => resolve()));
    this.#process.stdin?.end();
    await exited;
  }

  /** Sends the watchdog a message. Calls `onUndelivered` if the watchdog has ended, which may not be known yet. */
  #send(message: ToStarter, onUndelivered = (): void => {}): void {
    if (!this.#process.connected) setImmediate(onUndelivered);
    else
      this.#process.send(message, (error) => {
        if (error) onUndelivered();
      });
  }

  #receive(message: FromStarter): void {
    if (message.event === 'settled') {
      this.#settling.get(message.of)?.();
      this.#settling.delete(message.of);
      return;
    }
    const child = this.#started.get(message.of);
    if (message.event === 'close' || message.event === 'failed') this.#started.delete(message.of);
    child?.receive(message);
  }

  /** Ends the watchdog's processes after its end: then only this process can. */
  #killStarted(): void {
    for (const [of, child] of this.#started) {
      if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
        signalGroup(child.pid, 'SIGKILL');
      child.receive({ of, event: 'exit', code: null, signal: 'SIGKILL' });
      child.receive({ of, event: 'close', code: null, signal: 'SIGKILL' });
    }
    this.#started.clear();
    for (const resolve of this.#settling.values()) resolve();
  }
}
