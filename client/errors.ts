import type { ErrorBody } from './operations.generated.ts';

/** The codes of the API's errors. */
export type ErrorCode = ErrorBody['error']['code'];

/** The error of a request that the API refused. Handle it by {@link code}; the message is for people. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: ErrorCode;
  /** The id of the request. Quote it when you ask for help. */
  readonly requestId: string | undefined;
  /** Seconds to wait before a retry, if the API gave them. */
  readonly retryAfter: number | undefined;

  constructor({ message, code, status }: ErrorBody['error'], headers: Headers) {
    super(message);
    this.code = code;
    this.status = status;
    this.requestId = headers.get('x-request-id') ?? undefined;
    const seconds = Number(headers.get('retry-after') ?? Number.NaN);
    this.retryAfter = Number.isFinite(seconds) ? seconds : undefined;
  }
}

/** The error of a request without a complete response: the network failed, or the request timed out. `cause` has the reason. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
}

/** Returns the error of a failed request, even if a proxy sent the response instead of the API. */
export function toApiError({ status, headers }: Response, text: string): ApiError {
  try {
    const body: unknown = JSON.parse(text);
    if (isErrorBody(body)) return new ApiError(body.error, headers);
  } catch {
    // Not JSON, but the page of a proxy.
  }
  const message = `The API answered ${status}: ${text.slice(0, 200)}`;
  return new ApiError({ message, code: 'server_error', status }, headers);
}

/** Returns true for the body of an error of the API. */
export function isErrorBody(value: unknown): value is ErrorBody {
  if (typeof value !== 'object' || value === null || !('error' in value)) return false;
  const { error } = value;
  return typeof error === 'object' && error !== null && 'message' in error && 'code' in error && 'status' in error;
}
