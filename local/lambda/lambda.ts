import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { AWS_LIMITS } from '../../contract/limits/aws-limits.ts';
import type { Json } from '../template/intrinsics.ts';
import { FunctionError, type Reader } from './invocations.ts';
import { FunctionPool, type FunctionSpec, type PoolOptions } from './pool.ts';
import { Threads } from './threads.ts';

export interface LambdaOptions extends PoolOptions {
  functions: readonly FunctionSpec[];
  /** Maximum idle time of an execution environment, in milliseconds. Default: 30,000. */
  idleMs?: number | undefined;
}

/** The running invocations, and the time since the last one. */
export interface Activity {
  readonly running: number;
  /** Milliseconds since the last invocation ended; infinite before the first invocation. */
  idleMs(): number;
  /** Calls the listener once, when the next invocation ends. Returns a function that removes the listener. */
  onceEnded(listener: () => void): () => void;
}

export interface Lambda {
  /** Invokes a function by name or ARN. Returns the handler's result as JSON. Throws {@link FunctionError}. */
  invoke(nameOrArn: string, event: Json): Promise<Json>;
  /** Like `invoke`, with event and result as JSON text. The reader receives a streaming handler's response. */
  invokeText(nameOrArn: string, event: string, reader?: Reader): Promise<string>;
  has(nameOrArn: string): boolean;
  /** The activity of all functions, which paces polls. */
  readonly activity: Activity;
  /** Makes the next invocation run the bundle on disk. */
  reload(name: string): void;
  /**
   * Ends all execution environments. Running and later invocations never settle, as if the process were killed: a caller must not
   * mistake the shutdown for an error of the function and react to it.
   */
  stop(): Promise<void>;
}

/**
 * Runs functions in execution environments that are started on demand, run one invocation at a time and end at its
 * timeout. A few threads host them (docs/decisions/0042-execution-environments.md).
 */
export function startLambda(options: LambdaOptions): Lambda {
  mkdirSync(join(options.dataDir, 'logs'), { recursive: true });
  const specs = new Map(options.functions.map((spec) => [spec.name, spec]));
  const pools = new Map<string, FunctionPool>();
  const threads = new Threads();
  const { idleMs = 30_000 } = options;
  let isStopped = false;
  const retirement = setInterval(() => {
    for (const pool of pools.values()) pool.retire(idleMs);
  }, idleMs / 2);
  retirement.unref();

  const specOf = (nameOrArn: string): FunctionSpec | undefined => {
    const [name = '', qualifier = '$LATEST'] = nameOrArn.replace(/^arn:([^:]*:){5}/, '').split(':');
    const spec = specs.get(name);
    return qualifier === '$LATEST' || spec?.aliases?.includes(qualifier) ? spec : undefined;
  };
  const pool = (nameOrArn: string): FunctionPool => {
    const spec = specOf(nameOrArn);
    if (!spec) throw new Error(`The template has no function ${nameOrArn}`);
    let found = pools.get(spec.name);
    if (!found) {
      found = new FunctionPool(spec, options, threads);
      pools.set(spec.name, found);
    }
    return found;
  };
  const { activity, track } = createActivity();
  const invokeText: Lambda['invokeText'] = async (nameOrArn, event, reader) => {
    if (isStopped) return new Promise(() => {});
    const payload = await track(() => pool(nameOrArn).invoke(event, reader));
    assertPayloadSize(payload);
    return payload;
  };
  return {
    invokeText,
    activity,
    invoke: async (nameOrArn, event) => JSON.parse(await invokeText(nameOrArn, JSON.stringify(event))),
    has: (nameOrArn) => specOf(nameOrArn) !== undefined,
    reload: (name) => pools.get(name)?.reload(),
    async stop() {
      isStopped = true;
      clearInterval(retirement);
      const ended = threads.stop();
      await Promise.all([...pools.values()].map((each) => each.stop(ended)));
    },
  };
}

function createActivity() {
  const listeners = new Set<() => void>();
  let running = 0;
  let endedAt = Number.NEGATIVE_INFINITY;
  const activity: Activity = {
    get running() {
      return running;
    },
    idleMs: () => performance.now() - endedAt,
    onceEnded(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const track = async <T>(invocation: () => Promise<T>): Promise<T> => {
    running += 1;
    try {
      return await invocation();
    } finally {
      running -= 1;
      endedAt = performance.now();
      const woken = [...listeners];
      listeners.clear();
      for (const listener of woken) listener();
    }
  };
  return { activity, track };
}

/** Throws a function error if a response exceeds Lambda's limit. Streamed responses have no such limit: their payload is empty. */
function assertPayloadSize(payload: string): void {
  const limit = AWS_LIMITS.lambdaPayloadBytes.value;
  if (Buffer.byteLength(payload) <= limit) return;
  throw new FunctionError({
    errorType: 'Function.ResponseSizeTooLarge',
    errorMessage: `Response payload size exceeded maximum allowed payload size (${limit} bytes).`,
  });
}
