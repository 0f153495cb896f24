import { statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type {
  EnvironmentSettings,
  FromEnvironment,
  FromHost,
  FunctionFault,
  ToEnvironment,
  ToHost,
} from './messages.ts';

const HOST = new URL('./host.ts', import.meta.url);

/** Functions whose timeout is at most this share threads; a longer one could hold back a thread's replacement. */
const MAX_SHARED_TIMEOUT_MS = 60_000;
/** Maximum number of threads that share the work of a group of functions. */
const MAX_THREADS = Math.min(4, Math.max(2, availableParallelism()));
/** Number of running invocations from which another thread of the group is worth its memory. */
const MIN_RUNNING_TO_GROW = 3;
/** Time in milliseconds within which a thread answers unless its code blocks it, on a busy machine too. */
const RESPONSE_TIMEOUT_MS = 3000;
/** MiB of a thread's young generation: short-lived objects of one request fit, and a thread stays small. */
const YOUNG_GENERATION_MB = 8;
/**
 * Bytes of bundles of retired environments after which a thread is replaced, because the module map never frees an
 * instance. One takes about seven times its bundle's size.
 */
const MAX_RETIRED_BYTES = 1.5 * 1024 * 1024;

/**
 * Variables of a thread: Node's compile cache, as the run has it. Without one, each thread loads the compiler that removes
 * types, which takes 15 MB and 80 ms of processor time. The functions see variables of their own.
 */
const CACHED = Object.fromEntries(Object.entries(process.env).filter(([name]) => name === 'NODE_COMPILE_CACHE'));

/** Receives the messages of an environment: the pool of its function. */
export interface Listener {
  message(message: FromEnvironment): void;
  /** Called when the environment should be closed as soon as it is idle. */
  drain(): void;
  /** Called when the environment has ended with its thread. */
  exit(fault: FunctionFault): void;
}

/** An environment, as the pool of its function holds it. */
export interface EnvironmentHandle {
  post(message: ToEnvironment): void;
  /** Tells whether an invocation runs, by which threads are chosen. */
  setRunning(running: boolean): void;
  /** Ends an idle environment. */
  close(): void;
  /** Ends an environment whose code may still run: no other environment starts in its thread, which ends after the last. */
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
  #responseTimer: NodeJS.Timeout | undefined;
  running = 0;

  constructor(group: Group, onExit: () => void) {
    this.#group = group;
    this.#worker = new Worker(HOST, {
      env: CACHED,
      execArgv: ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
      resourceLimits: { maxOldGenerationSizeMb: group.memory, maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    this.#worker.on('message', (message: FromHost) => {
      if ('pong' in message) clearTimeout(this.#responseTimer);
      else this.#environments.get(message.environment)?.listener.message(message.message);
    });
    let reason = 'exited without an answer';
    this.#worker.on('error', (error) => {
      reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    });
    this.#worker.on('exit', () => {
      clearTimeout(this.#responseTimer);
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

  /** Ends the thread without telling its environments. */
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

  /** Ends the thread if an environment that should have ended blocks it, as its other environments do not get on. */
  #expectResponse(): void {
    this.#post({ ping: true });
    clearTimeout(this.#responseTimer);
    this.#responseTimer = setTimeout(() => void this.#terminate(), RESPONSE_TIMEOUT_MS);
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

/** A function's needs, by which it shares threads with others. */
export interface Needs {
  name: string;
  timeoutMs: number;
  memory: number;
  /** True if clients wait for its answers. */
  isRequested: boolean;
}

/** The threads of all functions. */
export class Threads {
  readonly #groups = new Map<string, Group>();
  readonly #all = new Set<HostThread>();

  /** Starts an environment in the thread of the function's group that has the least to do. */
  open(needs: Needs, settings: EnvironmentSettings, listener: Listener): EnvironmentHandle {
    const group = this.#groupOf(needs);
    const [idlest] = [...group.threads].sort((a, b) => a.running - b.running);
    const isCrowded = !idlest || (idlest.running >= MIN_RUNNING_TO_GROW && group.threads.size < MAX_THREADS);
    const thread = isCrowded ? this.#start(group) : idlest;
    return thread.open(settings, listener);
  }

  /** Ends all threads. Environments learn nothing of it. */
  async stop(): Promise<void> {
    await Promise.all([...this.#all].map((thread) => thread.stop()));
  }

  #groupOf({ name, timeoutMs, memory, isRequested }: Needs): Group {
    // What follows requests has threads of its own: a queue of it must not hold up a request.
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
