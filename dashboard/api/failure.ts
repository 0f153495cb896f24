import { type ErrorCode, forPeople } from '../../contract/errors.ts';

/** A failed API call as screens show it: the API's message, and the request id to quote to support. */
export class Failure extends Error {
  readonly status: number;
  readonly code: ErrorCode | 'unreachable';
  readonly requestId: string | undefined;
  /** Seconds to wait before a retry. */
  readonly retryAfter: number | undefined;

  /** @param message the API's message; its advice for programs is shortened */
  constructor(
    message: string,
    { status, code, requestId, retryAfter }: Pick<Failure, 'status' | 'code' | 'requestId' | 'retryAfter'>,
  ) {
    super(forPeople(message));
    this.name = 'Failure';
    this.status = status;
    this.code = code;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
  }

  /** True if a retry may succeed. */
  get isTransient(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

/** Converts a thrown value. Anything but a {@link Failure} is a broken connection or a response that is not the API's. */
export function toFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  const details = { status: 0, code: 'unreachable' as const, requestId: undefined, retryAfter: undefined };
  return new Failure('The service could not be reached. Check your connection and try again.', details);
}
