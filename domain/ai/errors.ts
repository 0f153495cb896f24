import { ApiError } from '../../contract/errors.ts';
import type { ProviderFailure } from '../../providers/ai/failures.ts';

/** Seconds to wait where an overloaded provider does not say (design, section 4). */
const OVERLOADED_RETRY_SECONDS = 5;

/** The provider of a call, and the owner of the key that it used. */
export interface ProviderContext {
  providerName: string;
  /** The caller's own key, not ours. */
  saved: boolean;
  requestId: string;
}

const REFUSED = 'refused the request as invalid; check its fields against what the model accepts';
const CONTENT_REFUSED = 'refused what the request says, by its rules of usage';
/** Sentences for refusals under our own key, by the status. */
const REFUSALS: Record<number, string> = {
  404: 'does not offer this model at the moment',
  413: 'refused the request as too large',
};

/** Words of a provider that are about the account at the provider, and so about ours. */
const ABOUT_ACCOUNT =
  /\borgani[sz]ations?\b|\borg\b|\borg[-_]|\bproj(?:ect)?\b|\bproj[-_]|\baccounts?\b|\bworkspaces?\b|\btier\b|\bbilling\b|\bquotas?\b|rate limit|\bper (?:minute|hour|day|month)\b|\[key\]|@|https?:/i;

/** Returns what a provider said about a request under our own key, where it says nothing about us. */
function quotable(words: string | undefined): string | undefined {
  if (!words || ABOUT_ACCOUNT.test(words)) return undefined;
  return /[.!?]$/.test(words) ? words : `${words}.`;
}

/** Returns the end of a sentence about a failure: what the provider said about a call under the caller's key, or the id under which it is in the log. */
function ending({ words }: ProviderFailure, { saved, requestId }: ProviderContext): string {
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
  return `${context.saved ? 'refused the request' : refused}${ending(failure, context)}`;
}

const failed = (message: string) => new ApiError('server_error', message, { status: 502 });

/**
 * Converts a provider's failure to the caller's error. What the provider said about a call under the caller's own key is
 * passed on, without anything that looks like a key. Of what it said under ours, that is passed on which is about the request:
 * anything else may name our organisation and its limits. All of it goes into the log, under the request id.
 */
export function toApiError(failure: ProviderFailure, context: ProviderContext): ApiError {
  const { kind, status, retryAfter } = failure;
  const { providerName } = context;
  switch (kind) {
    case 'key-refused':
    case 'credit-used-up':
      // Ours: an alarm, and nothing that the caller could do.
      return context.saved
        ? new ApiError('invalid_request', describeKeyFailure(failure, providerName))
        : failed(`${providerName} cannot be reached through us at the moment.`);
    case 'content-refused':
    case 'request-refused':
      return new ApiError('invalid_request', `${providerName} ${describeRefusal(failure, context)}`);
    case 'overloaded': {
      const message = `${providerName} is overloaded or limits how often it may be asked${ending(failure, context)}`;
      return new ApiError('rate_limited', message, { retryAfter: retryAfter ?? OVERLOADED_RETRY_SECONDS });
    }
    case 'timeout':
      return failed(`${providerName} did not answer in time.`);
    case 'unreachable':
      return failed(`${providerName} could not be reached.`);
    case 'broken':
      return failed(`${providerName} sent an answer that breaks off or cannot be understood.`);
    default:
      return failed(`${providerName} failed${status ? ` (${status})` : ''}${ending(failure, context)}`);
  }
}
