import type { ChatRequest } from '../../contract/ai/chat.ts';
import type { ProviderFailure } from './failures.ts';
import type { Provider } from './registry.ts';
import type { Usage } from './usage.ts';

/** A request as the domain wants it asked. */
export interface AdapterRequest {
  provider: Provider;
  /** The body as it came, valid JSON. */
  text: string;
  request: ChatRequest;
  /** As the provider names it. */
  upstream: string;
  /**
   * Set when the platform pays the provider: the one output limit that is sent, in place of the caller's, and the body
   * says nothing but what `request` says. undefined when the caller pays: the body passes as it came.
   */
  outputLimit: number | undefined;
  /** The most that the model can put out, where it is known: for defaults. */
  modelLimit: number | undefined;
  /** Estimates the usage that is charged where the provider reports none, from the bytes of text that it sent. */
  estimate: (streamedBytes: number) => Usage;
}

export interface Prepared {
  /** Below the base URL. */
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

/** Turns what a provider streams into chat-completion chunks, as it comes. */
export interface Translator {
  /** Returns the bytes that the caller receives for this piece. */
  push(piece: Buffer): Buffer;
  /** The provider's stream has ended: what is still to be sent. Throws {@link ProviderFailure} where it was cut. */
  end(): Buffer;
  /** Everything was sent, `[DONE]` included. */
  readonly done: boolean;
  /** The provider reported an error; what came before it has been handed out. */
  readonly failure: ProviderFailure | undefined;
  /** The tokens so far: as told, or as estimated. */
  readonly usage: Usage;
  readonly estimated: boolean;
}

/** The implementation of one wire format. */
export interface Adapter {
  headers(key: string): Record<string, string>;
  /** Throws ApiError `invalid_request` for what cannot be said in this format. */
  prepare(ask: AdapterRequest): Prepared;
  /** A whole answer; throws {@link ProviderFailure} when it is none. */
  answer(bytes: Buffer, ask: AdapterRequest): AdapterResponse;
  stream(ask: AdapterRequest): Translator;
}

/** The last frame of a stream that went well. */
export const DONE = 'data: [DONE]\n\n';
/** Keeps a connection alive while a provider thinks in the middle of its answer. */
const KEEP_ALIVE_COMMENT = Buffer.from(': still here\n\n');
/** Silence after which the caller receives a comment when the provider is alive, in milliseconds. */
const KEEP_ALIVE_AFTER_MS = 10_000;

/**
 * Silence in a stream of chunks. Before its first chunk nothing is said: what the caller receives counts as an answer, and is
 * charged (domain/ai/keep-alive.ts keeps a connection until then).
 */
export class Silence {
  #since = Number.POSITIVE_INFINITY;

  /** Chunks were handed out. */
  end(): void {
    this.#since = Date.now();
  }

  /** Returns a comment when a sign of life of the provider is to be passed on. */
  get comment(): Buffer | undefined {
    return Date.now() - this.#since > KEEP_ALIVE_AFTER_MS ? KEEP_ALIVE_COMMENT : undefined;
  }
}
