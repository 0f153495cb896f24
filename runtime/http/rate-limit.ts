import { ApiError } from '../../contract/errors.ts';
import { countAt, evaluateQuota, type Quota } from '../../domain/accounts/rate-limit.ts';
import { Cache } from '../../domain/cache/cache.ts';
import { AnonymousClient } from '../../table/entities/accounts.ts';
import { upsert } from '../../table/writes.ts';
import { config } from '../config.ts';
import { deps } from '../deps.ts';

type SenderKind = 'login' | 'secret' | 'public' | 'anonymous';

/** Returns the number of requests that a kind of sender may make in any 60 seconds. */
export const limitOf = (kind: SenderKind): number =>
  config[`RATE_LIMIT_${kind.toUpperCase() as Uppercase<SenderKind>}`];

/** A refusal of a sender whose request has been counted: the error, and the quota that the response reports. */
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

/** Number of senders of which a warm instance remembers anything. */
const MAX_SENDERS = 1000;

/** Senders that this instance knows to be over their limit, until they may call again. */
const overLimit = new Cache<{ quota: Quota; until: number }>({ max: MAX_SENDERS, now: deps.now });

/** Checks whether this instance refuses a sender without a table call. */
export const isKnownOverLimit = (sender: string): boolean => overLimit.get(sender) !== undefined;

/** Counters that have left the window, by sender: its next request removes them. */
const staleCounters = new Cache<string[]>({ max: MAX_SENDERS });

/** The update that takes the count of a request back; its second is then not full. */
export const revertAt = (now: Date): CountUpdate => ({ set: {}, add: countAt(now, -1), remove: ['fullAt'] });

export interface CountUpdate {
  set: Record<string, number>;
  add: Record<string, number>;
  remove: string[];
}
/** Adds to the sender's counters, sets and removes others; returns the item as it then is. */
export type Count<T> = (update: CountUpdate) => Promise<T>;

/**
 * Counts one request of a sender. Throws {@link Refusal} 429 over the limit, without a table call if this instance
 * already knows it.
 *
 * @param limit requests in 60 seconds, or how the sender's item tells it
 * @param refusal makes the error
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
    // A refused request does not count, so its count is reverted. Until `until`, this instance refuses without a table call.
    overLimit.set(sender, { quota, until: now.getTime() + retryAfter * 1000 }, retryAfter * 1000);
    await count({ set: fullAt === undefined ? {} : { fullAt }, add: countAt(now, -1), remove: stale });
    throw refusal(quota, retryAfter);
  }
  if (staleLimitReached) await count({ set: {}, add: countAt(now, 0), remove: stale });
  else if (stale.length > 0) staleCounters.set(sender, stale);
  return { item, quota };
}

const isThrottling = (error: unknown) =>
  error instanceof Error && /Throttl|ThroughputExceeded|LimitExceeded/.test(error.name);

/** Turns DynamoDB's throttling of a sender's item into 429: an item accepts a limited number of writes per second. */
export async function throttlingTo429<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (isThrottling(error)) throw new ApiError('rate_limited', 'Too many requests at once.', { retryAfter: 1 });
    throw error;
  }
}

/** Time in seconds until the counters of an anonymous client are deleted. */
const ANONYMOUS_TTL_S = 3600;

/**
 * Counts a request that no credentials identify, so that guessing is limited too. Throws {@link Refusal} 429.
 *
 * @param address what it is counted by: the client's network, after a prefix where it has a limit of its own
 */
export async function countAnonymous(address: string, limit: number = limitOf('anonymous')): Promise<Quota> {
  const now = deps.now();
  const expiresAtEpoch = Math.floor(now.getTime() / 1000) + ANONYMOUS_TTL_S;
  const { quota } = await countRequest(`anonymous ${address}`, limit, now, async (update) => {
    const write = upsert(AnonymousClient, { address }, { ...update, set: { ...update.set, address, expiresAtEpoch } });
    return (await throttlingTo429(deps.table.write(AnonymousClient, write))) ?? { address };
  });
  return quota;
}
