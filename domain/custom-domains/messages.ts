import type { DnsTarget } from '../../providers/dns/targets.ts';
import type { Certificate } from '../../providers/edge/tenants.ts';

/** Messages to a domain's owner about its tenant, with the state and the next step. */

const apexHint = (host: string) =>
  `A CNAME is not allowed at the zone apex: use an ALIAS or ANAME record, or a name below it, such as www.${host}.`;

const MANAGED_ZONE_HINT =
  'The platform serves its DNS: remove its A, AAAA and CNAME records, and it points there automatically.';

/**
 * Explains that the domain does not point here.
 * @param isManaged true if the platform serves the domain's zone for the same account
 */
export function notPointingMessage(
  host: string,
  address: string,
  { alias, addresses, apex }: DnsTarget,
  isManaged = false,
): string {
  const hint = isManaged ? ` ${MANAGED_ZONE_HINT}` : apex ? ` ${apexHint(host)}` : '';
  // The record is correct, but CloudFront still sees an older response.
  if (alias === address)
    return `${host} points to ${address}, but the change has not reached all name servers yet. No action is needed.`;
  const target = alias || addresses[0];
  const state = target ? `points to ${target}` : 'does not point anywhere yet';
  return `${host} ${state}. It must point to ${address}.${hint}`;
}

/** Explains that a host could not be resolved. The platform's resolver may have failed instead, but the owner can fix only the name servers. */
export const nameServersSilentMessage = (host: string): string => `The name servers of ${host} do not answer.`;

/**
 * Explains that the proof of a verified domain is missing.
 * @param until the time of the release, in ISO 8601
 */
export const proofMissingMessage = (record: string, until: string): string =>
  `The TXT record ${record} is missing. Restore it before ${until.slice(0, 10)}, or the domain is released.`;

export const heldByOtherMessage = (host: string): string =>
  `Another account has verified ${host}. If the domain is yours, remove that account's value from its TXT record.`;

export const releasingMessage = (host: string): string =>
  `${host} is being released by the application that had it, which takes some minutes.`;

export const takenMessage = (host: string): string =>
  `Another Amazon CloudFront distribution uses ${host}, possibly in another AWS account. Remove it there first.`;

const CAA = 'If it has CAA records, one of them must allow amazon.com.';

/**
 * Longest name of a certificate, in characters: the first name at ACM is the common name of X.509
 * (https://docs.aws.amazon.com/acm/latest/APIReference/API_RequestCertificate.html).
 */
export const MAX_CERTIFICATE_NAME = 64;
export const tooLongMessage = (host: string): string =>
  `${host} is longer than ${MAX_CERTIFICATE_NAME} characters, so no certificate can be issued for it. Use a shorter name.`;

/** Explains why no certificate was issued or renewed. @param status `DELETED` if CloudFront no longer knows of a certificate */
export const certificateMessage = (
  host: string,
  status: Exclude<Certificate['status'], 'PENDING' | 'ISSUED'> | 'DELETED',
): string =>
  ({
    DELETED: `The certificate of ${host} was deleted. Another one is requested automatically. The domain must keep pointing here.`,
    TIMED_OUT: `${host} could not be validated for three days, so no certificate was issued. It must keep pointing here. ${CAA}`,
    FAILED: `No certificate was issued for ${host}. ${CAA}`,
    ENDED: `The certificate of ${host} expired because it could not be renewed. The domain must point here. ${CAA}`,
  })[status];
