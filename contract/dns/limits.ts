/**
 * Limits of the name servers (Route 53: "Quotas"). A record set is all records of one name and type; it is written as a
 * whole, in one request, where each value of a replaced set counts twice.
 */
export const NAME_SERVER_LIMITS = {
  /** Characters of one value in the notation of zone files. */
  valueCharacters: 4_000,
  /** Values of one record set. */
  setValues: 400,
  /** Values of all record sets that one request replaces: half of 1,000. */
  requestValues: 500,
  /** Characters of all values that one request replaces: half of 32,000, with room for names. */
  requestCharacters: 15_000,
} as const;
