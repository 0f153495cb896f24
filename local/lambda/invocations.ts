import { randomUUID } from 'node:crypto';
import type { FromReader, FunctionFault, Invoke } from './messages.ts';

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

export interface Invocation {
  event: string;
  reader: Reader | undefined;
  resolve: (payload: string) => void;
  reject: (error: FunctionError) => void;
}

interface Running {
  invocation: Invocation;
  requestId: string;
  timer: NodeJS.Timeout;
  since: number;
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

  /** Returns true if each has been running for longer, and there is one. */
  areLongerThan(milliseconds: number): boolean {
    const since = performance.now() - milliseconds;
    return this.count > 0 && [...this.#running.values()].every((each) => each.since < since);
  }

  has(number: number): boolean {
    return this.#running.has(number);
  }

  readerOf(number: number): Reader | undefined {
    return this.#running.get(number)?.invocation.reader;
  }

  /**
   * Adds an invocation that fails at the timeout. Returns the message that starts it.
   * @param onTimeout called when it has failed so
   */
  start(invocation: Invocation, timeoutMs: number, onTimeout: () => void): Invoke {
    const number = ++this.#lastNumber;
    const requestId = randomUUID();
    const timer = setTimeout(() => {
      const seconds = (timeoutMs / 1000).toFixed(2);
      const errorMessage = `RequestId: ${requestId} Error: Task timed out after ${seconds} seconds`;
      this.fail(number, { errorType: 'Sandbox.Timedout', errorMessage });
      onTimeout();
    }, timeoutMs);
    this.#running.set(number, { invocation, requestId, timer, since: performance.now() });
    const random = randomUUID().replaceAll('-', '').slice(0, 24);
    const traceId = `Root=1-${Math.floor(Date.now() / 1000).toString(16)}-${random};Sampled=0`;
    const deadline = Date.now() + timeoutMs;
    return { type: 'invoke', invocation: number, requestId, traceId, event: invocation.event, deadline };
  }

  succeed(number: number, payload: string): void {
    this.#take(number)?.invocation.resolve(payload);
  }

  fail(number: number, fault: FunctionFault): void {
    const failed = this.#take(number);
    if (!failed) return;
    const { requestId, invocation } = failed;
    this.#onFault(JSON.stringify({ level: 'ERROR', message: 'Invoke Error', ...fault, requestId }));
    invocation.reject(new FunctionError(fault));
  }

  failAll(fault: FunctionFault): void {
    for (const number of [...this.#running.keys()]) this.fail(number, fault);
  }

  /** Forgets all: none of them settles. */
  dropAll(): void {
    for (const number of [...this.#running.keys()]) this.#take(number);
  }

  #take(number: number): Running | undefined {
    const found = this.#running.get(number);
    clearTimeout(found?.timer);
    this.#running.delete(number);
    return found;
  }
}
