import { Writable } from 'node:stream';
import type { FromInvocation, FromReader } from './messages.ts';

/** Maximum number of bytes that the reader has not acknowledged. */
const MAX_UNREAD_BYTES = 256 * 1024;

type Handler = (event: unknown, ...rest: unknown[]) => unknown;
const STREAMING = Symbol.for('aws.lambda.runtime.handler.streaming');

export const isStreaming = (handler: Handler): boolean => Object.hasOwn(handler, STREAMING);

/** The global that Lambda's Node runtime defines before it imports a streaming function. */
export const awslambda = {
  streamifyResponse: (handler: Handler): Handler => Object.assign(handler, { [STREAMING]: true }),
  HttpResponseStream: {
    from(stream: Writable, metadata: object): Writable {
      // Frames a streamed HTTP response: metadata, eight NUL bytes, body.
      stream.write(Buffer.concat([Buffer.from(JSON.stringify(metadata)), Buffer.alloc(8)]));
      return stream;
    },
  },
};

/** The response of a streaming handler. Writing waits for the reader. */
export class ResponseStream extends Writable {
  readonly #send: (message: FromInvocation) => void;
  #unacknowledged = 0;
  #blocked: (() => void) | undefined;

  constructor(send: (message: FromInvocation) => void) {
    super({ highWaterMark: 64 * 1024 });
    this.#send = send;
    // Without a listener, the function would crash when the client disconnects.
    this.on('error', () => {});
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#send({ type: 'chunk', chunk: new Uint8Array(chunk) });
    this.#unacknowledged += chunk.length;
    if (this.#unacknowledged <= MAX_UNREAD_BYTES) done();
    else this.#blocked = done;
  }

  override _final(done: () => void): void {
    this.#send({ type: 'end' });
    done();
  }

  /** Handles a message of the reader. */
  onReaderMessage(message: FromReader): void {
    if (message.type === 'disconnected') {
      this.destroy(new Error('The client disconnected'));
      return;
    }
    this.#unacknowledged -= message.bytes;
    const resume = this.#blocked;
    if (!resume || this.#unacknowledged > MAX_UNREAD_BYTES) return;
    this.#blocked = undefined;
    resume();
  }

  setContentType(): void {
    // The head of the response contains it.
  }
}
