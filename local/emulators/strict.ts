import { type AWS_LIMITS, type AwsLimitName, awsLimit } from '../../contract/limits/aws-limits.ts';
import type { ServiceError } from './wire.ts';

type RateLimits = {
  [Name in AwsLimitName]: (typeof AWS_LIMITS)[Name]['unit'] extends 'requests per second' ? Name : never;
};
export type RateName = RateLimits[AwsLimitName];

/**
 * Durations of intermediate states in a strict run, in milliseconds. AWS documents the states but not their durations. These are
 * long enough that a client fails if it does not wait.
 */
export const STRICT_TIMES = {
  /** A new function or version is `Pending` (Lambda Developer Guide, "Lambda function states"). */
  functionPending: 2000,
  /** The `LastUpdateStatus` of a changed function is `InProgress`. */
  functionUpdating: 1500,
  /** A new alias is unknown to other operations: Lambda's control plane is eventually consistent. */
  aliasPropagation: 1000,
  /** Duration of a change of a key value store. The ETag is checked at its end. */
  keyValueStoreWrite: 150,
  /** Duration of a change of a log group. Another change in this time is an OperationAbortedException (API reference of PutRetentionPolicy). */
  logGroupChange: 100,
} as const;

interface Bucket {
  tokens: number;
  at: number;
}

/**
 * Returns a function that consumes a token of each of the given rates, or throws the error of `createError` if one of them has
 * none. Each rate is a token bucket, as AWS describes it. Unless `strict`, the function never throws.
 */
export function createThrottle(
  strict: boolean | undefined,
  createError: () => ServiceError,
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
    const refilled = rates.map(refill);
    if (refilled.some(({ tokens }) => tokens < 1)) throw createError();
    for (const bucket of refilled) bucket.tokens -= 1;
  };
}
