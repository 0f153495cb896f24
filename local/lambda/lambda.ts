import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '../template/intrinsics.ts';
import { FunctionPool, type FunctionSpec, type PoolOptions, type Reader } from './pool.ts';

export interface LambdaOptions extends PoolOptions {
  functions: readonly FunctionSpec[];
  /** How long an execution environment may be idle, in milliseconds. */
  idleMs?: number;
}

export interface Lambda {
  /** Invokes by name or ARN; the answer is the handler's, as JSON. Throws FunctionError (lambda-pool.ts). */
  invoke(nameOrArn: string, event: Json): Promise<Json>;
  /** The same without parsing either side. A streaming handler's answer goes to the reader. */
  invokeText(nameOrArn: string, event: string, reader?: Reader): Promise<string>;
  has(nameOrArn: string): boolean;
  /** The next invocation runs the bundle as it is on disk by then. */
  reload(name: string): void;
  stop(): Promise<void>;
}

/** Runs functions in worker threads: one invocation at a time each, started when needed, killed at their timeout. */
export function startLambda(options: LambdaOptions): Lambda {
  mkdirSync(join(options.dataDir, 'logs'), { recursive: true });
  const specs = new Map(options.functions.map((spec) => [spec.name, spec]));
  const pools = new Map<string, FunctionPool>();
  const { idleMs = 60_000 } = options;
  const retirement = setInterval(() => {
    for (const pool of pools.values()) pool.retire(idleMs);
  }, idleMs / 2);
  retirement.unref();

  const specOf = (nameOrArn: string): FunctionSpec | undefined =>
    specs.get(nameOrArn) ?? specs.get(nameOrArn.split(':')[6] ?? '');
  const pool = (nameOrArn: string): FunctionPool => {
    const spec = specOf(nameOrArn);
    if (!spec) throw new Error(`there is no function ${nameOrArn} in the template`);
    let found = pools.get(spec.name);
    if (!found) {
      found = new FunctionPool(spec, options);
      pools.set(spec.name, found);
    }
    return found;
  };
  const invokeText: Lambda['invokeText'] = async (nameOrArn, event, reader) => pool(nameOrArn).invoke(event, reader);
  return {
    invokeText,
    invoke: async (nameOrArn, event) => JSON.parse(await invokeText(nameOrArn, JSON.stringify(event))),
    has: (nameOrArn) => specOf(nameOrArn) !== undefined,
    reload: (name) => pools.get(name)?.reload(),
    async stop() {
      clearInterval(retirement);
      await Promise.all([...pools.values()].map((each) => each.stop()));
    },
  };
}
