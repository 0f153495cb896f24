import { randomUUID } from 'node:crypto';
import { closeSync, openSync, statSync, truncateSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { FromEnvironment, FromReader, FunctionFault, Invoke } from './messages.ts';
import type { EnvironmentHandle, Threads } from './threads.ts';

/** A function as the pool runs it; functions.ts derives it from the template. */
export interface FunctionSpec {
  name: string;
  arn: string;
  /** Qualifiers beside `$LATEST` by which it is invoked. Default: none. */
  aliases?: readonly string[];
  /** Path of the bundle, an ES module. */
  file: string;
  /** Name of the bundle's exported handler. */
  handler: string;
  environment: Record<string, string>;
  timeoutMs: number;
  /** MiB. A larger JavaScript heap ends the thread and with it the execution environments that it hosts. */
  memory: number;
  /** Maximum number of execution environments. */
  concurrency: number;
}

/**
 * Thrown if the function threw, was killed at its timeout, or its execution environment crashed. `name` is the error's
 * type.
 */
export class FunctionError extends Error {
  readonly fault: FunctionFault;
  constructor(fault: FunctionFault) {
    super(fault.errorMessage);
    this.name = fault.errorType;
    this.fault = fault;
  }
}

export interface PoolOptions {
  /** Logs are written to `logs/<function>.log` in this directory. */
  dataDir: string;
  /** Called with output of functions to stderr or at level ERROR, in addition to the log file. */
  onErrorOutput?: (functionName: string, text: string) => void;
}

/** Receives the output of a streaming handler. */
export interface Reader {
  chunk(bytes: Uint8Array): void;
  /** Called when the response is complete; the function may still run. */
  end?(): void;
  /**
   * Called when the invocation starts. `tell` reports the bytes that were passed on, and that the client disconnected.
   */
  begin?(tell: (message: FromReader) => void): void;
}

interface Invocation {
  event: string;
  reader: Reader | undefined;
  resolve: (payload: string) => void;
  reject: (error: FunctionError) => void;
}

/** An execution environment with its current invocation. */
interface Environment {
  handle: EnvironmentHandle;
  current: { invocation: Invocation; requestId: string; timer: NodeJS.Timeout; since: number } | undefined;
  idleSince: number;
}

/** Time in milliseconds that an invocation waits for a busy environment before another one is started. */
const SCALE_OUT_DELAY_MS = 15;
/** Maximum number of environments of one function that start concurrently; more would slow each other down. */
const MAX_CONCURRENT_STARTS = 2;
/** Lambda's is 10 seconds; a laptop may be busier. */
const INIT_TIMEOUT_MS = 30_000;
const MAX_LOG_BYTES = 20 * 1024 * 1024;

/** All execution environments of one function. */
export class FunctionPool {
  readonly #spec: FunctionSpec;
  readonly #options: PoolOptions;
  readonly #threads: Threads;
  readonly #log: number;
  readonly #all = new Set<Environment>();
  /** The most recently used environment is used next, so that the others become idle and stop. */
  readonly #idle: Environment[] = [];
  readonly #waiting: Invocation[] = [];
  #starting = 0;
  #growth: NodeJS.Timeout | undefined;

  constructor(spec: FunctionSpec, options: PoolOptions, threads: Threads) {
    this.#spec = spec;
    this.#threads = threads;
    this.#options = options;
    const file = join(options.dataDir, 'logs', `${spec.name}.log`);
    this.#log = openSync(file, 'a');
    if (statSync(file).size > MAX_LOG_BYTES) truncateSync(file);
  }

  invoke(event: string, reader: Reader | undefined): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ event, reader, resolve, reject });
      this.#dispatch();
    });
  }

  /** Removes idle environments now and busy ones when they have finished. */
  reload(): void {
    for (const environment of [...this.#all]) this.#drain(environment);
  }

  retire(idleMs: number): void {
    const limit = Date.now() - idleMs;
    for (const environment of [...this.#idle]) if (environment.idleSince < limit) this.#close(environment);
  }

  /** Fails all invocations. `ended` resolves when the threads have ended, and with them the writing to the log. */
  async stop(ended: Promise<unknown>): Promise<void> {
    const fault = { errorType: 'Runtime.Stopped', errorMessage: 'The platform is stopping' };
    clearTimeout(this.#growth);
    for (const { reject } of this.#waiting.splice(0)) reject(new FunctionError(fault));
    for (const environment of this.#all) this.#fail(environment, fault);
    await ended;
    closeSync(this.#log);
  }

  #dispatch(): void {
    for (let next = this.#waiting[0]; next; next = this.#waiting[0]) {
      const environment = this.#idle.pop();
      if (!environment) {
        this.#grow();
        return;
      }
      this.#waiting.shift();
      this.#run(environment, next);
    }
  }

  /**
   * Starts an environment at once where no other will soon be free: the first, and while all others stream. Otherwise only for
   * invocations that have waited, because most are short.
   */
  #grow(): void {
    if (this.#all.size < this.#spec.concurrency && this.#starting < this.#waiting.length && this.#areAllOccupied()) {
      this.#start();
      return;
    }
    this.#growth ??= setTimeout(() => {
      this.#growth = undefined;
      const wanted = Math.min(this.#waiting.length - this.#starting, this.#spec.concurrency - this.#all.size);
      const now = Math.min(Math.ceil(wanted / 2), MAX_CONCURRENT_STARTS - this.#starting);
      for (let count = now; count > 0; count--) this.#start();
      if (this.#waiting.length > 0 && this.#all.size < this.#spec.concurrency) this.#grow();
    }, SCALE_OUT_DELAY_MS);
  }

  /** Returns true if each environment has been running for longer than an invocation waits before another one starts. */
  #areAllOccupied(): boolean {
    const since = performance.now() - SCALE_OUT_DELAY_MS;
    const isOccupied = ({ current }: Environment) => current !== undefined && current.since < since;
    return this.#starting === 0 && [...this.#all].every(isOccupied);
  }

  #start(): void {
    const { name, arn, memory, file, handler, environment: variables } = this.#spec;
    const settings = { functionName: name, arn, memory, file, handler, variables, log: this.#log };
    this.#starting += 1;
    let ready = false;
    const settle = (): void => {
      clearTimeout(timer);
      if (!ready) this.#starting -= 1;
      ready = true;
    };
    const timer = setTimeout(() => {
      settle();
      const errorMessage = `the bundle was not imported within ${INIT_TIMEOUT_MS / 1000} seconds`;
      this.#waiting.shift()?.reject(new FunctionError({ errorType: 'Sandbox.Timedout', errorMessage }));
      this.#abandon(environment);
    }, INIT_TIMEOUT_MS);
    const environment: Environment = {
      current: undefined,
      idleSince: 0,
      handle: this.#threads.open(this.#spec, settings, {
        message: (message) => {
          if (message.type === 'ready') {
            settle();
            this.#release(environment);
          } else this.#onMessage(environment, message);
        },
        drain: () => this.#drain(environment),
        exit: (fault) => {
          settle();
          this.#fail(environment, fault);
          this.#forget(environment);
          this.#dispatch();
        },
      }),
    };
    this.#all.add(environment);
  }

  #run(environment: Environment, invocation: Invocation): void {
    const { timeoutMs } = this.#spec;
    const requestId = randomUUID();
    const timer = setTimeout(() => {
      const seconds = (timeoutMs / 1000).toFixed(2);
      this.#fail(environment, {
        errorType: 'Sandbox.Timedout',
        errorMessage: `RequestId: ${requestId} Error: Task timed out after ${seconds} seconds`,
      });
      this.#abandon(environment);
    }, timeoutMs);
    environment.current = { invocation, requestId, timer, since: performance.now() };
    const random = randomUUID().replaceAll('-', '').slice(0, 24);
    const traceId = `Root=1-${Math.floor(Date.now() / 1000).toString(16)}-${random};Sampled=0`;
    const deadline = Date.now() + timeoutMs;
    const message: Invoke = { type: 'invoke', requestId, traceId, event: invocation.event, deadline };
    environment.handle.setRunning(true);
    environment.handle.post(message);
    invocation.reader?.begin?.((said) => {
      if (environment.current?.invocation === invocation) environment.handle.post(said);
    });
  }

  #onMessage(environment: Environment, message: Exclude<FromEnvironment, { type: 'ready' }>): void {
    const { current } = environment;
    if (message.type === 'complaint') this.#options.onErrorOutput?.(this.#spec.name, message.text);
    else if (message.type === 'chunk') current?.invocation.reader?.chunk(message.chunk);
    else if (message.type === 'end') current?.invocation.reader?.end?.();
    else if (message.type === 'crash') {
      this.#fail(environment, message.error);
      this.#abandon(environment);
    } else {
      if (message.type === 'failure') this.#fail(environment, message.error);
      else if (current) {
        this.#over(environment, current.timer);
        current.invocation.resolve(message.payload);
      }
      this.#release(environment);
    }
  }

  #over(environment: Environment, timer: NodeJS.Timeout): void {
    clearTimeout(timer);
    environment.current = undefined;
    environment.handle.setRunning(false);
  }

  #fail(environment: Environment, fault: FunctionFault): void {
    const { current } = environment;
    if (!current) return;
    this.#over(environment, current.timer);
    this.#complain(JSON.stringify({ level: 'ERROR', message: 'Invoke Error', ...fault, requestId: current.requestId }));
    current.invocation.reject(new FunctionError(fault));
  }

  #complain(text: string): void {
    writeSync(this.#log, `${text}\n`);
    this.#options.onErrorOutput?.(this.#spec.name, text);
  }

  /** Ends an invocation and takes the next one. */
  #release(environment: Environment): void {
    if (environment.idleSince === Number.POSITIVE_INFINITY) this.#close(environment);
    else if (this.#all.has(environment)) {
      environment.idleSince = Date.now();
      this.#idle.push(environment);
    }
    this.#dispatch();
  }

  #forget(environment: Environment): void {
    this.#all.delete(environment);
    const index = this.#idle.indexOf(environment);
    if (index >= 0) this.#idle.splice(index, 1);
  }

  #drain(environment: Environment): void {
    if (this.#idle.includes(environment)) this.#close(environment);
    else environment.idleSince = Number.POSITIVE_INFINITY;
  }

  #close(environment: Environment): void {
    this.#forget(environment);
    environment.handle.close();
  }

  /** Ends an environment whose code may still run. */
  #abandon(environment: Environment): void {
    this.#forget(environment);
    environment.handle.abandon();
    this.#dispatch();
  }
}
