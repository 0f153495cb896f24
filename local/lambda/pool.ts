import { randomUUID } from 'node:crypto';
import { closeSync, openSync, statSync, truncateSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { FromReader, FromWorker, FunctionFault, ToWorker, WorkerSettings } from './messages.ts';

/** A function as the pool runs it; functions.ts derives it from the template. */
export interface FunctionSpec {
  name: string;
  arn: string;
  /** Path of the bundle, an ES module. */
  file: string;
  /** Name of the bundle's exported handler. */
  handler: string;
  environment: Record<string, string>;
  timeoutMs: number;
  /** MiB. A larger JavaScript heap ends the execution environment. */
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
  worker: Worker;
  current: { invocation: Invocation; requestId: string; timer: NodeJS.Timeout } | undefined;
  idleSince: number;
}

/** Time in milliseconds that an invocation waits for a busy environment before another one is started. */
const SCALE_OUT_DELAY_MS = 15;
/** Maximum number of environments of one function that start concurrently; more would slow each other down. */
const MAX_CONCURRENT_STARTS = 6;
const MAX_LOG_BYTES = 20 * 1024 * 1024;
const WORKER = new URL('./worker.ts', import.meta.url);

/** All execution environments of one function. */
export class FunctionPool {
  readonly #spec: FunctionSpec;
  readonly #options: PoolOptions;
  readonly #log: number;
  readonly #all = new Set<Environment>();
  /** The most recently used environment is used next, so that the others become idle and stop. */
  readonly #idle: Environment[] = [];
  readonly #waiting: Invocation[] = [];
  #starting = 0;
  #growth: NodeJS.Timeout | undefined;

  constructor(spec: FunctionSpec, options: PoolOptions) {
    this.#spec = spec;
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
    for (const environment of [...this.#idle]) this.#remove(environment);
    for (const environment of this.#all) environment.idleSince = Number.POSITIVE_INFINITY;
  }

  retire(idleMs: number): void {
    const limit = Date.now() - idleMs;
    for (const environment of [...this.#idle]) if (environment.idleSince < limit) this.#remove(environment);
  }

  async stop(): Promise<void> {
    clearTimeout(this.#growth);
    await Promise.all(
      [...this.#all].map((environment) => {
        this.#fail(environment, { errorType: 'Runtime.Stopped', errorMessage: 'The platform is stopping' });
        return environment.worker.terminate();
      }),
    );
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
   * Starts the first environment at once, and others only for waiting invocations, because most invocations are short.
   */
  #grow(): void {
    if (this.#all.size === 0) {
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

  #start(): void {
    const { name, arn, memory, file, handler, environment: env } = this.#spec;
    const compileCache = join(this.#options.dataDir, 'compile-cache');
    const settings: WorkerSettings = { functionName: name, arn, memory, file, handler, log: this.#log, compileCache };
    const worker = new Worker(WORKER, {
      name,
      env,
      workerData: settings,
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: memory },
    });
    const environment: Environment = { worker, current: undefined, idleSince: 0 };
    this.#all.add(environment);
    this.#starting += 1;
    let ready = false;
    const settle = (): void => {
      if (!ready) this.#starting -= 1;
      ready = true;
    };
    worker.on('message', (message: FromWorker) => {
      if (message.type === 'ready') {
        settle();
        this.#release(environment);
      } else this.#onMessage(environment, message);
    });
    let reason = 'exited without an answer';
    worker.on('error', (error) => {
      reason = `${error.name}: ${error.message}`;
      this.#complain(error.stack ?? reason);
    });
    worker.on('exit', () => {
      settle();
      this.#fail(environment, { errorType: 'Runtime.ExitError', errorMessage: `the function's environment ${reason}` });
      this.#forget(environment);
      this.#dispatch();
    });
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
      this.#remove(environment);
      this.#dispatch();
    }, timeoutMs);
    environment.current = { invocation, requestId, timer };
    const random = randomUUID().replaceAll('-', '').slice(0, 24);
    const traceId = `Root=1-${Math.floor(Date.now() / 1000).toString(16)}-${random};Sampled=0`;
    const deadline = Date.now() + timeoutMs;
    const message: ToWorker = { type: 'invoke', requestId, traceId, event: invocation.event, deadline };
    environment.worker.postMessage(message);
    invocation.reader?.begin?.((said) => {
      if (environment.current?.invocation === invocation) environment.worker.postMessage(said);
    });
  }

  #onMessage(environment: Environment, message: Exclude<FromWorker, { type: 'ready' }>): void {
    const { current } = environment;
    if (message.type === 'complaint') this.#options.onErrorOutput?.(this.#spec.name, message.text);
    else if (message.type === 'chunk') current?.invocation.reader?.chunk(message.chunk);
    else if (message.type === 'end') current?.invocation.reader?.end?.();
    else {
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
    if (environment.idleSince === Number.POSITIVE_INFINITY) this.#remove(environment);
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

  #remove(environment: Environment): void {
    this.#forget(environment);
    void environment.worker.terminate();
  }
}
