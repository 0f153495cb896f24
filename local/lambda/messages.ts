/** Messages between the pools (pool.ts, threads.ts) and the threads that host execution environments (host.ts). */

/** The constant settings of an execution environment. */
export interface EnvironmentSettings {
  functionName: string;
  arn: string;
  /** MiB. */
  memory: number;
  /** Path of the bundle. */
  file: string;
  /** Name of the bundle's exported handler. */
  handler: string;
  variables: Record<string, string>;
  /** Open file descriptor of the function's log. */
  log: number;
}

/** Messages of a streamed response's reader: it forwarded a number of bytes, or the client disconnected. */
export type FromReader = { type: 'acknowledged'; bytes: number } | { type: 'disconnected' };

/** Names an invocation by its number within its environment. */
export interface InvocationScoped {
  invocation: number;
}

export interface Invoke extends InvocationScoped {
  type: 'invoke';
  requestId: string;
  traceId: string;
  /** JSON: parsing it is cheaper than a structured clone, and Lambda does the same. */
  event: string;
  /** Epoch milliseconds at which the invocation is killed. */
  deadline: number;
}

/** A message to one environment of a thread, by its number. */
export type ToEnvironment =
  | Invoke
  | (FromReader & InvocationScoped)
  | { type: 'open'; settings: EnvironmentSettings }
  | { type: 'close' };

export type ToHost = { environment: number; message: ToEnvironment } | { ping: true };

/** A failed invocation in Lambda's format. */
export interface FunctionFault {
  errorType: string;
  errorMessage: string;
  trace?: string[];
}

/** Output and end of an invocation. */
export type FromInvocation =
  | { type: 'result'; payload: string }
  | { type: 'chunk'; chunk: Uint8Array }
  | { type: 'end' }
  | { type: 'failure'; error: FunctionFault };

/** `crash`: the environment has ended, together with its running invocations. */
export type FromEnvironment =
  | { type: 'ready' }
  | (FromInvocation & InvocationScoped)
  | { type: 'crash'; error: FunctionFault }
  | { type: 'errorOutput'; text: string };

export type FromHost = { environment: number; message: FromEnvironment } | { pong: true };
