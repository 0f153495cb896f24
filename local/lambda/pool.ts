import { join } from 'node:path';
import { type CappedFile, openCappedFile } from '../emulators/lambda/capped-file.ts';
import { busyTimeoutMs } from './busy-timeout.ts';
import { setDeadline } from './deadline.ts';
import { FunctionError, type Invocation, Invocations, type Reader } from './invocations.ts';
import type { FromEnvironment, FromInvocation } from './messages.ts';
import type { EnvironmentHandle, Threads } from './threads.ts';

/** A function for the pool. functions.ts derives it from the template. */
export interface FunctionSpec {
  name: string;
  arn: string;
  /** Qualifiers other than `$LATEST` by which the function can be invoked. Default: none. */
  aliases?: readonly string[];
  /** Path of the bundle, an ES module. */
  file: string;
  /** Name of the bundle's exported handler. */
  handler: string;
  environment: Record<string, string>;
  timeoutMs: number;
  /** Memory in MiB. A larger JavaScript heap ends the thread, together with the execution environments that it hosts. */
  memory: number;
  /** True if clients wait for its responses: it has a route or a URL. Other functions react to changes, messages and schedules. */
  isRequested: boolean;
  /** Maximum number of execution environments. */
  concurrency: number;
  /** Maximum number of concurrent invocations in one environment. Default: 1, as on Lambda without managed instances. */
  invocationsPerEnvironment?: number;
}

export interface PoolOptions {
  /** Logs are written to `logs/<function>.log` in this directory. */
  dataDir: string;
  /** Called with functions' output to stderr or at level ERROR, which is also in the log file. */
  onErrorOutput?: (functionName: string, text: string) => void;
}

interface Environment {
  handle: EnvironmentHandle;
  running: Invocations;
  /** Infinite once the environment accepts no more invocations. */
  idleSince: number;
}

/** Maximum number of environments of one function that start concurrently. More would slow each other down. */
const MAX_CONCURRENT_STARTS = 2;
/** Lambda's timeout is 10 seconds. A laptop may be busier. */
const INIT_TIMEOUT_MS = 30_000;
const MAX_LOG_BYTES = 20 * 1024 * 1024;

/** All execution environments of one function. */
export class FunctionPool {
  readonly #spec: FunctionSpec;
  readonly #options: PoolOptions;
  readonly #threads: Threads;
  readonly #log: CappedFile;
  readonly #all = new Set<Environment>();
  /** Environments that accept another invocation. The most recently used one is used first, so that the others become idle and stop. */
  readonly #free: Environment[] = [];
  readonly #perEnvironment: number;
  readonly #waiting: Invocation[] = [];
  #starting = 0;
  #growth: NodeJS.Timeout | undefined;
  /** Duration of the last start of an environment until it was ready. */
  #lastStartMs: number | undefined;

  constructor(spec: FunctionSpec, options: PoolOptions, threads: Threads) {
    this.#spec = spec;
    this.#perEnvironment = spec.invocationsPerEnvironment ?? 1;
    this.#threads = threads;
    this.#options = options;
    this.#log = openCappedFile(join(options.dataDir, 'logs', `${spec.name}.log`), MAX_LOG_BYTES);
  }

  invoke(event: string, reader: Reader | undefined): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ event, reader, resolve, reject });
      this.#dispatch();
    });
  }

  /** Closes idle environments immediately, and busy ones when they have finished. */
  reload(): void {
    for (const environment of [...this.#all]) this.#drain(environment);
  }

  retire(idleMs: number): void {
    const limit = Date.now() - idleMs;
    for (const environment of [...this.#free])
      if (environment.running.count === 0 && environment.idleSince < limit) this.#close(environment);
  }

  /** Drops all invocations. @param ended resolves when the threads have ended and no longer write to the log */
  async stop(ended: Promise<unknown>): Promise<void> {
    clearTimeout(this.#growth);
    this.#waiting.length = 0;
    for (const environment of this.#all) environment.running.dropAll();
    await ended;
    this.#log.close();
  }

  #dispatch(): void {
    for (let next = this.#waiting[0]; next; next = this.#waiting[0]) {
      const environment = this.#free.at(-1);
      if (!environment) {
        this.#grow();
        return;
      }
      this.#waiting.shift();
      this.#run(environment, next);
      if (environment.running.count >= this.#perEnvironment) this.#free.pop();
    }
  }

  /**
   * Starts an environment immediately if no other will be free soon: the first one, or while all others run long invocations.
   * Otherwise starts environments only for invocations that have waited, because most invocations are short.
   */
  #grow(): void {
    const missing = (): number => Math.ceil(this.#waiting.length / this.#perEnvironment) - this.#starting;
    if (this.#all.size < this.#spec.concurrency && missing() > 0 && this.#areAllOccupied()) {
      this.#start();
      return;
    }
    this.#growth ??= setTimeout(() => {
      this.#growth = undefined;
      const wanted = Math.min(missing(), this.#spec.concurrency - this.#all.size);
      const starts = Math.min(Math.ceil(wanted / 2), MAX_CONCURRENT_STARTS - this.#starting);
      for (let count = starts; count > 0; count--) this.#start();
      if (this.#waiting.length > 0 && this.#all.size < this.#spec.concurrency) this.#grow();
    }, busyTimeoutMs(this.#lastStartMs));
  }

  /** Returns true if every environment has been busy for longer than an invocation waits for a new environment. */
  #areAllOccupied(): boolean {
    const timeoutMs = busyTimeoutMs(this.#lastStartMs);
    return this.#starting === 0 && [...this.#all].every(({ running }) => running.areLongerThan(timeoutMs));
  }

  #start(): void {
    const { name, arn, memory, file, handler, environment: variables } = this.#spec;
    const settings = { functionName: name, arn, memory, file, handler, variables, log: this.#log.descriptor };
    this.#starting += 1;
    const startedAt = performance.now();
    let ready = false;
    const settle = (): void => {
      clearDeadline();
      if (!ready) this.#starting -= 1;
      ready = true;
    };
    const clearDeadline = setDeadline(INIT_TIMEOUT_MS, () => {
      settle();
      const errorMessage = `the bundle was not imported within ${INIT_TIMEOUT_MS / 1000} seconds`;
      const fault = { errorType: 'Sandbox.Timedout', errorMessage };
      this.#logError(JSON.stringify({ level: 'ERROR', message: 'Init Error', ...fault }));
      this.#waiting.shift()?.reject(new FunctionError(fault));
      this.#abandon(environment);
    });
    const environment: Environment = {
      running: new Invocations((line) => this.#logError(line)),
      idleSince: 0,
      handle: this.#threads.open(this.#spec, settings, {
        message: (message) => {
          if (message.type === 'ready') {
            this.#lastStartMs = performance.now() - startedAt;
            settle();
            this.#release(environment);
          } else this.#onMessage(environment, message);
        },
        drain: () => this.#drain(environment),
        exit: (fault) => {
          settle();
          environment.running.failAll(fault);
          this.#remove(environment);
          this.#dispatch();
        },
      }),
    };
    this.#all.add(environment);
  }

  #run(environment: Environment, invocation: Invocation): void {
    const { running, handle } = environment;
    const message = running.start(invocation, this.#spec.timeoutMs, () => {
      // The other invocations in the environment may end first.
      if (running.count > 0) this.#drain(environment);
      else this.#abandon(environment);
    });
    handle.setRunning(true);
    handle.post(message);
    const { invocation: number } = message;
    invocation.reader?.begin?.((readerMessage) => {
      if (running.has(number)) handle.post({ ...readerMessage, invocation: number });
    });
  }

  #onMessage(environment: Environment, message: Exclude<FromEnvironment, { type: 'ready' }>): void {
    if (message.type === 'errorOutput') this.#options.onErrorOutput?.(this.#spec.name, message.text);
    else if (message.type === 'crash') {
      environment.running.failAll(message.error);
      this.#abandon(environment);
    } else this.#onInvocation(environment, message.invocation, message);
  }

  #onInvocation(environment: Environment, number: number, message: FromInvocation): void {
    const { running } = environment;
    if (message.type === 'chunk') running.readerOf(number)?.chunk(message.chunk);
    else if (message.type === 'end') running.readerOf(number)?.end?.();
    else {
      if (message.type === 'failure') running.fail(number, message.error);
      else running.succeed(number, message.payload);
      this.#release(environment);
    }
  }

  #logError(text: string): void {
    this.#log.append(`${text}\n`);
    this.#options.onErrorOutput?.(this.#spec.name, text);
  }

  /** Makes an environment available after it has started, or after an invocation in it has ended. */
  #release(environment: Environment): void {
    const { running, idleSince, handle } = environment;
    this.#log.limit();
    if (running.count === 0) handle.setRunning(false);
    if (idleSince === Number.POSITIVE_INFINITY) {
      if (running.count === 0) this.#close(environment);
    } else if (this.#all.has(environment)) {
      environment.idleSince = Date.now();
      if (!this.#free.includes(environment)) this.#free.push(environment);
    }
    this.#dispatch();
  }

  #remove(environment: Environment): void {
    this.#all.delete(environment);
    this.#removeFromFree(environment);
  }

  #removeFromFree(environment: Environment): void {
    const index = this.#free.indexOf(environment);
    if (index >= 0) this.#free.splice(index, 1);
  }

  /** Ends an environment when its invocations have ended. */
  #drain(environment: Environment): void {
    if (this.#free.includes(environment) && environment.running.count === 0) this.#close(environment);
    else {
      this.#removeFromFree(environment);
      environment.idleSince = Number.POSITIVE_INFINITY;
    }
  }

  #close(environment: Environment): void {
    this.#remove(environment);
    environment.handle.close();
  }

  /** Ends an environment whose code may still run. */
  #abandon(environment: Environment): void {
    this.#remove(environment);
    environment.handle.abandon();
    this.#dispatch();
  }
}
