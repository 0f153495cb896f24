/** The error codes of the API, each with its status and its default message (specification, Errors). */
export const ERRORS = {
  invalid_request: { status: 400, message: 'The request is missing something or has an invalid value.' },
  unauthorized: { status: 401, message: 'A valid API key is needed: Authorization: Bearer <API_KEY>.' },
  plan_limit: { status: 402, message: 'Your plan does not allow this.' },
  insufficient_funds: { status: 402, message: 'Insufficient wallet balance. Top up first.' },
  insufficient_credits: {
    status: 402,
    message:
      'The AI credit balance is below R0.50. Buy credits, or save your own key of the provider, in the dashboard.',
  },
  forbidden: { status: 403, message: 'This key may not be used here.' },
  insufficient_scope: { status: 403, message: 'This key lacks the scope that the operation needs.' },
  not_found: { status: 404, message: 'Not found.' },
  conflict: { status: 409, message: 'Conflicts with the current state.' },
  rate_limited: { status: 429, message: 'Too many requests.' },
  server_error: { status: 500, message: 'Something went wrong on our side. It is safe to retry with backoff.' },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorCode = keyof typeof ERRORS;

/** A public error: a code, its status and a message for the caller. Any other error that is thrown becomes a 500. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  /** Seconds until a retry can succeed; sent as `Retry-After`. */
  readonly retryAfter: number | undefined;

  /** @param options `cause` is only logged */
  constructor(
    code: ErrorCode,
    message?: string,
    options: { status?: 502 | 503; retryAfter?: number; cause?: unknown } = {},
  ) {
    super(message ?? ERRORS[code].message, { cause: options.cause });
    this.name = 'ApiError';
    this.code = code;
    this.status = options.status ?? ERRORS[code].status;
    this.retryAfter = options.retryAfter;
  }
}

const ACCOUNT_SUSPENDED = 'This account is suspended: ';

/** Returns the sentence that says why an account is suspended. */
export const suspensionMessage = (reason: string): string => ACCOUNT_SUSPENDED + reason;

/** Creates the error for a key or login of a suspended account. */
export const accountSuspended = (reason: string) => new ApiError('forbidden', suspensionMessage(reason));

/** Returns true for the error of a suspended account. */
export const isAccountSuspended = ({ code, message }: { code: string; message: string }): boolean =>
  code === 'forbidden' && message.startsWith(ACCOUNT_SUSPENDED);

const NOT_A_MEMBER = 'This login is not a member of the account.';

/** Creates the error for a login that is not, or no longer, a member of the account. */
export const notAMember = () => new ApiError('forbidden', `${NOT_A_MEMBER} Choose another account.`);

/** Returns true for the error of a login that is not a member of the account. */
export const isNotAMember = ({ code, message }: { code: string; message: string }): boolean =>
  code === 'forbidden' && message.startsWith(NOT_A_MEMBER);

/** Returns the body of a failed request, in exactly the specified shape. */
export const errorBody = (error: { message: string; code: ErrorCode; status: number }) => ({
  error: { message: error.message, code: error.code, status: error.status },
});
