import { randomBytes } from 'node:crypto';
import { App, type CustomDomain, Host } from '../../table/entities/apps.ts';
import { HostClaim } from '../../table/entities/custom-domains.ts';
import { checkAbsent, claim, type Write } from '../../table/writes.ts';
import type { Deps } from '../deps.ts';
import { DAY_MS, timestampAfter } from '../time.ts';

/** Lifetime of an unverified claim, in milliseconds. */
const CLAIM_LIFETIME_MS = 14 * DAY_MS;
/** Delay of the first check for the proof, in milliseconds. */
export const FIRST_CHECK_DELAY_MS = 60_000;

/**
 * Names that are reserved by definition (RFC 2606, RFC 6761), and `localhost`. They have no owner to prove anything,
 * and no visitor on the public Internet could be misled. They are for trying things out.
 */
const RESERVED = /(^|\.)(localhost|test|example|example\.(com|net|org))$/;

/** Returns true for a name that no one can own, so that it needs no proof. */
export const isReservedName = (host: string): boolean => RESERVED.test(host);

/** A claimed domain at the beginning. What visitors see there begins with the proof that it is the owner's. */
export function newCustomDomain(deps: Pick<Deps, 'now'>, host: string): CustomDomain {
  const now = deps.now();
  const claim = { host, token: randomBytes(20).toString('hex'), claimedAt: now.toISOString(), checkedAt: null };
  return { ...claim, status: isReservedName(host) ? 'VERIFIED' : 'PENDING' };
}

/** Returns the time of the first check of a new claim; undefined for one that needs no verification. */
export const firstCheckAt = ({ status, claimedAt }: CustomDomain): string | undefined =>
  status === 'PENDING' ? timestampAfter(claimedAt, FIRST_CHECK_DELAY_MS) : undefined;

/** Returns the time at which an unproven claim ends. */
export const claimExpiresAt = ({ claimedAt }: CustomDomain): string => timestampAfter(claimedAt, CLAIM_LIFETIME_MS);

/** Makes the error for a host that is taken, which is shown its holder. */
export type TakenError = (holder: { releasing?: boolean | undefined } | undefined) => Error;

interface ClaimOptions {
  /** True to claim a host although another account has it ({@link isContestable}). */
  contested: boolean;
  taken: TakenError;
}

/** Returns the writes that claim a custom domain: for the account alone until it is verified. */
export function claimWrites(
  { accountId, applicationId }: { accountId: string; applicationId: string },
  { host, status }: CustomDomain,
  { contested, taken }: ClaimOptions,
): Write[] {
  const of = { host, accountId, applicationId };
  // A reserved name is the account's at once, and is never verified again.
  if (status === 'VERIFIED') return [claim(Host, of, taken)];
  const own = claim(HostClaim, of, () => taken(undefined));
  return contested ? [own] : [own, checkAbsent(Host, { host }, taken)];
}

/**
 * Returns true for a host whose holder does not exclude other accounts: its proof is missing, or it was never verified
 * (claims of before {@link HostClaim}).
 */
export async function isContestable(deps: Pick<Deps, 'table'>, host: string, accountId: string): Promise<boolean> {
  const holder = await deps.table.get(Host, { host });
  if (!holder) return true;
  if (holder.accountId === accountId || holder.releasing) return false;
  return holder.unprovenSince !== undefined || !(await findVerifiedHolder(deps, holder));
}

/** Returns the application that has verified a host; undefined where the item is an unverified claim of before. */
export async function findVerifiedHolder(deps: Pick<Deps, 'table'>, holder: Host): Promise<App | undefined> {
  const app = await deps.table.get(App, { accountId: holder.accountId, id: holder.applicationId });
  const isVerified = app?.customDomain?.host === holder.host && app.customDomain.status === 'VERIFIED';
  return isVerified ? app : undefined;
}
