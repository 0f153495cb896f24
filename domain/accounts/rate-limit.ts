/**
 * At most `limit` requests in any 60 seconds. Each second's requests are counted in an attribute of its own, on the item
 * that is updated anyway; the sum over 61 seconds is at most one second stricter than the rule and never looser.
 * (Specification, Limits 1-3.)
 */
const WINDOW_SECONDS = 60;
/** Old counters beyond this many are removed at once, not with the next request. */
const MAX_STALE_COUNTERS = 100;

export interface Quota {
  limit: number;
  remaining: number;
  /** Unix seconds when the oldest counted request leaves the window. */
  reset: number;
  /** Seconds after which a request gets through; undefined when this one does. */
  retryAfter: number | undefined;
  /** Attributes whose second is out of the window. */
  stale: string[];
  staleLimitReached: boolean;
}

/** The attribute that counts a request made at this time. */
export const counterAt = (now: Date): string => `h${Math.floor(now.getTime() / 1000)}`;

/** The second that an attribute counts, or NaN for any other attribute. An item in use has some sixty of these. */
const secondOf = (name: string): number => (name.startsWith('h') ? Number(name.slice(1)) : Number.NaN);

/** Judges a request that has been counted already, from the item's attributes after counting. */
export function evaluateQuota(item: Record<string, unknown>, now: Date, limit: number): Quota {
  const second = Math.floor(now.getTime() / 1000);
  const stale: string[] = [];
  const counted: { second: number; count: number }[] = [];
  for (const [name, value] of Object.entries(item)) {
    const at = secondOf(name);
    if (Number.isNaN(at)) continue;
    if (at < second - WINDOW_SECONDS) stale.push(name);
    else if (typeof value === 'number' && value > 0) counted.push({ second: at, count: value });
  }
  let used = 0;
  let oldest = second;
  for (const each of counted) {
    used += each.count;
    oldest = Math.min(oldest, each.second);
  }
  const leaves = (at: number) => at + WINDOW_SECONDS + 1;
  return {
    limit,
    remaining: Math.max(0, limit - used),
    reset: leaves(oldest),
    retryAfter: used > limit ? secondsUntilAllowed(counted, used - 1, limit, now, leaves) : undefined,
    stale,
    staleLimitReached: stale.length > MAX_STALE_COUNTERS,
  };
}

/** Returns the seconds until the refused request (which no longer counts) would be allowed. */
function secondsUntilAllowed(
  counted: { second: number; count: number }[],
  used: number,
  limit: number,
  now: Date,
  leaves: (second: number) => number,
): number {
  let left = used;
  for (const { second, count } of counted.sort((a, b) => a.second - b.second)) {
    left -= count;
    if (left + 1 <= limit) return Math.max(1, Math.ceil(leaves(second) - now.getTime() / 1000));
  }
  return WINDOW_SECONDS + 1;
}
