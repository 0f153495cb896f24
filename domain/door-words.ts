import type { Lead } from '../providers/dns/targets.ts';
import type { Certificate } from '../providers/edge/tenants.ts';

/** What a domain's owner is told of its door: what is, and what they can do about it. */

const orWww = (host: string) =>
  `At the top of a zone no CNAME may be: make it an ALIAS or ANAME record, or use a name below it, such as www.${host}.`;

const OURS = 'Its DNS is ours: without A, AAAA and CNAME records of its own it leads there by itself.';

/** The domain does not lead to us, as far as its DNS says. @param ours whether that is ours, and its owner's */
export function leadsElsewhere(host: string, address: string, { alias, addresses, apex }: Lead, ours = false): string {
  const hint = ours ? ` ${OURS}` : apex ? ` ${orWww(host)}` : '';
  // It is as it should be: CloudFront sees an older answer.
  if (alias === address) return `${host} leads to ${address}; the rest of the world does not see that everywhere yet.`;
  if (alias) return `${host} leads to ${alias}. It has to lead to ${address}.${hint}`;
  if (addresses.length > 0) return `${host} leads to ${addresses[0]}. It has to lead to ${address}.${hint}`;
  return `${host} leads nowhere yet. It has to lead to ${address}.${hint}`;
}

export const unanswered = (host: string): string => `The name servers of ${host} do not answer.`;

export const taken = (host: string): string =>
  `Amazon CloudFront answers for ${host} already, for somebody else or in another account of yours. It has to be removed there first.`;

const CAA = 'If it has CAA records, one of them has to allow amazon.com.';

/** Why there is no certificate. */
export const noCertificate = (host: string, status: Exclude<Certificate['status'], 'PENDING' | 'ISSUED'>): string =>
  ({
    TIMED_OUT: `${host} could not be looked at for three days, so no certificate was issued. It has to lead to us all the time. ${CAA}`,
    FAILED: `No certificate was issued for ${host}. ${CAA}`,
    ENDED: `The certificate of ${host} has ended: it could not be renewed. The domain has to lead to us. ${CAA}`,
  })[status];
