import { type AWS_LIMITS, type AwsLimitName, awsLimit } from '../../contract/limits/aws-limits.ts';
import type { ServiceError } from './wire.ts';

type RateLimits = {
  [Name in AwsLimitName]: (typeof AWS_LIMITS)[Name]['unit'] extends 'requests per second' ? Name : never;
};
export type RateName = RateLimits[AwsLimitName];

/**
 * Durations of intermediate states in a strict run, in milliseconds. AWS names the states and no durations: these are
 * long enough that a client which does not wait for them fails.
 */
export const STRICT_TIMES = {
  /** A new function or version is `Pending` (Lambda Developer Guide, "Lambda function states"). */
  functionPending: 2000,
  /** The `LastUpdateStatus` of a changed function is `InProgress`. */
  functionUpdating: 1500,
  /** A new alias is unknown to other operations: Lambda's control plane is eventually consistent. */
  aliasPropagation: 1000,
  /** A change of a key value store takes so long, and ends with the check of its ETag. */
  keyValueStoreWrite: 150,
  /** Another change of a log group in this time is an OperationAbortedException (API reference of PutRetentionPolicy). */
  logGroupChange: 100,
} as const;

interface Bucket {
  tokens: number;
  at: number;
}

/**
 * Returns a check that takes a token of each of the given rates, or throws `refused()` where one has none. Each rate is
 * a token bucket, as AWS describes them. Without `strict` nothing is refused.
 */
export function createThrottle(
  strict: boolean | undefined,
  refused: () => ServiceError,
  now: () => number = Date.now,
): (...rates: RateName[]) => void {
  const buckets = new Map<RateName, Bucket>();
  const refill = (name: RateName): Bucket => {
    const { value, burst = value } = awsLimit(name);
    const { tokens, at } = buckets.get(name) ?? { tokens: burst, at: now() };
    const bucket = { tokens: Math.min(burst, tokens + ((now() - at) / 1000) * value), at: now() };
    buckets.set(name, bucket);
    return bucket;
  };
  return (...rates) => {
    if (!strict) return;
    const found = rates.map(refill);
    if (found.some(({ tokens }) => tokens < 1)) throw refused();
    for (const bucket of found) bucket.tokens -= 1;
  };
}
