import { ApiError } from '../../contract/errors.ts';
import type { ProviderFailure } from '../../providers/ai/failures.ts';

/** `Retry-After` in seconds if an overloaded provider sends none. */
const OVERLOADED_RETRY_SECONDS = 5;

/** The provider of a call, and the owner of the key that it used. */
export interface ProviderContext {
  providerName: string;
  /** True if the caller's own key was used, not the platform's. */
  saved: boolean;
  requestId: string;
}

const REFUSED = 'refused the request as invalid; check its fields against what the model accepts';
const CONTENT_REFUSED = 'refused the content of the request under its usage policy';
/** Reasons for refusals of calls with the platform's key, by status. */
const REFUSALS: Record<number, string> = {
  404: 'does not offer this model at the moment',
  413: 'refused the request as too large',
};

/** Matches provider messages about the account at the provider, which is the platform's. */
const ABOUT_ACCOUNT =
  /\borgani[sz]ations?\b|\borg\b|\borg[-_]|\bproj(?:ect)?\b|\bproj[-_]|\baccounts?\b|\bworkspaces?\b|\btier\b|\bbilling\b|\bquotas?\b|rate limit|\bper (?:minute|hour|day|month)\b|\[key\]|@|https?:/i;

/** Returns the provider's message about a call with the platform's key, unless it may reveal the platform's account. */
function quotable(words: string | undefined): string | undefined {
  if (!words || ABOUT_ACCOUNT.test(words)) return undefined;
  return /[.!?]$/.test(words) ? words : `${words}.`;
}

/** Returns the end of a failure message: the provider's own message for a call with the caller's key, otherwise the request id in the log. */
function messageEnding({ words }: ProviderFailure, { saved, requestId }: ProviderContext): string {
  if (!saved) return `. Request id: ${requestId}`;
  return words ? `: ${words}` : '.';
}

function describeKeyFailure({ kind, status }: ProviderFailure, providerName: string): string {
  const code = status ? ` (${status})` : '';
  return kind === 'key-refused'
    ? `${providerName} refused your saved key${code}. Check it in the dashboard, under AI, Provider keys.`
    : `The credit or the spending limit of your account with ${providerName} is used up${code}. Raise it there.`;
}

function describeRefusal(failure: ProviderFailure, context: ProviderContext): string {
  const { kind, words, status } = failure;
  const refused = kind === 'content-refused' ? CONTENT_REFUSED : (REFUSALS[status ?? 0] ?? REFUSED);
  const quoted = context.saved ? undefined : quotable(words);
  if (quoted) return `refused the request: ${quoted} Request id: ${context.requestId}`;
  return `${context.saved ? 'refused the request' : refused}${messageEnding(failure, context)}`;
}

const failed = (message: string) => new ApiError('server_error', message, { status: 502 });

/** Creates the error of a call on credits if the platform has no working key for the provider: 502. */
export const notAvailableOnCredits = (providerName: string): ApiError =>
  failed(`${providerName} is not available on credits at the moment. Try again later.`);

/**
 * Converts a provider's failure to the caller's error. The provider's message about a call with the caller's own key is passed on,
 * with anything that looks like a key masked. A message about a call with the platform's key is passed on only if it is about the
 * request: any other may name the platform's organization and its limits. The log has the full message, under the request id.
 */
export function toApiError(failure: ProviderFailure, context: ProviderContext): ApiError {
  const { kind, status, retryAfter } = failure;
  const { providerName } = context;
  switch (kind) {
    case 'key-refused':
    case 'credit-used-up':
      // The caller cannot repair the platform's key. Operators get an alarm.
      return context.saved
        ? new ApiError('invalid_request', describeKeyFailure(failure, providerName))
        : notAvailableOnCredits(providerName);
    case 'content-refused':
    case 'request-refused':
      return new ApiError('invalid_request', `${providerName} ${describeRefusal(failure, context)}`);
    case 'overloaded': {
      const message = `${providerName} is overloaded or has reached a rate limit${messageEnding(failure, context)}`;
      return new ApiError('rate_limited', message, { retryAfter: retryAfter ?? OVERLOADED_RETRY_SECONDS });
    }
    case 'timeout':
      return failed(`${providerName} did not answer in time.`);
    case 'unreachable':
      return failed(`${providerName} could not be reached.`);
    case 'broken':
      return failed(`${providerName} sent an incomplete or invalid response.`);
    default:
      return failed(`${providerName} failed${status ? ` (${status})` : ''}${messageEnding(failure, context)}`);
  }
}
