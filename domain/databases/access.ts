import type { DatabaseAccess } from '../../contract/enums.ts';
import { LIMITS, limitOf } from '../../contract/limits/limits.ts';
import type { Account } from '../../table/entities/accounts.ts';
import { usageOf } from '../limits/limits.ts';

/** The names of the limits that apply to the use of databases. */
export const DATABASE_LIMITS = ['databaseStorageMib', 'databaseUnitsPerMonth'] as const;
type DatabaseLimit = (typeof DATABASE_LIMITS)[number];

/** Minimum storage at which the owner is refused, in MiB, on every plan: twice the limit of the largest plan. */
const MIN_OWNER_MIB = 2 * LIMITS.databaseStorageMib.amounts[3];

/**
 * The use at which the owner is refused too. Below it, the owner can still delete or export data. The bound for storage is far above
 * the limit, even after a change to a smaller plan: stored data costs little while no application adds to it. The bound for
 * processing is close to the limit, because the owner's connections add to it.
 */
const OWNER_LIMITS: Readonly<Record<DatabaseLimit, (limit: number) => number>> = {
  databaseStorageMib: (limit) => Math.max(2 * limit, MIN_OWNER_MIB),
  databaseUnitsPerMonth: (limit) => 1.25 * limit,
};

/** Returns the first limit of databases whose use has reached a bound. A limit of 0 is always reached. */
function findReached(account: Account, now: Date, boundOf: (name: DatabaseLimit, limit: number) => number) {
  return DATABASE_LIMITS.find((name) => {
    const limit = limitOf(account, name);
    return limit === 0 || (usageOf(account, name, now) ?? 0) >= boundOf(name, limit);
  });
}

/** Returns true if the use has reached this share of any limit of databases. */
export const isUsed = (account: Account, share: number, now: Date): boolean =>
  findReached(account, now, (_, limit) => share * limit) !== undefined;

/** Returns the limit that keeps even the owner from connecting; undefined if the owner may connect. */
export const limitForOwner = (account: Account, now: Date): DatabaseLimit | undefined =>
  findReached(account, now, (name, limit) => OWNER_LIMITS[name](limit));

/** Returns who may open connections to the databases of an account. */
export function accessOf(account: Account, now: Date): DatabaseAccess {
  if (limitForOwner(account, now)) return 'NONE';
  return isUsed(account, 1, now) ? 'OWNER' : 'ALL';
}
