import { statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { setDeadline } from './deadline.ts';
import type {
  EnvironmentSettings,
  FromEnvironment,
  FromHost,
  FunctionFault,
  ToEnvironment,
  ToHost,
} from './messages.ts';

const HOST = new URL('./host.ts', import.meta.url);

/** Functions with a timeout of at most this share threads. A longer invocation could delay the replacement of a thread. */
const MAX_SHARED_TIMEOUT_MS = 60_000;
/** Maximum number of threads of a group of functions. */
const MAX_THREADS = Math.min(4, Math.max(2, availableParallelism()));
/** Number of running invocations in the idlest thread from which another thread is worth its memory. */
const MIN_RUNNING_TO_GROW = 3;
/** Time within which a thread answers, even on a busy machine, unless its code blocks it. */
const RESPONSE_TIMEOUT_MS = 3000;
/** Size of a thread's young generation: the short-lived objects of one request fit, and the thread remains small. */
const YOUNG_GENERATION_MB = 8;
/**
 * Total size of the bundles of closed environments after which a thread is replaced, because the module map never frees an
 * instance. An instance takes about seven times its bundle's size.
 */
const MAX_RETIRED_BYTES = 1.5 * 1024 * 1024;

/**
 * Environment variables of a thread: only the run's compile cache. Without it, each thread loads the compiler that strips types,
 * which takes 15 MB and 80 ms of processor time. Functions see their own variables.
 */
const THREAD_VARIABLES = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => name === 'NODE_COMPILE_CACHE'),
);

/** Receives the messages of an environment: the pool of its function. */
export interface Listener {
  message(message: FromEnvironment): void;
  /** Called when the environment should be closed as soon as it is idle. */
  drain(): void;
  /** Called when the environment has ended with its thread. */
  exit(fault: FunctionFault): void;
}

/** Controls an environment from the pool of its function. */
export interface EnvironmentHandle {
  post(message: ToEnvironment): void;
  /** Reports if an invocation is running. Threads are selected by this. */
  setRunning(running: boolean): void;
  /** Ends an idle environment. */
  close(): void;
  /** Ends an environment whose code may still be running. Its thread accepts no further environments and ends after the last one. */
  abandon(): void;
}

/** A group of functions that share threads. */
interface Group {
  /** MiB of a thread's heap. */
  memory: number;
  /** Threads in which environments may start. */
  threads: Set<HostThread>;
}

class HostThread {
  readonly #worker: Worker;
  readonly #group: Group;
  readonly #environments = new Map<number, { listener: Listener; bytes: number }>();
  #retiredBytes = 0;
  #lastNumber = 0;
  #clearResponse = (): void => undefined;
  running = 0;

  constructor(group: Group, onExit: () => void) {
    this.#group = group;
    this.#worker = new Worker(HOST, {
      env: THREAD_VARIABLES,
      execArgv: ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
      resourceLimits: { maxOldGenerationSizeMb: group.memory, maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    this.#worker.on('message', (message: FromHost) => {
      if ('pong' in message) this.#clearResponse();
      else this.#environments.get(message.environment)?.listener.message(message.message);
    });
    let reason = 'exited without an answer';
    this.#worker.on('error', (error) => {
      reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    });
    this.#worker.on('exit', () => {
      this.#clearResponse();
      group.threads.delete(this);
      onExit();
      const fault = { errorType: 'Runtime.ExitError', errorMessage: `the function's environment ${reason}` };
      for (const { listener } of [...this.#environments.values()]) listener.exit(fault);
      this.#environments.clear();
    });
  }

  open(settings: EnvironmentSettings, listener: Listener): EnvironmentHandle {
    const number = ++this.#lastNumber;
    const bytes = statSync(settings.file).size;
    this.#environments.set(number, { listener, bytes });
    const post = (message: ToEnvironment): void => this.#post({ environment: number, message });
    post({ type: 'open', settings });
    let isRunning = false;
    const setRunning = (running: boolean): void => {
      if (running !== isRunning) this.running += running ? 1 : -1;
      isRunning = running;
    };
    const close = (): boolean => {
      setRunning(false);
      post({ type: 'close' });
      this.#retiredBytes += bytes;
      return this.#environments.delete(number);
    };
    return {
      post,
      setRunning,
      close: () => {
        if (close()) this.#retire();
      },
      abandon: () => {
        if (!close()) return;
        this.#expectResponse();
        this.#drain();
      },
    };
  }

  /** Ends the thread without notifying its environments. */
  stop(): Promise<number> {
    this.#environments.clear();
    return this.#terminate();
  }

  #terminate(): Promise<number> {
    return this.#worker.terminate();
  }

  #post(message: ToHost): void {
    this.#worker.postMessage(message);
  }

  /** Ends the thread if an abandoned environment blocks it, because its other environments cannot continue. */
  #expectResponse(): void {
    this.#post({ ping: true });
    this.#clearResponse();
    this.#clearResponse = setDeadline(RESPONSE_TIMEOUT_MS, () => void this.#terminate());
  }

  #retire(): void {
    const isDraining = !this.#group.threads.has(this);
    if (isDraining || this.#retiredBytes > MAX_RETIRED_BYTES || this.#environments.size === 0) this.#drain();
  }

  /** Ends the thread when the last environment has finished its invocation. */
  #drain(): void {
    if (this.#group.threads.delete(this)) {
      for (const { listener } of [...this.#environments.values()]) listener.drain();
    }
    if (this.#environments.size === 0) void this.#terminate();
  }
}

/** The properties of a function that determine with which other functions it shares threads. */
export interface ThreadNeeds {
  name: string;
  timeoutMs: number;
  memory: number;
  /** True if clients wait for the function's responses. */
  isRequested: boolean;
}

/** The threads of all functions. */
export class Threads {
  readonly #groups = new Map<string, Group>();
  readonly #all = new Set<HostThread>();

  /** Starts an environment in the thread of the function's group that runs the fewest invocations. */
  open(needs: ThreadNeeds, settings: EnvironmentSettings, listener: Listener): EnvironmentHandle {
    const group = this.#groupOf(needs);
    const [idlest] = [...group.threads].sort((a, b) => a.running - b.running);
    const isCrowded = !idlest || (idlest.running >= MIN_RUNNING_TO_GROW && group.threads.size < MAX_THREADS);
    const thread = isCrowded ? this.#start(group) : idlest;
    return thread.open(settings, listener);
  }

  /** Ends all threads without notifying their environments. */
  async stop(): Promise<void> {
    await Promise.all([...this.#all].map((thread) => thread.stop()));
  }

  #groupOf({ name, timeoutMs, memory, isRequested }: ThreadNeeds): Group {
    // Background functions have separate threads: their backlog must not delay a request.
    const key = timeoutMs > MAX_SHARED_TIMEOUT_MS ? name : `${memory} ${isRequested ? 'requested' : 'following'}`;
    let found = this.#groups.get(key);
    if (!found) {
      found = { memory, threads: new Set() };
      this.#groups.set(key, found);
    }
    return found;
  }

  #start(group: Group): HostThread {
    const thread: HostThread = new HostThread(group, () => this.#all.delete(thread));
    this.#all.add(thread);
    group.threads.add(thread);
    return thread;
  }
}
