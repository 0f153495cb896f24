import { ApiError } from '../../contract/errors.ts';
import { countAt, evaluateQuota, type Quota, uncountedQuota } from '../../domain/accounts/rate-limit.ts';
import { Cache } from '../../domain/cache/cache.ts';
import { AnonymousClient } from '../../table/entities/accounts.ts';
import { epoch } from '../../table/entity.ts';
import { isThrottling } from '../../table/refusals.ts';
import { upsert } from '../../table/writes.ts';
import { config } from '../config.ts';
import { deps } from '../deps.ts';

type SenderKind = 'login' | 'secret' | 'public' | 'anonymous';

/** Returns the number of requests that a kind of sender may make in any 60 seconds. */
export const limitOf = (kind: SenderKind): number =>
  config[`RATE_LIMIT_${kind.toUpperCase() as Uppercase<SenderKind>}`];

/** The refusal of a request that has been counted: the error, and the quota for the response. */
export class Refusal extends Error {
  readonly error: ApiError;
  readonly quota: Quota;

  constructor(error: ApiError, quota: Quota) {
    super(error.message);
    this.error = error;
    this.quota = quota;
  }
}

const tooManyRequests = (quota: Quota, retryAfter: number) => {
  const message = `Too many requests: ${quota.limit} in 60 seconds. Wait ${retryAfter} s.`;
  return new Refusal(new ApiError('rate_limited', message, { retryAfter }), quota);
};

/** The number of senders that a warm instance remembers. */
const MAX_SENDERS = 1000;

/** Senders that this instance knows to be over their limit, and the time until which they are. */
const overLimit = new Cache<{ quota: Quota; until: number }>({ max: MAX_SENDERS, now: deps.now });

/** Returns true if this instance refuses a sender without a table call. */
export const isKnownOverLimit = (sender: string): boolean => overLimit.get(sender) !== undefined;

/** Counters that have left the window, by sender. The sender's next request removes them. */
const staleCounters = new Cache<string[]>({ max: MAX_SENDERS });

/** Returns the update that reverts the count of a request, after which its second is no longer full. */
export const revertAt = (now: Date): CountUpdate => ({ set: {}, add: countAt(now, -1), remove: ['fullAt'] });

export interface CountUpdate {
  set: Record<string, number>;
  add: Record<string, number>;
  remove: string[];
}
/** Updates a sender's counters and returns the updated item. */
export type Count<T> = (update: CountUpdate) => Promise<T>;

/**
 * Counts a request of a sender. Throws {@link Refusal} 429 over the limit, without a table call if this instance already knows that
 * the sender is over it.
 *
 * @param limit requests in 60 seconds, or a function that returns them for the sender's item
 * @param refusal creates the error
 */
export async function countRequest<T extends Record<string, unknown>>(
  sender: string,
  limit: number | ((item: T) => number),
  now: Date,
  count: Count<T>,
  refusal: (quota: Quota, retryAfter: number) => Refusal = tooManyRequests,
): Promise<{ item: T; quota: Quota }> {
  const known = overLimit.get(sender);
  if (known) throw refusal(known.quota, Math.max(1, Math.ceil((known.until - now.getTime()) / 1000)));
  const item = await count({ set: {}, add: countAt(now), remove: staleCounters.get(sender) ?? [] });
  const quota = evaluateQuota(item, now, typeof limit === 'number' ? limit : limit(item));
  const { retryAfter, fullAt, stale, staleLimitReached } = quota;
  staleCounters.delete(sender);
  if (retryAfter !== undefined) {
    // A refused request must not count, so its count is reverted. Until `until`, this instance refuses without a table call.
    overLimit.set(sender, { quota, until: now.getTime() + retryAfter * 1000 }, retryAfter * 1000);
    await count({ set: fullAt === undefined ? {} : { fullAt }, add: countAt(now, -1), remove: stale });
    throw refusal(quota, retryAfter);
  }
  if (staleLimitReached) await count({ set: {}, add: countAt(now, 0), remove: stale });
  else if (stale.length > 0) staleCounters.set(sender, stale);
  return { item, quota };
}

/**
 * Turns DynamoDB's throttling of a sender's item into 429: throws {@link Refusal}. An item accepts only a limited number of writes per
 * second.
 *
 * @param limit the sender's requests in 60 seconds, for the response
 */
export async function throttlingTo429<T>(limit: number, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!isThrottling(error)) throw error;
    const refusal = new ApiError('rate_limited', 'Too many requests at once.', { retryAfter: 1 });
    throw new Refusal(refusal, uncountedQuota(limit, deps.now()));
  }
}

/** The time in seconds after which the counters of an anonymous client are deleted. */
const ANONYMOUS_TTL_S = 3600;

/**
 * Counts a request by an address instead of by credentials, so that guessing is limited too. Throws {@link Refusal} 429.
 *
 * @param address the client's network, with a prefix for requests that have their own limit
 */
export async function countAnonymous(address: string, limit: number = limitOf('anonymous')): Promise<Quota> {
  const now = deps.now();
  const expiresAtEpoch = epoch(now) + ANONYMOUS_TTL_S;
  const { quota } = await countRequest(`anonymous ${address}`, limit, now, async (update) => {
    const write = upsert(AnonymousClient, { address }, { ...update, set: { ...update.set, address, expiresAtEpoch } });
    return (await throttlingTo429(limit, deps.table.write(AnonymousClient, write))) ?? { address };
  });
  return quota;
}
