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
 * The limit over all keys of an account (docs/decisions/0030-limits.md). The first keys of an account have their whole limit reserved
 * within it, and each half of any other key a small share: these count on the key's own item only. What goes beyond a share is counted
 * on the account's item as well. Reserves, shares and that count together are the limit, so that it is exact, and a request in ordinary
 * use costs no second write.
 */

/** Requests in 60 seconds of each half of a key without a reserve that the account's item does not count. */
const SHARE = 4;
/** A key that is younger than the window, in milliseconds, has neither: keys that replace each other would each have one. */
const YOUNG_MS = 61_000;
/** Requests of a key's halves in 60 seconds that the number in contract/limits/limits.ts goes with; an installation may allow more. */
const USUAL = { secret: 120, public: 30 };

/** Requests in 60 seconds that the reserves and the shares of all keys are together. */
const uncounted = (): number =>
  KEYS_WITH_RESERVE * (limitOf('secret') + limitOf('public')) +
  (LIMITS.apiKeys.amounts - KEYS_WITH_RESERVE) * 2 * SHARE;

/** Number of keys of which a warm instance remembers the use. */
const MAX_KEYS = 1000;
/** Keys whose next request is probably beyond their share, and their account: it is counted on both items at the same time. */
const beyondShare = new Cache<string>({ max: MAX_KEYS, now: deps.now });

const accountLimit = (override: unknown): number => {
  if (typeof override === 'number') return override;
  const times = Math.max(1, limitOf('secret') / USUAL.secret, limitOf('public') / USUAL.public);
  return Math.ceil(LIMITS.requestsPerMinute.amounts * times);
};

const refuse = (quota: Quota, retryAfter: number): Refusal => {
  const message = limitMessage('requestsPerMinute', quota.limit + uncounted());
  return new Refusal(new ApiError('rate_limited', message, { retryAfter }), quota);
};

const update = async (accountId: string, counters: CountUpdate) => {
  const set = { ...counters.set, accountId };
  const write = upsert(AccountRate, { accountId }, { ...counters, set });
  return (await throttlingTo429(deps.table.write(AccountRate, write))) ?? { accountId };
};

/** Counts a request beyond its key's share. Throws {@link Refusal} 429. */
async function countBeyondShare(accountId: string, now: Date): Promise<void> {
  const count = (counters: CountUpdate) => update(accountId, counters);
  await countRequest(
    `account ${accountId}`,
    ({ limit }: Record<string, unknown>) => Math.max(0, accountLimit(limit) - uncounted()),
    now,
    count,
    refuse,
  );
}

interface Counted {
  credential: Credential;
  quota: Quota;
  /** Takes the count on the key's item back. */
  revert(): Promise<unknown>;
}

/**
 * Counts a request on its key's item, and on the account's where it is beyond the key's share: at the same time for a key that was so
 * recently. A request that either refuses counts on neither. Throws {@link Refusal} 429.
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
  // The next request will be beyond the share: it then takes no round trip more.
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
