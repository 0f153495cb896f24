import { randomUUID } from 'node:crypto';
import { setDeadline } from './deadline.ts';
import type { FromReader, FunctionFault, Invoke } from './messages.ts';

/**
 * Thrown if the function threw or timed out, or if its execution environment crashed. `name` is the error's type.
 */
export class FunctionError extends Error {
  readonly fault: FunctionFault;
  constructor(fault: FunctionFault) {
    super(fault.errorMessage);
    this.name = fault.errorType;
    this.fault = fault;
  }
}

/** Receives the output of a streaming handler. */
export interface Reader {
  chunk(bytes: Uint8Array): void;
  /** Called when the response is complete. The function may still be running. */
  end?(): void;
  /**
   * Called when the invocation starts. `report` receives the number of forwarded bytes, and the client's disconnection.
   */
  begin?(report: (message: FromReader) => void): void;
}

export interface Invocation {
  event: string;
  reader: Reader | undefined;
  resolve: (payload: string) => void;
  reject: (error: FunctionError) => void;
}

interface Running {
  invocation: Invocation;
  requestId: string;
  clearDeadline: () => void;
  startedAt: number;
}

/** The running invocations of an execution environment, by number. */
export class Invocations {
  readonly #running = new Map<number, Running>();
  readonly #onFault: (text: string) => void;
  #lastNumber = 0;

  /** @param onFault called with the log line of each failed invocation */
  constructor(onFault: (text: string) => void) {
    this.#onFault = onFault;
  }

  get count(): number {
    return this.#running.size;
  }

  /** Returns true if there are invocations and all of them have been running for longer than this. */
  areLongerThan(milliseconds: number): boolean {
    const limit = performance.now() - milliseconds;
    return this.count > 0 && [...this.#running.values()].every(({ startedAt }) => startedAt < limit);
  }

  has(number: number): boolean {
    return this.#running.has(number);
  }

  readerOf(number: number): Reader | undefined {
    return this.#running.get(number)?.invocation.reader;
  }

  /**
   * Adds an invocation, which fails at the timeout. Returns the message that starts it.
   * @param onTimeout called after the invocation has timed out
   */
  start(invocation: Invocation, timeoutMs: number, onTimeout: () => void): Invoke {
    const number = ++this.#lastNumber;
    const requestId = randomUUID();
    const clearDeadline = setDeadline(timeoutMs, () => {
      const seconds = (timeoutMs / 1000).toFixed(2);
      const errorMessage = `RequestId: ${requestId} Error: Task timed out after ${seconds} seconds`;
      this.fail(number, { errorType: 'Sandbox.Timedout', errorMessage });
      onTimeout();
    });
    this.#running.set(number, { invocation, requestId, clearDeadline, startedAt: performance.now() });
    const random = randomUUID().replaceAll('-', '').slice(0, 24);
    const traceId = `Root=1-${Math.floor(Date.now() / 1000).toString(16)}-${random};Sampled=0`;
    const deadline = Date.now() + timeoutMs;
    return { type: 'invoke', invocation: number, requestId, traceId, event: invocation.event, deadline };
  }

  succeed(number: number, payload: string): void {
    this.#remove(number)?.invocation.resolve(payload);
  }

  fail(number: number, fault: FunctionFault): void {
    const failed = this.#remove(number);
    if (!failed) return;
    const { requestId, invocation } = failed;
    this.#onFault(JSON.stringify({ level: 'ERROR', message: 'Invoke Error', ...fault, requestId }));
    invocation.reject(new FunctionError(fault));
  }

  failAll(fault: FunctionFault): void {
    for (const number of [...this.#running.keys()]) this.fail(number, fault);
  }

  /** Removes all invocations without settling them. */
  dropAll(): void {
    for (const number of [...this.#running.keys()]) this.#remove(number);
  }

  #remove(number: number): Running | undefined {
    const found = this.#running.get(number);
    found?.clearDeadline();
    this.#running.delete(number);
    return found;
  }
}
