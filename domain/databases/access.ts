import type { DatabaseAccess } from '../../contract/enums.ts';
import { LIMITS, limitOf } from '../../contract/limits/limits.ts';
import type { Account } from '../../table/entities/accounts.ts';
import { usageOf } from '../limits/limits.ts';

/** The limits of databases. */
export const DATABASE_LIMITS = ['databaseStorageMib', 'databaseUnitsPerMonth'] as const;
type DatabaseLimit = (typeof DATABASE_LIMITS)[number];

/** Storage in MiB at which owners are refused, on every plan: twice the limit of the largest. */
const MIN_OWNER_MIB = 2 * LIMITS.databaseStorageMib.amounts[3];

/**
 * The use at which the owner opens no connections either. Up to there the owner can delete or export data. For storage that
 * is far, and as far after a change to a smaller plan: data costs little while no application adds to it, and what an owner
 * adds is processing, for which it is near.
 */
const OWNER_LIMITS: Readonly<Record<DatabaseLimit, (limit: number) => number>> = {
  databaseStorageMib: (limit) => Math.max(2 * limit, MIN_OWNER_MIB),
  databaseUnitsPerMonth: (limit) => 1.25 * limit,
};

/** Returns the limit of databases whose use has reached a bound. A limit of 0 is reached without any. */
function reached(account: Account, now: Date, boundOf: (name: DatabaseLimit, limit: number) => number) {
  return DATABASE_LIMITS.find((name) => {
    const limit = limitOf(account, name);
    return limit === 0 || (usageOf(account, name, now) ?? 0) >= boundOf(name, limit);
  });
}

/** Returns true if a share of a limit of databases is used. */
export const isUsed = (account: Account, share: number, now: Date): boolean =>
  reached(account, now, (_, limit) => share * limit) !== undefined;

/** Returns the limit beyond which not even the owner opens connections; undefined where there is none. */
export const limitForOwner = (account: Account, now: Date): DatabaseLimit | undefined =>
  reached(account, now, (name, limit) => OWNER_LIMITS[name](limit));

/** Returns the clients that may open connections to the databases of an account. */
export function accessOf(account: Account, now: Date): DatabaseAccess {
  if (limitForOwner(account, now)) return 'NONE';
  return isUsed(account, 1, now) ? 'OWNER' : 'ALL';
}
