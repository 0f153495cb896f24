import { ApiError } from '../../contract/errors.ts';
import type { ProviderFailure } from '../../providers/ai/failures.ts';

/** Seconds to wait where an overloaded provider does not say (design, section 4). */
const OVERLOADED_RETRY_SECONDS = 5;

/** The provider of a call, and the owner of the key that it used. */
export interface ProviderContext {
  providerName: string;
  /** The caller's own key, not ours. */
  saved: boolean;
}

const failed = (message: string) => new ApiError('server_error', message, { status: 502 });

/** Converts a provider's failure to the caller's error: the provider's message where it helps, and never a key. */
export function toApiError(
  { kind, words, status, retryAfter }: ProviderFailure,
  { providerName, saved }: ProviderContext,
): ApiError {
  const said = words ? `: ${words}` : '.';
  switch (kind) {
    case 'key-refused': {
      // Ours: an alarm, and nothing that the caller could do.
      if (!saved) return failed(`${providerName} cannot be reached through us at the moment.`);
      const refused = `${providerName} refused your saved key (${status}). Check it in the dashboard, under AI providers.`;
      return new ApiError('invalid_request', refused);
    }
    case 'request-refused':
      return new ApiError('invalid_request', `${providerName} refused the request${said}`);
    case 'overloaded': {
      const message = `${providerName} is overloaded or limits how often it may be asked${said}`;
      return new ApiError('rate_limited', message, { retryAfter: retryAfter ?? OVERLOADED_RETRY_SECONDS });
    }
    case 'timeout':
      return failed(`${providerName} did not answer in time.`);
    case 'unreachable':
      return failed(`${providerName} could not be reached.`);
    case 'broken':
      return failed(`${providerName} sent an answer that breaks off or cannot be understood.`);
    default:
      return failed(`${providerName} failed${status ? ` (${status})` : ''}${said}`);
  }
}
