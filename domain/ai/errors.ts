import { ApiError } from '../../contract/errors.ts';
import type { ProviderFailure } from '../../providers/ai/failures.ts';

/** Seconds to wait where an overloaded provider does not say (design, section 4). */
const OVERLOADED_WAIT = 5;

/** Whose key a call was made with, and to whom. */
export interface Asked {
  providerName: string;
  /** The caller's own key, not ours. */
  saved: boolean;
}

const failed = (message: string) => new ApiError('server_error', message, { status: 502 });

/** What the caller is told of a provider's failure: its own words where they help, and never a key. */
export function toldOf({ kind, words, status, retryAfter }: ProviderFailure, { providerName, saved }: Asked): ApiError {
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
      return new ApiError('rate_limited', message, { retryAfter: retryAfter ?? OVERLOADED_WAIT });
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
