import type { DatabaseAccess } from '../../contract/enums.ts';
import { limitOf } from '../../contract/limits/limits.ts';
import type { Account } from '../../table/entities/accounts.ts';
import { usageOf } from '../limits/limits.ts';

/**
 * The limits of databases, and the multiple of each beyond which the owner opens no connections either. Between the limit and
 * the multiple the owner can delete or export data: room for that is cheap as storage, and dear as processing.
 */
const OWNER_FACTORS = { databaseStorageMib: 2, databaseUnitsPerMonth: 1.25 } as const;
type DatabaseLimit = keyof typeof OWNER_FACTORS;
export const DATABASE_LIMITS = Object.keys(OWNER_FACTORS) as DatabaseLimit[];

/** Returns how much of a limit is used: 1 at the limit. */
function shareOf(account: Account, name: DatabaseLimit, now: Date): number {
  const limit = limitOf(account, name);
  return limit === 0 ? Number.POSITIVE_INFINITY : (usageOf(account, name, now) ?? 0) / limit;
}

/** Returns how much is used of the limit of databases that is fullest: 1 at the limit. */
export const fullestShare = (account: Account, now: Date): number =>
  Math.max(...DATABASE_LIMITS.map((name) => shareOf(account, name, now)));

/** Returns the limit beyond which not even the owner opens connections; undefined where there is none. */
export const limitForOwner = (account: Account, now: Date): DatabaseLimit | undefined =>
  DATABASE_LIMITS.find((name) => shareOf(account, name, now) >= OWNER_FACTORS[name]);

/** Returns who may open connections to the databases of an account. */
export function accessOf(account: Account, now: Date): DatabaseAccess {
  if (limitForOwner(account, now)) return 'NONE';
  return fullestShare(account, now) >= 1 ? 'OWNER' : 'ALL';
}
