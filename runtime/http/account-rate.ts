import { ApiError } from '../../contract/errors.ts';
import { LIMITS, limitMessage } from '../../contract/limits/limits.ts';
import type { Quota } from '../../domain/accounts/rate-limit.ts';
import { Cache } from '../../domain/cache/cache.ts';
import { AccountRate, type Credential } from '../../table/entities/accounts.ts';
import { upsert } from '../../table/writes.ts';
import { deps } from '../deps.ts';
import { countRequest, isKnownOverLimit, limitOf, Refusal, revertAt, throttlingTo429 } from './rate-limit.ts';

/**
 * The limit over all keys of an account (docs/decisions/0030-limits.md). Each half of a key has a small share that is counted on its own
 * item only; what goes beyond is counted on the account's item as well. The shares and that count together are the limit, so that
 * it is exact, and a key in ordinary use costs no second write.
 */

/** Requests in 60 seconds of each half of a key that the account's item does not count. */
const SHARE = 10;
/** Requests in 60 seconds that the shares of all keys are together. */
const ALL_SHARES = SHARE * 2 * LIMITS.apiKeys.amounts;
/** A key that is younger than the window, in milliseconds, has no share: keys that replace each other would each have one. */
const YOUNG_MS = 61_000;
/** Requests of a secret key in 60 seconds that the number in contract/limits/limits.ts goes with; the local run may allow more. */
const USUAL_KEY_LIMIT = 120;

/** Number of keys of which a warm instance remembers the use. */
const MAX_KEYS = 1000;
/** Keys whose next request is probably beyond their share, and their account: it is counted on both items at the same time. */
const beyondShare = new Cache<string>({ max: MAX_KEYS, now: deps.now });

const accountLimit = (override: unknown): number =>
  typeof override === 'number'
    ? override
    : Math.ceil(LIMITS.requestsPerMinute.amounts * Math.max(1, limitOf('secret') / USUAL_KEY_LIMIT));

const refuse = (quota: Quota, retryAfter: number): Refusal => {
  const message = limitMessage('requestsPerMinute', quota.limit + ALL_SHARES);
  return new Refusal(new ApiError('rate_limited', message, { retryAfter }), quota);
};

const update = async (accountId: string, counters: { add: Record<string, number>; remove: string[] }) => {
  const write = upsert(AccountRate, { accountId }, { ...counters, set: { accountId, entity: AccountRate.type } });
  return (await throttlingTo429(deps.table.write(AccountRate, write))) ?? { accountId };
};

/** Counts a request beyond its key's share. Throws {@link Refusal} 429. */
async function countBeyondShare(accountId: string, now: Date): Promise<void> {
  const count = (counters: { add: Record<string, number>; remove: string[] }) => update(accountId, counters);
  await countRequest(
    `account ${accountId}`,
    ({ limit }: Record<string, unknown>) => Math.max(0, accountLimit(limit) - ALL_SHARES),
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
  const early = known === undefined ? undefined : countBeyondShare(known, now);
  early?.catch(() => undefined);
  let counted: Counted;
  try {
    counted = await countOnKey();
  } catch (error) {
    if (known !== undefined && (await isDone(early))) await update(known, revertAt(now));
    throw error;
  }
  const { credential, quota, revert } = counted;
  const young = credential.createdAt !== undefined && now.getTime() - Date.parse(credential.createdAt) < YOUNG_MS;
  const used = quota.limit - quota.remaining;
  // The next request will be beyond the share: it then takes no round trip more.
  if (young || used >= SHARE) beyondShare.set(hash, credential.accountId);
  else beyondShare.delete(hash);
  if (!young && used <= SHARE) return { credential, quota };
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
