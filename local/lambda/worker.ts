/**
 * A Lambda execution environment: a worker thread with the function's environment that imports the bundle once and then
 * runs one invocation at a time. Communicates with the pool (pool.ts) by messages.
 */
import { writeSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import { resolveLocalhostNames } from '../emulators/localhost-names.ts';
import type { FromReader, FromWorker, ToWorker, WorkerSettings } from './messages.ts';

const port = parentPort;
if (!port) throw new Error('worker.ts must run in a worker thread');
const settings: WorkerSettings = workerData;
const send = (message: FromWorker): void => port.postMessage(message);

enableCompileCache(settings.compileCache);
resolveLocalhostNames();

/** Writes output directly to the function's log, which keeps it off the main thread's event loop. */
function logTo(descriptor: number, isError: boolean) {
  return (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
    writeSync(descriptor, typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString());
    const text = String(chunk);
    if (isError || /"level":"(ERROR|CRITICAL|FATAL)"/i.test(text)) send({ type: 'complaint', text });
    const done = rest.at(-1);
    if (typeof done === 'function') done();
    return true;
  };
}
process.stdout.write = logTo(settings.log, false);
process.stderr.write = logTo(settings.log, true);

type Handler = (event: unknown, ...rest: unknown[]) => unknown;
const STREAMING = Symbol.for('aws.lambda.runtime.handler.streaming');

/** The global that Lambda's Node runtime defines before it imports a streaming function. */
const awslambda = {
  streamifyResponse: (handler: Handler): Handler => Object.assign(handler, { [STREAMING]: true }),
  HttpResponseStream: {
    from(stream: Writable, metadata: object): Writable {
      // Frames a streamed HTTP response: metadata, eight NUL bytes, body.
      stream.write(Buffer.concat([Buffer.from(JSON.stringify(metadata)), Buffer.alloc(8)]));
      return stream;
    },
  },
};
Object.assign(globalThis, { awslambda });

async function loadHandler(): Promise<Handler> {
  const loaded: Record<string, unknown> = await import(pathToFileURL(settings.file).href);
  const handler = loaded[settings.handler];
  if (typeof handler !== 'function') throw new Error(`${settings.file} exports no function ${settings.handler}`);
  const found: unknown = handler;
  return found as Handler;
}
const loading = loadHandler();
// The first invocation reports a bundle that cannot be loaded.
loading.then(
  () => send({ type: 'ready' }),
  () => send({ type: 'ready' }),
);

function contextOf({ requestId, deadline }: ToWorker) {
  return {
    awsRequestId: requestId,
    callbackWaitsForEmptyEventLoop: true,
    functionName: settings.functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: settings.arn,
    logGroupName: `/aws/lambda/${settings.functionName}`,
    logStreamName: 'local',
    memoryLimitInMB: String(settings.memory),
    getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
  };
}

/** The current response, written as fast as its reader accepts it. */
let response: AnswerStream | undefined;

/** Maximum number of unacknowledged bytes. */
const MAX_UNREAD_BYTES = 256 * 1024;

class AnswerStream extends Writable {
  #ahead = 0;
  #blocked: (() => void) | undefined;

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    send({ type: 'chunk', chunk: new Uint8Array(chunk) });
    this.#ahead += chunk.length;
    if (this.#ahead <= MAX_UNREAD_BYTES) done();
    else this.#blocked = done;
  }

  override _final(done: () => void): void {
    send({ type: 'end' });
    done();
  }

  took(bytes: number): void {
    this.#ahead -= bytes;
    const go = this.#blocked;
    if (!go || this.#ahead > MAX_UNREAD_BYTES) return;
    this.#blocked = undefined;
    go();
  }

  setContentType(): void {
    // The head of the response contains it.
  }
}

async function run(message: ToWorker): Promise<void> {
  const handler = await loading;
  const event: unknown = JSON.parse(message.event);
  if (!(STREAMING in handler)) {
    const result = await handler(event, contextOf(message));
    send({ type: 'result', payload: JSON.stringify(result) ?? 'null' });
    return;
  }
  const stream = new AnswerStream({ highWaterMark: 64 * 1024 });
  response = stream;
  // Without a listener, the function would crash when the client disconnects.
  stream.on('error', () => {});
  await handler(event, stream, contextOf(message));
  if (!stream.writableFinished) await new Promise((resolve) => stream.end(resolve));
  send({ type: 'result', payload: 'null' });
}

port.on('message', (message: ToWorker | FromReader) => {
  if (message.type === 'took') {
    response?.took(message.bytes);
    return;
  }
  if (message.type === 'left') {
    response?.destroy(new Error('The client disconnected'));
    return;
  }
  process.env._X_AMZN_TRACE_ID = message.traceId;
  run(message).catch((error: unknown) => {
    const { name, message: text, stack } = error instanceof Error ? error : new Error(String(error));
    send({
      type: 'failure',
      error: { errorType: name, errorMessage: text, trace: (stack ?? '').split('\n').map((line) => line.trim()) },
    });
  });
});
