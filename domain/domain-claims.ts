import { randomBytes } from 'node:crypto';
import type { CustomDomain } from '../table/entities.ts';
import type { Deps } from './deps.ts';

/** How long an unproven claim keeps others from the domain, in milliseconds. */
const CLAIMED_FOR = 14 * 24 * 3600_000;
/** When somebody first looks for the proof, in milliseconds. */
export const FIRST_LOOK = 60_000;

/**
 * Names that are nobody's by definition (RFC 2606, RFC 6761), and `localhost`: there is no owner to prove anything, and
 * no visitor of the public Internet who could be misled. For trying things out.
 */
const RESERVED = /(^|\.)(localhost|test|example|example\.(com|net|org))$/;

/** A claimed domain at the beginning. What visitors see there begins with the proof that it is the owner's. */
export function newCustomDomain(deps: Pick<Deps, 'now'>, host: string): CustomDomain {
  const now = deps.now();
  const claim = { host, token: randomBytes(20).toString('hex'), claimedAt: now.toISOString(), checkedAt: null };
  if (RESERVED.test(host)) return { ...claim, status: 'VERIFIED' };
  return { ...claim, status: 'PENDING', checkAt: new Date(now.getTime() + FIRST_LOOK).toISOString() };
}

/** Until when an unproven claim holds. */
export const claimEnd = ({ claimedAt }: CustomDomain): string =>
  new Date(Date.parse(claimedAt) + CLAIMED_FOR).toISOString();
