import { isObject } from '../../contract/json.ts';
import { truncate } from '../../contract/text.ts';

/**
 * Kinds of provider failures. domain/ai/errors.ts turns them into a message, depending on who owns the key.
 * - `key-refused`: 401, 403, and a 400 about the key
 * - `credit-used-up`: 402, and a 400, 403 or 429 about the credit or spending limit of the key's account
 * - `request-refused`: 400, 404, 413, 422
 * - `content-refused`: 403 of a provider whose safety checks refuse the content of the request
 * - `overloaded`: 429, 529 and other errors that report overload
 * - `failed`: other statuses; `timeout`, `unreachable`, `broken`: no response, no connection, an invalid response
 */
export type FailureKind =
  | 'key-refused'
  | 'credit-used-up'
  | 'request-refused'
  | 'content-refused'
  | 'overloaded'
  | 'failed'
  | 'timeout'
  | 'unreachable'
  | 'broken';

/** Returns true if a provider refused the key or the account that it belongs to. */
export const isAboutKey = (kind: FailureKind): boolean => kind === 'key-refused' || kind === 'credit-used-up';

/** A failed call to a provider. `words` is the provider's message, without anything that looks like a key. */
export class ProviderFailure extends Error {
  readonly kind: FailureKind;
  words: string | undefined;
  readonly status: number | undefined;
  /** Seconds to wait, as the provider reported. */
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

  /** Masks the key of the call in the message and then truncates it. Some providers' keys have no form that `KEY_LIKE` could recognize. */
  maskKey(key: string): void {
    const { words = '' } = this;
    const masked = key === '' ? words : words.replaceAll(key, '[key]');
    const cut = masked.length > MAX_MESSAGE_LENGTH ? `${truncate(masked, MAX_MESSAGE_LENGTH)}…` : masked;
    this.words = cut === '' ? undefined : cut;
  }
}

const MAX_MESSAGE_LENGTH = 1000;
/** Characters kept until the key is masked: truncating first could leave a part of the key. */
const MAX_UNMASKED_LENGTH = 2 * MAX_MESSAGE_LENGTH;
/** Account ids that xAI includes when it refuses content. */
const ACCOUNT_IDS = /\b(?:Team|API key ID): [^,\s]+,?\s*/g;
/** Matches providers' keys, whole or masked in the middle. */
const KEY_LIKE = /\b(?:sk|pk|rk|gsk|xai|key|tgp|AIza)[-_A-Za-z0-9*.]{12,}/g;

/** Returns the error object from any of the shapes that providers use: `{error: {…}}`, `[{error: {…}}]`, `{message}`, `{detail}`. */
function findErrorObject(document: unknown): Record<string, unknown> {
  const first: unknown = Array.isArray(document) ? document[0] : document;
  if (!isObject(first)) return {};
  if (isObject(first.error)) return first.error;
  return typeof first.error === 'string' ? { ...first, message: first.error } : first;
}

/** Returns the fields that a FastAPI validator (Mistral) refuses, and why. Leaves out `input`, which is the caller's text. */
function validationProblems(value: unknown): string {
  const details = isObject(value) ? value.detail : value;
  const problems = Array.isArray(details) ? details.filter(isObject) : [];
  const messages = problems.map(({ loc, msg }) => {
    const field = Array.isArray(loc) ? loc.filter((key, index) => index > 0 || key !== 'body').join('.') : '';
    return [field, msg].filter((text) => typeof text === 'string' && text !== '').join(': ');
  });
  return messages.filter(Boolean).join('; ');
}

function messageFrom(error: Record<string, unknown>): string | undefined {
  const message = [error.message, error.detail]
    .map((value) => (typeof value === 'string' ? value : validationProblems(value)))
    .find((text) => text.trim() !== '');
  if (message === undefined) return undefined;
  const plain = message
    .replace(/\p{Cc}+/gu, ' ')
    .replace(ACCOUNT_IDS, '')
    .replace(KEY_LIKE, '[key]')
    .trim();
  return truncate(plain, MAX_UNMASKED_LENGTH);
}

const OVERLOADED = /overloaded|rate_limit|resource_exhausted|too_many_requests/i;
const isOverloaded = ({ type, code, status }: Record<string, unknown>): boolean =>
  [type, code, status].some((value) => typeof value === 'string' && OVERLOADED.test(value));

const CONTENT =
  /violates?\b.*\b(?:guidelines|polic(?:y|ies))|SAFETY_CHECK_TYPE|content_policy|content_filter|moderation|flagged|prompt injection/i;
/** Words of a 403 about our own account: providers may also say that an account's use violates policies. */
const ACCOUNT = /\b(?:accounts?|organi[sz]ation|team|project|access|key)\b/i;
const SHUT = /\b(?:suspended|disabled|banned|blocked|terminated|deactivated|restricted)\b/i;
/** Returns true if a 403 of a provider that checks content is about the content of the request and not about the key. */
function isAboutContent(error: Record<string, unknown>): boolean {
  const { message, code, type, metadata } = error;
  if (isObject(metadata) && 'flagged_input' in metadata) return true;
  if ([ACCOUNT, SHUT].every((pattern) => pattern.test(messageFrom(error) ?? ''))) return false;
  return [message, code, type].some((value) => typeof value === 'string' && CONTENT.test(value));
}

/** Openings of messages about a key (Google, xAI). Only the opening counts, because a message may quote the request later on. */
const KEY = /^(?:api key (?:not valid|not found|expired)|incorrect api key provided)/i;
/** Openings of messages about the credit or the spending limit of the key's account (Anthropic, xAI). */
const CREDIT =
  /^your (?:credit balance is too low|newly created team doesn.t have any credits|team \S+ has either used all available credits)|^you have reached your specified api usage limits/i;

/** Returns the kind of a failure that concerns the key or its account, whatever its status; undefined for any other failure. */
function classifyAccount(status: number | undefined, error: Record<string, unknown>): FailureKind | undefined {
  const { message, code, type, details } = error;
  const words = typeof message === 'string' ? message : '';
  const isEmpty = code === 'insufficient_quota' || type === 'insufficient_quota' || CREDIT.test(words);
  if (status === 402 || isEmpty) return 'credit-used-up';
  const reasons = Array.isArray(details) ? details.filter(isObject).map(({ reason }) => reason) : [];
  return status === 401 || reasons.includes('API_KEY_INVALID') || KEY.test(words) ? 'key-refused' : undefined;
}

/** Google's 400 if it does not serve the platform's region. */
const REGION = /^user location is not supported/i;

function classifyFailure(status: number, error: Record<string, unknown>, checksContent: boolean): FailureKind {
  if (status === 400 && REGION.test(String(error.message))) return 'failed';
  if (status === 403) return checksContent && isAboutContent(error) ? 'content-refused' : 'key-refused';
  if (status === 429 || status === 529) return 'overloaded';
  if ([400, 404, 413, 422].includes(status)) return 'request-refused';
  if (status < 500) return 'failed';
  return isOverloaded(error) || (status === 503 && /overload/i.test(String(error.message))) ? 'overloaded' : 'failed';
}

/**
 * Returns the seconds to wait, from `Retry-After` (seconds or a date), `Retry-After-Ms`, or Google's error detail
 * (`retryDelay: "37.2s"`); undefined if there is none.
 */
function parseRetryAfter(
  headers: Record<string, string | string[] | undefined>,
  { details }: Record<string, unknown>,
): number | undefined {
  const milliseconds = Number(headers['retry-after-ms']);
  if (milliseconds > 0) return Math.ceil(milliseconds / 1000);
  const delay = (Array.isArray(details) ? details.filter(isObject) : []).find(
    ({ retryDelay }) => retryDelay,
  )?.retryDelay;
  const value = headers['retry-after'] ?? (typeof delay === 'string' ? delay.replace(/s$/, '') : undefined);
  if (typeof value !== 'string') return undefined;
  const seconds = /^\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : (Date.parse(value) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(1, Math.ceil(seconds)) : undefined;
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

/**
 * Converts a response with an error status to a failure.
 * @param checksContent true if a 403 may be about the content (registry.ts)
 */
export function parseFailure(
  status: number,
  headers: Record<string, string | string[] | undefined>,
  body: Buffer,
  checksContent = false,
): ProviderFailure {
  const error = findErrorObject(parse(body));
  return new ProviderFailure(classifyAccount(status, error) ?? classifyFailure(status, error, checksContent), {
    status,
    words: messageFrom(error),
    retryAfter: parseRetryAfter(headers, error),
  });
}

/** Converts an error that a provider reports in a stream or in a response with a success status. */
export function parseReportedFailure(document: unknown, checksContent = false): ProviderFailure {
  const error = findErrorObject(document);
  const code = Number(error.code ?? error.status);
  const status = code >= 400 && code < 600 ? code : undefined;
  const other = isOverloaded(error) ? 'overloaded' : status ? classifyFailure(status, error, checksContent) : 'failed';
  return new ProviderFailure(classifyAccount(status, error) ?? other, {
    words: messageFrom(error),
    ...(status ? { status } : {}),
  });
}
