import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { keepConnections } from '../http/connections.ts';
import { ProviderFailure, parseFailure } from './failures.ts';
import { PhaseTimer } from './phase-timer.ts';

/** Timeouts of each part of a call, in milliseconds (design, section 4). */
export interface Timeouts {
  connect: number;
  firstByte: number;
  silence: number;
  call: number;
}
const { connect, firstByte, silence, call } = TIMEOUTS_S.ai;
export const TIMEOUTS_MS: Timeouts = {
  connect: connect * 1000,
  firstByte: firstByte * 1000,
  silence: silence * 1000,
  call: call * 1000,
};

/** An error's body is read up to this much, in bytes, and a whole answer up to that. */
const MAX_ERROR_BODY_BYTES = 64 * 1024;
const MAX_BODY_BYTES = 32 * 1024 * 1024;
/** Time that a provider has to close the stream after its last frame, in milliseconds. */
const TRAILER_TIMEOUT_MS = 1_000;

export interface Outgoing {
  url: string;
  headers: Record<string, string>;
  body: string | Buffer;
  /** Aborted when the caller has left. */
  signal: AbortSignal;
  /** As the provider says (registry.ts). */
  checksContent?: boolean;
}

/**
 * Takes a piece of a body. While a promise is pending nothing more is read. `enough`: the rest is of no interest; it is
 * read for a moment, so that the connection can be used again, and then cut.
 */
export type Take = (piece: Buffer) => Promise<unknown> | 'enough' | undefined;

/** A provider's successful answer, its body yet to come. */
export interface Incoming {
  contentType: string;
  /** Hands over the body piece by piece. Resolves at a clean end (`ended`), or when `take` wants no more (`left`). */
  each(take: Take): Promise<'ended' | 'left'>;
  whole(): Promise<Buffer>;
}

/** Asks a provider; throws {@link ProviderFailure} for anything but success. */
export type Transport = (outgoing: Outgoing) => Promise<Incoming>;

/** The caller disconnected. */
export class CallerDisconnected extends Error {
  /** True where the provider had a connection, and so the request. */
  readonly isSent: boolean;
  constructor(isSent: boolean) {
    super('the caller disconnected');
    this.isSent = isSent;
  }
}

const isRefused = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED';

/** Connections are kept and shared by all calls of this process. */
export function createTransport(limits: Timeouts = TIMEOUTS_MS): Transport {
  const connectionFor = keepConnections();
  return async (outgoing) => {
    const url = new URL(outgoing.url);
    const { agent, request } = await connectionFor(url.protocol);
    const once = () =>
      exchange(() => request(url, { method: 'POST', agent, headers: headersOf(outgoing) }), outgoing, limits);
    try {
      return await once();
    } catch (error) {
      // Refused: nothing was sent, so nothing can happen twice.
      if (!isRefused(error) || outgoing.signal.aborted) throw known(error);
      return await once().catch((again: unknown) => Promise.reject(known(again)));
    }
  };
}

const known = (error: unknown): unknown =>
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

/** One try: until the answer's headers are there. */
function exchange(open: () => ClientRequest, outgoing: Outgoing, limits: Timeouts): Promise<Incoming> {
  const { body, signal, checksContent } = outgoing;
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(new CallerDisconnected(false));
    const request = open();
    let message: IncomingMessage | undefined;
    let isSent = false;
    const cut = (why: Error) => (message ?? request).destroy(why);
    const late = () => cut(new ProviderFailure('timeout', {}));
    const left = () => cut(new CallerDisconnected(isSent));
    const timer = new PhaseTimer(late);
    const call = setTimeout(late, limits.call);
    signal.addEventListener('abort', left);
    const end = () => {
      clearTimeout(call);
      timer.end();
      signal.removeEventListener('abort', left);
    };
    timer.waitFor(limits.firstByte);
    request.on('socket', (socket) => {
      isSent = !socket.connecting;
      if (isSent) return;
      timer.waitFor(limits.connect);
      socket.once('encrypted' in socket ? 'secureConnect' : 'connect', () => {
        isSent = true;
        timer.waitFor(limits.firstByte);
      });
    });
    request.on('error', (error) => {
      end();
      reject(error);
    });
    // An answer that switches protocols is neither an error nor a response.
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
      if (status >= 200 && status < 300) return resolve(answer);
      const failed = (bytes: Buffer) => reject(parseFailure(status, incoming.headers, bytes, checksContent));
      answer.start(MAX_ERROR_BODY_BYTES).then(failed, () => failed(Buffer.alloc(0)));
    });
    request.end(body);
  });
}

/**
 * Converts the cause of a broken body: a failure or disconnection that this module caused, or the connection's own
 * error.
 */
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
    // Errors reach the reader; an error without a reader must not end the process.
    message.on('error', () => undefined);
  }

  async each(take: Take): Promise<'ended' | 'left'> {
    const message = this.#message;
    const encoding = message.headers['content-encoding'];
    const body = encoding && encoding !== 'identity' ? await decompress(message, encoding) : message;
    return await new Promise((resolve, reject) => {
      const fail = (error: unknown) => reject(toBodyError(error));
      if (message.errored) return fail(message.errored);
      message.on('error', fail);
      message.on('close', () => {
        if (!message.complete) fail(message.errored);
      });
      if (body !== message) body.on('error', () => fail(undefined));
      body.on('end', () => (message.complete ? resolve('ended') : fail(message.errored)));
      // Thrown on, an error would end the process, with the calls of others: this is an event of the connection.
      const taken = (piece: Buffer) => {
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
        this.#touched();
        const pending = enough ? undefined : taken(piece);
        if (!pending) return;
        if (pending === 'enough') {
          enough = true;
          this.#cutSoon();
          resolve('left');
          return;
        }
        this.#timer.rest();
        body.pause();
        pending.then(() => {
          this.#timer.waitFor(this.#silence);
          body.resume();
        }, fail);
      });
    });
  }

  /** The first byte of the body may take as long as the headers; from then on only silence is short. */
  #touched(): void {
    if (this.#began) this.#timer.heard();
    else this.#timer.waitFor(this.#silence);
    this.#began = true;
  }

  async whole(): Promise<Buffer> {
    const body = await this.start(MAX_BODY_BYTES + 1);
    if (body.length > MAX_BODY_BYTES) throw new ProviderFailure('broken', {});
    return body;
  }

  /** The beginning of the body, of at least `most` bytes if it has that many. */
  async start(most: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    let length = 0;
    await this.each((piece) => {
      if (length < most) pieces.push(piece);
      length += piece.length;
      return undefined;
    });
    return pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces);
  }

  #cutSoon(): void {
    const message = this.#message;
    if (message.complete) return;
    const cut = setTimeout(() => message.destroy(), TRAILER_TIMEOUT_MS);
    message.once('close', () => clearTimeout(cut));
  }
}

/** A provider that compresses although we said not to. */
async function decompress(message: IncomingMessage, encoding: string): Promise<Readable> {
  const { createBrotliDecompress, createGunzip, createInflate } = await import('node:zlib');
  const make = { gzip: createGunzip, 'x-gzip': createGunzip, deflate: createInflate, br: createBrotliDecompress }[
    encoding
  ];
  if (!make) throw new ProviderFailure('broken', {});
  return message.pipe(make());
}
