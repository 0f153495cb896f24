import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { createConnectionPool } from '../http/connections.ts';
import { contentCoding, createDecoder } from '../http/decoders.ts';
import { ProviderFailure, parseFailure } from './failures.ts';
import { PhaseTimer } from './phase-timer.ts';

/** Timeouts of each part of a call, in milliseconds. */
export interface Timeouts {
  connect: number;
  firstByte: number;
  silence: number;
  call: number;
}
const { connect, firstByte, silence, call } = TIMEOUTS_S.ai;
const TIMEOUTS_MS: Timeouts = {
  connect: connect * 1000,
  firstByte: firstByte * 1000,
  silence: silence * 1000,
  call: call * 1000,
};

/** Maximum size of an error's body and of a whole answer, in bytes. */
const MAX_ERROR_BODY_BYTES = 64 * 1024;
const MAX_BODY_BYTES = 32 * 1024 * 1024;
/** Time for a provider to close the stream after its last frame, in milliseconds. */
const TRAILER_TIMEOUT_MS = 1_000;

export interface Outgoing {
  url: string;
  headers: Record<string, string>;
  body: string | Buffer;
  /** Aborted when the caller disconnects. */
  signal: AbortSignal;
  /** See `Provider` in registry.ts. */
  checksContent?: boolean;
  /** True if the caller's connection is kept alive once the status has arrived: the first byte of the answer may then take as long again. */
  isKeptAlive?: boolean;
}

/**
 * Handles a piece of a body. While the returned promise is pending, nothing more is read. `enough`: the remaining body is not needed.
 * It is discarded for a short time, so that the connection can be reused, and then the connection is cut.
 */
export type Take = (piece: Buffer) => Promise<unknown> | 'enough' | undefined;

/** A provider's successful answer whose body has not been read yet. */
export interface Incoming {
  contentType: string;
  /** Passes the body on piece by piece. Resolves at a clean end, or when `take` returns `enough`. */
  each(take: Take): Promise<void>;
  whole(): Promise<Buffer>;
}

/** Sends a request to a provider. Throws {@link ProviderFailure} for anything but success. */
export type Transport = (outgoing: Outgoing) => Promise<Incoming>;

/** The caller disconnected. */
export class CallerDisconnected extends Error {
  /** True if the connection was established, so that the provider may have the request. */
  readonly isSent: boolean;
  constructor(isSent: boolean) {
    super('the caller disconnected');
    this.isSent = isSent;
  }
}

const isRefused = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED';

/** Creates a transport that keeps its connections open and shares them between all calls of this process. */
export function createTransport(limits: Timeouts = TIMEOUTS_MS): Transport {
  const connectionFor = createConnectionPool();
  return async (outgoing) => {
    const url = new URL(outgoing.url);
    const { agent, request } = await connectionFor(url.protocol);
    const attempt = () =>
      exchange(() => request(url, { method: 'POST', agent, headers: headersOf(outgoing) }), outgoing, limits);
    try {
      return await attempt();
    } catch (error) {
      // The connection was refused, so nothing was sent and a retry cannot run the call twice.
      if (!isRefused(error) || outgoing.signal.aborted) throw toRequestError(error);
      return await attempt().catch((retryError: unknown) => Promise.reject(toRequestError(retryError)));
    }
  };
}

const toRequestError = (error: unknown): unknown =>
  error instanceof ProviderFailure || error instanceof CallerDisconnected
    ? error
    : new ProviderFailure('unreachable', {});

const headersOf = ({ headers, body }: Outgoing): Record<string, string | number> => ({
  'content-type': 'application/json',
  'accept-encoding': 'identity',
  'user-agent': 'Service-AI-Gateway/1.0',
  ...headers,
  'content-length': Buffer.byteLength(body),
});

/** Sends a request once and waits for the answer's headers. */
function exchange(open: () => ClientRequest, outgoing: Outgoing, limits: Timeouts): Promise<Incoming> {
  const { body, signal, checksContent, isKeptAlive } = outgoing;
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(new CallerDisconnected(false));
    const request = open();
    let message: IncomingMessage | undefined;
    let isSent = false;
    const abort = (reason: Error) => (message ?? request).destroy(reason);
    const onTimeout = () => abort(new ProviderFailure('timeout', {}));
    const onDisconnect = () => abort(new CallerDisconnected(isSent));
    const timer = new PhaseTimer(onTimeout);
    const callTimer = setTimeout(onTimeout, limits.call);
    signal.addEventListener('abort', onDisconnect);
    const end = () => {
      clearTimeout(callTimer);
      timer.end();
      signal.removeEventListener('abort', onDisconnect);
    };
    timer.start(limits.firstByte);
    request.on('socket', (socket) => {
      isSent = !socket.connecting;
      if (isSent) return;
      timer.start(limits.connect);
      socket.once('encrypted' in socket ? 'secureConnect' : 'connect', () => {
        isSent = true;
        timer.start(limits.firstByte);
      });
    });
    request.on('error', (error) => {
      end();
      reject(error);
    });
    // An answer that switches protocols (101) emits neither an error nor a response.
    request.on('close', () => {
      if (message) return;
      end();
      reject(new ProviderFailure('unreachable', {}));
    });
    request.on('response', (incoming) => {
      message = incoming;
      incoming.once('close', end);
      const answer = new Body(incoming, timer, limits.silence);
      const status = incoming.statusCode ?? 0;
      if (status >= 200 && status < 300) {
        // Not for an error: its status must reach the caller before the edge gives up.
        if (isKeptAlive) timer.restart();
        return resolve(answer);
      }
      const fail = (bytes: Buffer) => reject(parseFailure(status, incoming.headers, bytes, checksContent));
      answer.readStart(MAX_ERROR_BODY_BYTES).then(fail, () => fail(Buffer.alloc(0)));
    });
    request.end(body);
  });
}

/** Returns the error of an interrupted body: the failure or disconnection that this module caused, or `broken` for any other cause. */
const toBodyError = (error: unknown): Error =>
  error instanceof ProviderFailure || error instanceof CallerDisconnected ? error : new ProviderFailure('broken', {});

class Body implements Incoming {
  readonly contentType: string;
  readonly #message: IncomingMessage;
  readonly #timer: PhaseTimer;
  readonly #silence: number;
  #began = false;

  constructor(message: IncomingMessage, timer: PhaseTimer, silence: number) {
    this.#message = message;
    this.#timer = timer;
    this.#silence = silence;
    this.contentType = message.headers['content-type'] ?? '';
    // The reader handles errors. Without a reader, an unhandled error would end the process.
    message.on('error', () => undefined);
  }

  async each(take: Take): Promise<void> {
    const message = this.#message;
    const body = decode(message);
    return await new Promise<void>((resolve, reject) => {
      const fail = (error: unknown) => reject(toBodyError(error));
      if (message.errored) return fail(message.errored);
      watchEnd(message, body, resolve, fail);
      // This runs in an event handler, where an uncaught error would end the process together with other callers' calls.
      const takeSafely = (piece: Buffer) => {
        try {
          return take(piece);
        } catch (error) {
          reject(error);
          message.destroy();
          return undefined;
        }
      };
      let enough = false;
      body.on('data', (piece: Buffer) => {
        this.#restartTimer();
        const pending = enough ? undefined : takeSafely(piece);
        if (!pending) return;
        if (pending === 'enough') {
          enough = true;
          this.#cutSoon();
          resolve();
          return;
        }
        this.#timer.pause();
        body.pause();
        pending.then(() => {
          this.#timer.start(this.#silence);
          body.resume();
        }, fail);
      });
    });
  }

  /** Restarts the timeout. The first byte of the body may take as long as the headers; after it, the shorter silence limit applies. */
  #restartTimer(): void {
    if (this.#began) this.#timer.restart();
    else this.#timer.start(this.#silence);
    this.#began = true;
  }

  async whole(): Promise<Buffer> {
    const body = await this.readStart(MAX_BODY_BYTES + 1);
    if (body.length > MAX_BODY_BYTES) throw new ProviderFailure('broken', {});
    return body;
  }

  /** Returns the start of the body: at least `bytes` bytes, or the whole body if it is shorter. What follows is not awaited. */
  async readStart(bytes: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    let length = 0;
    await this.each((piece) => {
      pieces.push(piece);
      length += piece.length;
      return length >= bytes ? 'enough' : undefined;
    });
    return pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces);
  }

  #cutSoon(): void {
    const message = this.#message;
    if (message.complete) return;
    const timeout = setTimeout(() => message.destroy(), TRAILER_TIMEOUT_MS);
    message.once('close', () => clearTimeout(timeout));
  }
}

/** Calls `end` at the end of a whole body, and `fail` with the cause if it is interrupted or cannot be decompressed. */
function watchEnd(message: IncomingMessage, body: Readable, end: () => void, fail: (cause: unknown) => void): void {
  message.on('error', fail);
  message.on('close', () => {
    if (!message.complete) fail(message.errored);
  });
  if (body !== message) {
    body.on('error', () => {
      fail(undefined);
      message.destroy();
    });
  }
  body.on('end', () => (message.complete ? end() : fail(message.errored)));
}

/** Returns the body of an answer, decompressed if the provider compressed it although the request forbids it. */
function decode(message: IncomingMessage): Readable {
  const coding = contentCoding(message.headers);
  if (coding === undefined) return message;
  const decoder = createDecoder(coding);
  if (decoder) return message.pipe(decoder);
  message.destroy();
  throw new ProviderFailure('broken', {});
}
