import type { ErrorCode } from '../../contract/errors.ts';

/** A call that failed, as it is shown: the API's sentence, and the request id to quote when asking for help. */
export class Failure extends Error {
  readonly status: number;
  readonly code: ErrorCode | 'unreachable';
  readonly requestId: string | undefined;
  /** Seconds after which a retry gets through. */
  readonly retryAfter: number | undefined;

  constructor(
    message: string,
    { status, code, requestId, retryAfter }: Pick<Failure, 'status' | 'code' | 'requestId' | 'retryAfter'>,
  ) {
    super(message);
    this.name = 'Failure';
    this.status = status;
    this.code = code;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
  }

  /** It may go away by itself: a retry is worth it. */
  get passes(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

/** Whatever was thrown, as a failure: what is none is a connection that broke, or an answer that was not ours. */
export function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error;
  const details = { status: 0, code: 'unreachable' as const, requestId: undefined, retryAfter: undefined };
  return new Failure('The service could not be reached.', details);
}
