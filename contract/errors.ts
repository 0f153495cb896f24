/** The advice to programs at the end of the messages about temporary failures. */
const RETRY_ADVICE = 'It is safe to retry with backoff.';

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
  server_error: { status: 500, message: `Something went wrong on our side. ${RETRY_ADVICE}` },
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

// The dashboard finds the next step after some errors by their message, because the body of a failed request has no other fields. The
// functions that read such a message stand beside those that create it and use the same text, so that they always agree.

/** Creates the error of a service that is unavailable for now. @param problem a sentence, such as `The registry does not answer.` */
export const temporaryFailure = (problem: string, options: { status: 502 | 503; cause?: unknown }) =>
  new ApiError('server_error', `${problem} ${RETRY_ADVICE}`, options);

/** Returns a message as people read it: the advice to programs is shortened. */
export const forPeople = (message: string): string => message.replace(RETRY_ADVICE, 'It is safe to retry.');

/**
 * Creates the error of an invalid field.
 * @param field path of the field, such as `vars.0.key`
 * @param problem predicate, such as `must be a string`
 */
export const invalidField = (field: string, problem: string) => new ApiError('invalid_request', `${field}: ${problem}`);

/** Returns the field that an error names and its problem; undefined for another error. */
export function invalidFieldOf({ code, message }: { code: string; message: string }) {
  const [, field, problem] = /^([^\s:]+): (.+)$/s.exec(message) ?? [];
  return code === 'invalid_request' && field && problem ? { field, problem } : undefined;
}

const MISSING_FUNDS = { before: 'Insufficient wallet balance: R', after: ' is missing' };

/**
 * Creates the error of a payment that exceeds the wallet's balance.
 * @param missing the amount in rand that the balance lacks
 * @param rest the rest of the message after "is missing"
 */
export const missingFunds = (missing: string, rest: string) =>
  new ApiError('insufficient_funds', MISSING_FUNDS.before + missing + MISSING_FUNDS.after + rest);

/** Returns the amount in rand that the wallet lacks for a payment; undefined for another error. */
export const missingAmountOf = ({ message }: { message: string }): string | undefined =>
  message.startsWith(MISSING_FUNDS.before)
    ? message.slice(MISSING_FUNDS.before.length).split(MISSING_FUNDS.after)[0]
    : undefined;

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

const UNKNOWN_OPERATION = 'There is no ';

/** Creates the error for a method and path that are no operation of the API. */
export const unknownOperation = (method: string, path: string, advice: string) =>
  new ApiError('not_found', `${UNKNOWN_OPERATION}${method} ${path}.${advice}`);

/** Returns true if the API does not have an operation: it is older than its caller, or newer. */
export const isUnknownOperation = ({ code, message }: { code: string; message: string }): boolean =>
  code === 'not_found' &&
  message.startsWith(UNKNOWN_OPERATION) &&
  /^[A-Z]+ \//.test(message.slice(UNKNOWN_OPERATION.length));

/** Returns the body of a failed request, in exactly the specified shape. */
export const errorBody = (error: { message: string; code: ErrorCode; status: number }) => ({
  error: { message: error.message, code: error.code, status: error.status },
});
