/** Messages between the pool (pool.ts) and an execution environment (worker.ts). */

/** `workerData`: the constant settings of an execution environment. */
export interface WorkerSettings {
  functionName: string;
  arn: string;
  /** MiB. */
  memory: number;
  /** Path of the bundle. */
  file: string;
  /** Name of the bundle's exported handler. */
  handler: string;
  /** Open file descriptor of the function's log. */
  log: number;
  compileCache: string;
}

/** Messages of a streamed response's reader: the number of bytes it passed on, or that the client disconnected. */
export type FromReader = { type: 'took'; bytes: number } | { type: 'left' };

export interface ToWorker {
  type: 'invoke';
  requestId: string;
  traceId: string;
  /** JSON: parsing it is cheaper than a structured clone, and Lambda does the same. */
  event: string;
  /** Epoch milliseconds at which the invocation is killed. */
  deadline: number;
}

/** A failed invocation in Lambda's format. */
export interface FunctionFault {
  errorType: string;
  errorMessage: string;
  trace?: string[];
}

export type FromWorker =
  | { type: 'ready' }
  | { type: 'result'; payload: string }
  | { type: 'chunk'; chunk: Uint8Array }
  | { type: 'end' }
  | { type: 'failure'; error: FunctionFault }
  | { type: 'complaint'; text: string };
