/**
 * What a provider's failure means, apart from whose key it was and what the caller is told (domain/ai/errors.ts):
 * - `key-refused`: 401, 402, 403
 * - `request-refused`: 400, 404, 413, 422
 * - `overloaded`: 429, 529 and whatever says so in words
 * - `failed`: other statuses; `timeout`, `unreachable`, `broken`: no answer, no connection, not what it should be
 */
export type FailureKind =
  | 'key-refused'
  | 'request-refused'
  | 'overloaded'
  | 'failed'
  | 'timeout'
  | 'unreachable'
  | 'broken';

/** A provider did not do what it was asked. `words` are its own, without anything that looks like a key. */
export class ProviderFailure extends Error {
  readonly kind: FailureKind;
  readonly words: string | undefined;
  readonly status: number | undefined;
  /** Seconds, as the provider said. */
  readonly retryAfter: number | undefined;

  constructor(
    kind: FailureKind,
    more: { words?: string | undefined; status?: number; retryAfter?: number | undefined },
  ) {
    super(`${kind}${more.status ? ` ${more.status}` : ''}`);
    this.name = 'ProviderFailure';
    this.kind = kind;
    this.words = more.words;
    this.status = more.status;
    this.retryAfter = more.retryAfter;
  }
}

const LONGEST_WORDS = 1000;
/** What keys of the providers look like, whole or with stars in the middle. */
const KEY_LIKE = /\b(?:sk|pk|rk|gsk|xai|key|tgp|AIza)[-_A-Za-z0-9*.]{12,}/g;

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** The error object in any of the shapes that providers use: `{error: {…}}`, `[{error: {…}}]`, `{message}`, `{detail}`. */
function errorObject(document: unknown): Record<string, unknown> {
  const first: unknown = Array.isArray(document) ? document[0] : document;
  if (!isObject(first)) return {};
  if (isObject(first.error)) return first.error;
  return typeof first.error === 'string' ? { message: first.error } : first;
}

function wordsOf(error: Record<string, unknown>): string | undefined {
  const said = [error.message, error.detail].find((each) => typeof each === 'string' && each.trim() !== '');
  if (typeof said !== 'string') return undefined;
  const plain = said
    .replace(/\p{Cc}+/gu, ' ')
    .replace(KEY_LIKE, '[key]')
    .trim();
  return plain.length > LONGEST_WORDS ? `${plain.slice(0, LONGEST_WORDS)}…` : plain;
}

const OVERLOADED = /overloaded|rate_limit|resource_exhausted|insufficient_quota|too_many_requests/i;
const saysOverloaded = ({ type, code, status }: Record<string, unknown>): boolean =>
  [type, code, status].some((each) => typeof each === 'string' && OVERLOADED.test(each));

function kindOf(status: number, error: Record<string, unknown>): FailureKind {
  if (status === 401 || status === 402 || status === 403) return 'key-refused';
  if (status === 429 || status === 529) return 'overloaded';
  if (status === 400 || status === 404 || status === 413 || status === 422) return 'request-refused';
  if (status === 503 && (saysOverloaded(error) || /overload/i.test(String(error.message)))) return 'overloaded';
  return saysOverloaded(error) && status >= 500 ? 'overloaded' : 'failed';
}

/** `Retry-After` as seconds, whether it came as seconds, as a date or in milliseconds; undefined when it says nothing. */
function retryAfterOf(headers: Record<string, string | string[] | undefined>, now: number): number | undefined {
  const milliseconds = Number(headers['retry-after-ms']);
  if (milliseconds > 0) return Math.ceil(milliseconds / 1000);
  const said = headers['retry-after'];
  if (typeof said !== 'string') return undefined;
  const seconds = /^\d+(\.\d+)?$/.test(said.trim()) ? Number(said) : (Date.parse(said) - now) / 1000;
  return Number.isFinite(seconds) ? Math.max(1, Math.ceil(seconds)) : undefined;
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** What an answer with a status of failure means. */
export function failureOf(
  status: number,
  headers: Record<string, string | string[] | undefined>,
  body: Buffer,
  now = Date.now(),
): ProviderFailure {
  const error = errorObject(parse(body));
  return new ProviderFailure(kindOf(status, error), {
    status,
    words: wordsOf(error),
    retryAfter: retryAfterOf(headers, now),
  });
}

/** What an error means that a provider reports in a stream, or under a status of success. */
export function reported(document: unknown): ProviderFailure {
  const error = errorObject(document);
  const code = Number(error.code ?? error.status);
  const status = code >= 400 && code < 600 ? code : undefined;
  const kind = saysOverloaded(error) ? 'overloaded' : status ? kindOf(status, error) : 'failed';
  return new ProviderFailure(kind, { words: wordsOf(error), ...(status ? { status } : {}) });
}
