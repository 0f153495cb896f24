/** What passes between the pool (lambda.ts) and an execution environment (lambda-worker.ts). */

/** `workerData`: everything that stays the same for one execution environment. */
export interface WorkerSettings {
  functionName: string;
  arn: string;
  /** MiB. */
  memory: number;
  /** The bundle. */
  file: string;
  /** Name of its export. */
  handler: string;
  /** Open file descriptor of the function's log. */
  log: number;
  compileCache: string;
}

/** What the reader of a streamed answer says: how many bytes it has passed on, or that nobody reads any more. */
export type FromReader = { type: 'took'; bytes: number } | { type: 'left' };

export interface ToWorker {
  type: 'invoke';
  requestId: string;
  traceId: string;
  /** JSON: parsing it is cheaper than a structured clone, and is what Lambda does. */
  event: string;
  /** Epoch milliseconds at which the invocation is killed. */
  deadline: number;
}

/** A failed invocation in the form that Lambda gives it. */
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
