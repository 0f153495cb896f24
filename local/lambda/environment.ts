import { AsyncLocalStorage } from 'node:async_hooks';
import { Console } from 'node:console';
import { writeSync } from 'node:fs';
import type { Socket } from 'node:net';
import { Writable } from 'node:stream';
import { type Globals, importBundle } from './bundle-module.ts';
import type {
  EnvironmentSettings,
  FromEnvironment,
  FromInvocation,
  FromReader,
  FunctionFault,
  InvocationScoped,
  Invoke,
} from './messages.ts';
import { isStreaming, ResponseStream } from './response-stream.ts';

/** The environment whose code is running. All callbacks and promises that a handler starts belong to its environment. */
export const current = new AsyncLocalStorage<Environment>();

type Handler = (event: unknown, ...rest: unknown[]) => unknown;

function faultOf(error: unknown): FunctionFault {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  return { errorType: name, errorMessage: message, trace: (stack ?? '').split('\n').map((line) => line.trim()) };
}

/** Thrown by `process.exit` in an environment, because the function must not return. */
class Exited extends Error {}

/**
 * A Lambda execution environment: an instance of the bundle with its own variables, output and connections. It runs one
 * invocation at a time, or several as on managed instances.
 */
export class Environment {
  readonly #settings: EnvironmentSettings;
  readonly #send: (message: FromEnvironment) => void;
  readonly #variables: Record<string, string | undefined>;
  readonly #sockets = new Set<Socket>();
  readonly #handler: Promise<Handler>;
  /** Responses of streaming invocations, by their number. */
  readonly #responses = new Map<number, ResponseStream>();
  #ended = false;

  constructor(settings: EnvironmentSettings, send: (message: FromEnvironment) => void) {
    this.#settings = settings;
    this.#send = (message) => {
      if (!this.#ended) send(message);
    };
    this.#variables = { ...settings.variables };
    this.#handler = current.run(this, () => this.#load());
    // The first invocation reports a bundle that cannot be loaded.
    const ready = (): void => this.#send({ type: 'ready' });
    this.#handler.then(ready, ready);
  }

  invoke(message: Invoke): void {
    this.#variables._X_AMZN_TRACE_ID = message.traceId;
    current.run(this, () => {
      this.#run(message).catch((error: unknown) => {
        if (error instanceof Exited) return;
        this.#send({ type: 'failure', error: faultOf(error), invocation: message.invocation });
      });
    });
  }

  onReaderMessage(message: FromReader & InvocationScoped): void {
    current.run(this, () => this.#responses.get(message.invocation)?.onReaderMessage(message));
  }

  /** Ends the environment because of an uncaught error. */
  crash(error: unknown, errorType?: string): void {
    if (error instanceof Exited) return;
    const fault = faultOf(error);
    this.#send({ type: 'crash', error: errorType ? { ...fault, errorType } : fault });
    this.end();
  }

  /**
   * Isolates the environment: it sends no more messages, its connections are closed and it cannot open new ones. Its code cannot
   * be stopped within the thread, but has no effects without connections.
   */
  end(): void {
    this.#ended = true;
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
  }

  /** Tracks a connection that the environment opens. */
  trackConnection(socket: Socket): void {
    if (this.#ended) {
      // Deferred, because connecting would reopen a destroyed socket. Nothing is sent before the next tick.
      process.nextTick(() => socket.destroy());
      return;
    }
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
  }

  async #load(): Promise<Handler> {
    const { file, handler: name } = this.#settings;
    const loaded = new Map(Object.entries(await importBundle(file, this.#globals())));
    const handler: unknown = loaded.get(name);
    if (typeof handler !== 'function') throw new Error(`${file} exports no function ${name}`);
    const found: unknown = handler;
    return found as Handler;
  }

  /** Returns the globals that differ between the environments of a thread. All other members of `process` are the thread's. */
  #globals(): Globals {
    const [stdout, stderr] = [this.#output(false), this.#output(true)];
    const exit = (code?: number | string | null): never => {
      const errorMessage = `the function's environment exited with ${code ?? 0}`;
      this.#send({ type: 'crash', error: { errorType: 'Runtime.ExitError', errorMessage } });
      this.end();
      throw new Exited();
    };
    const overrides = { env: this.#variables, stdout, stderr, exit };
    return {
      process: Object.create(
        process,
        Object.fromEntries(
          Object.entries(overrides).map(([name, value]) => [name, { value, enumerable: true, writable: true }]),
        ),
      ),
      console: new Console(stdout, stderr),
      // All environments of a thread share the connections of `fetch`: none of them owns one.
      fetch: (...args) => (this.#ended ? new Promise(() => {}) : current.exit(() => fetch(...args))),
    };
  }

  /** Creates a stream that writes directly to the function's log, without involving the main thread. */
  #output(isError: boolean): Writable {
    return new Writable({
      decodeStrings: false,
      write: (chunk: string | Buffer, _encoding, done) => {
        const text = String(chunk);
        try {
          if (!this.#ended) writeSync(this.#settings.log, text);
        } catch {
          // A stream whose write throws, on a full disk for example, would keep all later output in memory.
        }
        if (isError || /"level":"(ERROR|CRITICAL|FATAL)"/i.test(text)) this.#send({ type: 'errorOutput', text });
        done();
      },
    });
  }

  async #run(message: Invoke): Promise<void> {
    const handler = await this.#handler;
    const { invocation } = message;
    const send = (output: FromInvocation): void => this.#send({ ...output, invocation });
    const event: unknown = JSON.parse(message.event);
    const context = this.#contextOf(message);
    if (!isStreaming(handler)) {
      const result = await handler(event, context);
      send({ type: 'result', payload: JSON.stringify(result) ?? 'null' });
      return;
    }
    const stream = new ResponseStream(send);
    this.#responses.set(invocation, stream);
    try {
      await handler(event, stream, context);
      if (!stream.writableFinished) await new Promise((resolve) => stream.end(resolve));
    } finally {
      this.#responses.delete(invocation);
    }
    send({ type: 'result', payload: 'null' });
  }

  #contextOf({ requestId, deadline }: Invoke) {
    const { functionName, arn, memory } = this.#settings;
    return {
      awsRequestId: requestId,
      callbackWaitsForEmptyEventLoop: true,
      functionName,
      functionVersion: '$LATEST',
      invokedFunctionArn: arn,
      logGroupName: `/aws/lambda/${functionName}`,
      logStreamName: 'local',
      memoryLimitInMB: String(memory),
      getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
    };
  }
}
