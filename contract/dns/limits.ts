import { AWS_LIMITS } from '../limits/aws-limits.ts';

/**
 * Limits of the name servers (Route 53: "Quotas"). A record set is all records of one name and type; it is written as a
 * whole, in one request, where each value of a replaced set counts twice.
 */
export const NAME_SERVER_LIMITS = {
  /** Characters of one value in the notation of zone files. */
  valueCharacters: AWS_LIMITS.route53ValueCharacters.value,
  /** Values of one record set. */
  setValues: AWS_LIMITS.route53SetValues.value,
  /** Values of all record sets that one request replaces: half of what a request may have. */
  requestValues: AWS_LIMITS.route53RequestValues.value / 2,
  /** Characters of all values that one request replaces: half of what a request may have, with room for names. */
  requestCharacters: AWS_LIMITS.route53RequestCharacters.value / 2 - 1000,
} as const;
