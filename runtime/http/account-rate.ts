import { ApiError } from '../../contract/errors.ts';
import { KEYS_WITH_RESERVE, LIMITS, limitMessage } from '../../contract/limits/limits.ts';
import type { Quota } from '../../domain/accounts/rate-limit.ts';
import { Cache } from '../../domain/cache/cache.ts';
import { startEarly } from '../../domain/early.ts';
import { AccountRate, type Credential } from '../../table/entities/accounts.ts';
import { upsert } from '../../table/writes.ts';
import { deps } from '../deps.ts';
import {
  type CountUpdate,
  countRequest,
  isKnownOverLimit,
  limitOf,
  Refusal,
  revertAt,
  throttlingTo429,
} from './rate-limit.ts';

/**
 * The rate limit over all keys of an account (docs/decisions/0030-limits.md). It has three parts. The oldest keys reserve their full
 * rate. Each half of any other key has a small share. Requests within a reserve or a share are counted only on the key's item. The
 * remaining part is counted on the account's item too. Reserves, shares and that part add up to the limit, so the limit is exact, and
 * an ordinary request needs no second write.
 */

/** The share, in requests per 60 seconds, of each half of a key without a reserve. The account's item does not count it. */
const SHARE = 4;
/** A key younger than this, in milliseconds, has neither a reserve nor a share: otherwise keys that replace each other would each have one. */
const YOUNG_MS = 61_000;
/** The rates of a key's halves for which the limit in contract/limits/limits.ts is meant. An installation may allow more. */
const DEFAULT_RATES = { secret: 120, public: 30 };

/** Returns the sum of all reserves and shares, in requests per 60 seconds. */
const uncounted = (): number =>
  KEYS_WITH_RESERVE * (limitOf('secret') + limitOf('public')) +
  (LIMITS.apiKeys.amounts - KEYS_WITH_RESERVE) * 2 * SHARE;

/** The number of keys that a warm instance remembers. */
const MAX_KEYS = 1000;
/** The accounts of keys whose next request is probably beyond their share. It is counted on both items concurrently. */
const beyondShare = new Cache<string>({ max: MAX_KEYS, now: deps.now });

const accountLimit = (override: unknown): number => {
  if (typeof override === 'number') return override;
  const factor = Math.max(1, limitOf('secret') / DEFAULT_RATES.secret, limitOf('public') / DEFAULT_RATES.public);
  return Math.ceil(LIMITS.requestsPerMinute.amounts * factor);
};

/** Returns the requests in 60 seconds that count on the account's item. @param override the account's own limit */
const beyondShares = (override: unknown): number => Math.max(0, accountLimit(override) - uncounted());

const refuse = (quota: Quota, retryAfter: number): Refusal => {
  const message = limitMessage('requestsPerMinute', quota.limit + uncounted());
  return new Refusal(new ApiError('rate_limited', message, { retryAfter }), quota);
};

const update = async (accountId: string, counters: CountUpdate) => {
  const set = { ...counters.set, accountId };
  const write = upsert(AccountRate, { accountId }, { ...counters, set });
  return (await throttlingTo429(beyondShares(undefined), deps.table.write(AccountRate, write))) ?? { accountId };
};

/** Counts a request beyond its key's share. Throws {@link Refusal} 429. */
async function countBeyondShare(accountId: string, now: Date): Promise<void> {
  const count = (counters: CountUpdate) => update(accountId, counters);
  await countRequest(
    `account ${accountId}`,
    ({ limit }: Record<string, unknown>) => beyondShares(limit),
    now,
    count,
    refuse,
  );
}

interface Counted {
  credential: Credential;
  quota: Quota;
  /** Reverts the count on the key's item. */
  revert(): Promise<unknown>;
}

/**
 * Counts a request on the item of its key and, if it is beyond the key's share, on the item of the account. For a key that was
 * recently beyond its share, both writes run concurrently. A request that either item refuses is counted on neither. Throws
 * {@link Refusal} 429.
 *
 * @param hash identifies the key
 * @param countOnKey counts on the key's item; throws 401 and 429
 */
export async function countOnAccount(
  hash: string,
  now: Date,
  countOnKey: () => Promise<Counted>,
): Promise<Pick<Counted, 'credential' | 'quota'>> {
  const known = isKnownOverLimit(hash) ? undefined : beyondShare.get(hash);
  const early = known === undefined ? undefined : startEarly(countBeyondShare(known, now));
  let counted: Counted;
  try {
    counted = await countOnKey();
  } catch (error) {
    if (known !== undefined && (await isDone(early))) await update(known, revertAt(now));
    throw error;
  }
  const { credential, quota, revert } = counted;
  const young = credential.createdAt !== undefined && now.getTime() - Date.parse(credential.createdAt) < YOUNG_MS;
  const share = credential.hasReserve ? Number.POSITIVE_INFINITY : SHARE;
  const used = quota.limit - quota.remaining;
  // The next request will be beyond the share. With both writes concurrent, it takes no extra round trip.
  if (young || used >= share) beyondShare.set(hash, credential.accountId);
  else beyondShare.delete(hash);
  if (!young && used <= share) return { credential, quota };
  try {
    await (early ?? countBeyondShare(credential.accountId, now));
  } catch (error) {
    await revert();
    throw error;
  }
  return { credential, quota };
}

const isDone = async (work: Promise<unknown> | undefined): Promise<boolean> =>
  (await work?.then(() => true).catch(() => false)) ?? false;
