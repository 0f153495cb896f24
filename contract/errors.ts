/** Every error code of the API with the status it answers and the sentence used when there is nothing better to say.
 * Source: specification, Errors. */
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

/** A failure the caller is told about: a code, its status and a public sentence. Everything else thrown is a 500. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  /** Seconds after which a retry gets through; sent as `Retry-After`. */
  readonly retryAfter: number | undefined;

  /** @param options its `cause` is for the log alone */
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

/** Creates the error of a request in an account that the login is no member of, or no longer. */
export const notAMember = () => new ApiError('forbidden', `${NOT_A_MEMBER} Choose another account.`);

/** Returns true for the error of a login that is no member of the account. */
export const isNotAMember = ({ code, message }: { code: string; message: string }): boolean =>
  code === 'forbidden' && message.startsWith(NOT_A_MEMBER);

/** The body of every failed request: exactly this shape. */
export const errorBody = (error: { message: string; code: ErrorCode; status: number }) => ({
  error: { message: error.message, code: error.code, status: error.status },
});
