import { randomBytes } from 'node:crypto';
import { App, type CustomDomain, Host } from '../../table/entities/apps.ts';
import { HostClaim } from '../../table/entities/custom-domains.ts';
import { checkAbsent, claim, type Write } from '../../table/writes.ts';
import type { Deps } from '../deps.ts';
import { DAY_MS, timestampAfter } from '../time.ts';

/** Lifetime of an unverified claim, in milliseconds. */
const CLAIM_LIFETIME_MS = 14 * DAY_MS;
/** Delay of the first check of a claim, in milliseconds. */
export const FIRST_CHECK_DELAY_MS = 60_000;

/**
 * Reserved names (RFC 2606, RFC 6761), including `localhost`. No customer can own one, so there is nothing to verify, and serving one
 * misleads no visitor on the public Internet. They are meant for experiments.
 */
const RESERVED = /(^|\.)(localhost|test|example|example\.(com|net|org))$/;

/** Returns true for a reserved name, which needs no verification. */
export const isReservedName = (host: string): boolean => RESERVED.test(host);

/** Returns a newly claimed domain. It serves no visitors until its ownership is verified. */
export function newCustomDomain(deps: Pick<Deps, 'now'>, host: string): CustomDomain {
  const now = deps.now();
  const claim = { host, token: randomBytes(20).toString('hex'), claimedAt: now.toISOString(), checkedAt: null };
  return { ...claim, status: isReservedName(host) ? 'VERIFIED' : 'PENDING' };
}

/** Returns the time of the first check of a new claim; undefined for one that needs no verification. */
export const firstCheckAt = ({ status, claimedAt }: CustomDomain): string | undefined =>
  status === 'PENDING' ? timestampAfter(claimedAt, FIRST_CHECK_DELAY_MS) : undefined;

/** Returns the time at which an unverified claim expires. */
export const claimExpiresAt = ({ claimedAt }: CustomDomain): string => timestampAfter(claimedAt, CLAIM_LIFETIME_MS);

/** Creates the error for a host that is taken, given its holder. */
export type TakenError = (holder: { releasing?: boolean | undefined } | undefined) => Error;

interface ClaimOptions {
  /** True to claim a host although another account has it ({@link isContestable}). */
  contested: boolean;
  taken: TakenError;
}

/** Returns the writes that claim a custom domain. An unverified claim does not exclude other accounts. */
export function claimWrites(
  { accountId, applicationId }: { accountId: string; applicationId: string },
  { host, status }: CustomDomain,
  { contested, taken }: ClaimOptions,
): Write[] {
  const item = { host, accountId, applicationId };
  // A reserved name belongs to the account immediately, and is never verified again.
  if (status === 'VERIFIED') return [claim(Host, item, taken)];
  const unverified = claim(HostClaim, item, () => taken(undefined));
  return contested ? [unverified] : [unverified, checkAbsent(Host, { host }, taken)];
}

/**
 * Returns true for a host that other accounts may claim: it has no holder, its holder's proof is missing, or its holder was never
 * verified (claims from before {@link HostClaim} existed).
 */
export async function isContestable(deps: Pick<Deps, 'table'>, host: string, accountId: string): Promise<boolean> {
  const holder = await deps.table.get(Host, { host });
  if (!holder) return true;
  if (holder.accountId === accountId || holder.releasing) return false;
  return holder.unprovenSince !== undefined || !(await findVerifiedHolder(deps, holder));
}

/** Returns the application that has verified a host; undefined if the item is an unverified claim from before {@link HostClaim} existed. */
export async function findVerifiedHolder(deps: Pick<Deps, 'table'>, holder: Host): Promise<App | undefined> {
  const app = await deps.table.get(App, { accountId: holder.accountId, id: holder.applicationId });
  const isVerified = app?.customDomain?.host === holder.host && app.customDomain.status === 'VERIFIED';
  return isVerified ? app : undefined;
}
