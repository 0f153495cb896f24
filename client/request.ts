import { readText } from './body.ts';
import { ConnectionError, toApiError } from './errors.ts';

export interface ClientOptions {
  /** The address of the platform: `https://api.example.com`. */
  baseUrl: string;
  /** `sk_live_…`; for servers only. */
  secretKey?: string | undefined;
  /** `pk_live_…`; for browsers too. Allows the catalogue and the list of models. */
  publicKey?: string | undefined;
  /** Maximum number of retries. Default: 2. */
  maxRetries?: number | undefined;
  /** Milliseconds that an attempt waits for the first byte of its response. Default: 60,000, or 125,000 for a chat. */
  timeoutMs?: number | undefined;
  /** Replaces the global `fetch`. */
  fetch?: typeof fetch | undefined;
}

export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** Requests with the same key get the first response. Default: a random key for each call, shared by its retries. */
  idempotencyKey?: string | undefined;
  timeoutMs?: number | undefined;
  maxRetries?: number | undefined;
}

export interface ApiRequest<Result = unknown> {
  method: string;
  /** Path and query. */
  path: string;
  body?: unknown;
  /** True if the request can be repeated without a further effect after its response was lost. */
  repeatable: boolean;
  /** The default timeout of the request. */
  timeoutMs?: number;
  /** The result of a deletion whose retry finds nothing, because an attempt whose response was lost has succeeded. */
  gone?: Result;
}

const DEFAULT_RETRIES = 2;
const DEFAULT_TIMEOUT_MS = 60_000;
const BASE_DELAY_MS = 500;
const MAX_DELAY_MS = 8_000;
/** The longest `Retry-After` for which the client waits. Beyond it, the caller decides by the error's `retryAfter`. */
const MAX_RETRY_AFTER_MS = 60_000;
/** Statuses after which a request is retried. */
const RETRIED_STATUSES = [429, 500, 502, 503, 504];
/** The statuses among them that mean that nothing was done. */
const REFUSALS = [429, 502, 503];

/**
 * Returns a header value without surrounding white space or byte order mark. Throws a TypeError for characters that a header cannot
 * contain: `fetch` would fail with what looks like a network error, and its message might contain a key.
 */
function headerValue(name: string, value: string | undefined): string | undefined {
  const trimmed = value?.trim();
  if (trimmed !== undefined && !/^[\t\x20-\x7e\x80-\xff]*$/.test(trimmed))
    throw new TypeError(`${name} has a character that cannot be sent in a header. Was it copied whole?`);
  return trimmed;
}

/** Waits. Rejects with the signal's reason if it is aborted first. */
export const wait = (milliseconds: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, milliseconds);
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });

/** Returns an exponential delay, half of it random, so that clients that failed together do not retry together. */
const backoff = (attempt: number): number =>
  Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** attempt) * (1 - Math.random() / 2);

/** Returns the delay before a retry in milliseconds; undefined if the request must not be retried. */
function retryDelay(response: Response, repeatable: boolean, attempt: number): number | undefined {
  if (!(repeatable ? RETRIED_STATUSES : REFUSALS).includes(response.status)) return undefined;
  const retryAfterMs = Number(response.headers.get('retry-after') ?? Number.NaN) * 1000;
  if (!Number.isFinite(retryAfterMs)) return backoff(attempt);
  return retryAfterMs <= MAX_RETRY_AFTER_MS ? retryAfterMs : undefined;
}

/** Discards a response whose body is not needed. Its connection may already be lost. */
const discard = async ({ body }: Response): Promise<void> => await body?.cancel().catch(() => undefined);

/** Sends requests with keys, timeouts and retries. */
export class Sender {
  readonly #options: ClientOptions;
  readonly #baseUrl: string;

  constructor(options: ClientOptions) {
    // `localhost:4000` alone is a URL, whose scheme is `localhost`.
    if (!/^https?:\/\//i.test(options.baseUrl) || !URL.canParse(options.baseUrl))
      throw new TypeError(`baseUrl must be an address such as https://api.example.com, not "${options.baseUrl}"`);
    const secretKey = headerValue('secretKey', options.secretKey);
    const publicKey = headerValue('publicKey', options.publicKey);
    this.#options = { ...options, secretKey, publicKey };
    this.#baseUrl = options.baseUrl.replace(/\/+$/, '');
  }

  /**
   * Returns the result of `read` for a successful response. A response whose body `read` cannot complete counts as lost. Throws
   * `ApiError`, {@link ConnectionError}, or the signal's reason.
   */
  async send<Result>(
    request: ApiRequest<Result>,
    read: (response: Response) => Promise<Result>,
    call: CallOptions = {},
  ): Promise<Result> {
    const retries = call.maxRetries ?? this.#options.maxRetries ?? DEFAULT_RETRIES;
    const init = this.#init(request, call);
    let mayBeDone = false;
    for (let attempt = 0; ; attempt += 1) {
      const isLast = attempt >= retries;
      let delay: number | undefined;
      try {
        const response = await this.#attempt(request, init, call);
        if (response.ok) return await read(response);
        if (response.status === 404 && mayBeDone && request.gone !== undefined) {
          await discard(response);
          return request.gone;
        }
        delay = retryDelay(response, request.repeatable, attempt);
        if (isLast || delay === undefined) throw toApiError(response, await readText(response, call.signal));
        await discard(response);
        // A proxy may have lost the response. 429 is certain, because the rate limit is checked first.
        mayBeDone ||= response.status !== 429;
      } catch (error) {
        if (isLast || !request.repeatable || !(error instanceof ConnectionError)) throw error;
        delay = backoff(attempt);
        mayBeDone = true;
      }
      await wait(delay, call.signal);
    }
  }

  #init({ method, body }: ApiRequest, { idempotencyKey }: CallOptions): RequestInit {
    const { secretKey, publicKey } = this.#options;
    const key = headerValue('idempotencyKey', idempotencyKey) ?? crypto.randomUUID();
    const headers = {
      ...(secretKey ? { authorization: `Bearer ${secretKey}` } : {}),
      ...(publicKey && !secretKey ? { 'x-public-key': publicKey } : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(method === 'POST' ? { 'idempotency-key': key } : {}),
    };
    return { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  }

  async #attempt(request: ApiRequest, init: RequestInit, { signal, timeoutMs: limit }: CallOptions): Promise<Response> {
    const { fetch: send = fetch, timeoutMs = request.timeoutMs ?? DEFAULT_TIMEOUT_MS } = this.#options;
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), limit ?? timeoutMs);
    try {
      return await send(`${this.#baseUrl}${request.path}`, {
        ...init,
        signal: signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal,
      });
    } catch (cause) {
      if (signal?.aborted) throw signal.reason;
      const reason = timeout.signal.aborted ? 'did not answer in time' : 'could not be reached';
      throw new ConnectionError(`${this.#baseUrl} ${reason}.`, { cause });
    } finally {
      clearTimeout(timer);
    }
  }
}
