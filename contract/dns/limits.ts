import { AWS_LIMITS } from '../limits/aws-limits.ts';

/**
 * Limits of the name servers (Route 53: "Quotas"). A record set is all records with one name and type. It is written as a whole in
 * one request, in which each value of a replaced set counts twice.
 */
export const NAME_SERVER_LIMITS = {
  /** Characters in one value, in the notation of zone files. */
  valueCharacters: AWS_LIMITS.route53ValueCharacters.value,
  /** Values in one record set. */
  setValues: AWS_LIMITS.route53SetValues.value,
  /** Values in all record sets that one request replaces: half of Route 53's limit per request. */
  requestValues: AWS_LIMITS.route53RequestValues.value / 2,
  /** Characters in all values that one request replaces: half of Route 53's limit per request, minus room for names. */
  requestCharacters: AWS_LIMITS.route53RequestCharacters.value / 2 - 1000,
} as const;
