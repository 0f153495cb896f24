import { readText } from './body.ts';
import { ConnectionError, toApiError } from './errors.ts';

export interface ClientOptions {
  /** The address of the platform: `https://api.example.com`. */
  baseUrl: string;
  /** `sk_live_…`; for servers only. */
  secretKey?: string | undefined;
  /** `pk_live_…`; may be used in browsers, for the catalogue and the list of models. */
  publicKey?: string | undefined;
  /** Retries of a request that may get through later; 2 where not given. */
  maxRetries?: number | undefined;
  /** The longest time that one attempt waits for its answer's first byte, in milliseconds; 60,000 where not given, 125,000 for a chat. */
  timeoutMs?: number | undefined;
  /** Sends in place of the global `fetch`. */
  fetch?: typeof fetch | undefined;
}

export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** Repeats with the same key get the first response; where not given, retries of one call share a key of their own. */
  idempotencyKey?: string | undefined;
  timeoutMs?: number | undefined;
  maxRetries?: number | undefined;
}

export interface ApiRequest<Result = unknown> {
  method: string;
  /** Path and query. */
  path: string;
  body?: unknown;
  /** True where a repeated request has no further effect, also when its answer was lost. */
  repeatable: boolean;
  /** Time limit where the caller gives none. */
  timeoutMs?: number;
  /** The result of a deletion whose repetition finds nothing any more, because an attempt whose answer was lost has succeeded. */
  gone?: Result;
}

const DEFAULT_RETRIES = 2;
const DEFAULT_TIMEOUT_MS = 60_000;
const BASE_DELAY_MS = 500;
const MAX_DELAY_MS = 8_000;
/** A client waits no longer than this for a limit: its caller decides about more, by the error's `retryAfter`. */
const MAX_RETRY_AFTER_MS = 60_000;
/** Answers after which a request may get through later. */
const RETRIED_STATUSES = [429, 500, 502, 503, 504];
/** Of these, the ones that say that nothing was done. */
const REFUSALS = [429, 502, 503];

/**
 * Returns a value for a header, without the space, line end or byte order mark around it. Refuses what no header can hold: `fetch`
 * would fail as if the network had, and its message may show a key. @throws TypeError
 */
function sendable(name: string, value: string | undefined): string | undefined {
  const trimmed = value?.trim();
  if (trimmed !== undefined && !/^[\t\x20-\x7e\x80-\xff]*$/.test(trimmed))
    throw new TypeError(`${name} has a character that cannot be sent in a header. Was it copied whole?`);
  return trimmed;
}

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

/** Exponential, with half of it random, so that clients that failed together do not return together. */
const backoff = (attempt: number): number =>
  Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** attempt) * (1 - Math.random() / 2);

/** Returns how long to wait before a retry in milliseconds; undefined where it must not be retried. */
function retryDelay(response: Response, repeatable: boolean, attempt: number): number | undefined {
  if (!(repeatable ? RETRIED_STATUSES : REFUSALS).includes(response.status)) return undefined;
  const told = Number(response.headers.get('retry-after') ?? Number.NaN) * 1000;
  if (!Number.isFinite(told)) return backoff(attempt);
  return told <= MAX_RETRY_AFTER_MS ? told : undefined;
}

/** Ends a response whose body is not needed; its connection may be lost already. */
const discard = async ({ body }: Response): Promise<void> => await body?.cancel().catch(() => undefined);

/** Sends requests: with the keys, a time limit and retries. */
export class Sender {
  readonly #options: ClientOptions;
  readonly #baseUrl: string;

  constructor(options: ClientOptions) {
    // `localhost:4000` alone is a URL, whose scheme is `localhost`.
    if (!/^https?:\/\//i.test(options.baseUrl) || !URL.canParse(options.baseUrl))
      throw new TypeError(`baseUrl must be an address such as https://api.example.com, not "${options.baseUrl}"`);
    const secretKey = sendable('secretKey', options.secretKey);
    const publicKey = sendable('publicKey', options.publicKey);
    this.#options = { ...options, secretKey, publicKey };
    this.#baseUrl = options.baseUrl.replace(/\/+$/, '');
  }

  /**
   * Returns what `read` makes of a successful response. A response whose body `read` cannot complete is a lost one. Throws
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
        // A proxy may have lost the answer; the rate limit is checked first.
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
    const key = sendable('idempotencyKey', idempotencyKey) ?? crypto.randomUUID();
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
