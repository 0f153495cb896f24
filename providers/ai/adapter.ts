import type { ChatRequest } from '../../contract/ai/chat.ts';
import type { ProviderFailure } from './failures.ts';
import type { Provider } from './registry.ts';
import type { Usage } from './usage.ts';

/** A chat request for a provider's adapter. */
export interface AdapterRequest {
  provider: Provider;
  /** The body as the caller sent it, valid JSON. */
  text: string;
  request: ChatRequest;
  /** The provider's name of the model. */
  upstream: string;
  /**
   * Set if the platform pays the provider: the only output limit that is sent, in place of the caller's. The body then contains
   * only what `request` contains. undefined if the caller pays: the body passes unchanged.
   */
  outputLimit: number | undefined;
  /** The model's own output limit, if known; used as a default. */
  modelLimit: number | undefined;
  /** Estimates the usage to charge from the bytes of text that the provider sent, if it reports no usage. */
  estimate: (streamedBytes: number) => Usage;
}

export interface Prepared {
  /** Relative to the base URL. */
  path: string;
  body: string;
  /** Fields that were left out, for `X-Ignored-Parameters`. */
  ignored: string[];
}

export interface AdapterResponse {
  body: Buffer;
  usage: Usage;
  estimated: boolean;
}

/** Translates a provider's stream into chat-completion chunks, piece by piece. */
export interface Translator {
  /** Returns the bytes that the caller receives for this piece. */
  push(piece: Buffer): Buffer;
  /** Ends the provider's stream and returns the remaining bytes. Throws {@link ProviderFailure} if the stream was cut. */
  end(): Buffer;
  /** True once everything was returned, including `[DONE]`. */
  readonly done: boolean;
  /** True once the provider has said why the only answer ends: nothing of it can be missing, even if the connection breaks. */
  readonly isFinished: boolean;
  /** The error that the provider reported. `push` has returned the bytes before it. */
  readonly failure: ProviderFailure | undefined;
  /** The tokens so far, reported or estimated. */
  readonly usage: Usage;
  readonly estimated: boolean;
}

/** The implementation of one wire format. */
export interface Adapter {
  headers(key: string): Record<string, string>;
  /** Throws ApiError `invalid_request` for a request that this format cannot express. */
  prepare(adapterRequest: AdapterRequest): Prepared;
  /** Converts a whole answer. Throws {@link ProviderFailure} if the bytes are not an answer. */
  answer(bytes: Buffer, adapterRequest: AdapterRequest): AdapterResponse;
  stream(adapterRequest: AdapterRequest): Translator;
}

/** The last frame of a successful stream. */
export const DONE = 'data: [DONE]\n\n';
/** Keeps a connection alive while a provider thinks in the middle of its answer. */
const KEEP_ALIVE_COMMENT = Buffer.from(': still here\n\n');
/** Silence after which the caller receives a comment if the provider is alive, in milliseconds. */
const KEEP_ALIVE_AFTER_MS = 10_000;

/**
 * Tracks silence in a stream of chunks. It sends no comment before the first chunk, because anything that the caller receives counts as
 * an answer and is charged; until then, domain/ai/keep-alive.ts keeps the connection alive.
 */
export class Silence {
  #since = Number.POSITIVE_INFINITY;

  /** Records that chunks were sent. */
  end(): void {
    this.#since = Date.now();
  }

  /** The comment to send for a provider's sign of life; undefined if the caller received something recently. */
  get comment(): Buffer | undefined {
    return Date.now() - this.#since > KEEP_ALIVE_AFTER_MS ? KEEP_ALIVE_COMMENT : undefined;
  }
}
