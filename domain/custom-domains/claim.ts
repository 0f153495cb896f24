import { randomBytes } from 'node:crypto';
import type { CustomDomain } from '../../table/entities/apps.ts';
import type { Deps } from '../deps.ts';

/** Lifetime of an unverified claim, in milliseconds. */
const CLAIM_LIFETIME_MS = 14 * 24 * 3600_000;
/** Delay of the first check for the proof, in milliseconds. */
export const FIRST_CHECK_DELAY_MS = 60_000;

/**
 * Names that are reserved by definition (RFC 2606, RFC 6761), and `localhost`. They have no owner to prove anything,
 * and no visitor on the public Internet could be misled. They are for trying things out.
 */
const RESERVED = /(^|\.)(localhost|test|example|example\.(com|net|org))$/;

/** A claimed domain at the beginning. What visitors see there begins with the proof that it is the owner's. */
export function newCustomDomain(deps: Pick<Deps, 'now'>, host: string): CustomDomain {
  const now = deps.now();
  const claim = { host, token: randomBytes(20).toString('hex'), claimedAt: now.toISOString(), checkedAt: null };
  if (RESERVED.test(host)) return { ...claim, status: 'VERIFIED' };
  return { ...claim, status: 'PENDING' };
}

/** Returns the time of the first check of a new claim; undefined for one that needs no verification. */
export const firstCheckAt = ({ status, claimedAt }: CustomDomain): string | undefined =>
  status === 'PENDING' ? new Date(Date.parse(claimedAt) + FIRST_CHECK_DELAY_MS).toISOString() : undefined;

/** Until when an unproven claim holds. */
export const claimExpiresAt = ({ claimedAt }: CustomDomain): string =>
  new Date(Date.parse(claimedAt) + CLAIM_LIFETIME_MS).toISOString();
