/**
 * At most `limit` requests in any 60 seconds. Each second's requests are counted on the item that is updated anyway; the sum
 * over 61 seconds is at most one second stricter than the rule and never looser. (Specification, Limits 1-3.)
 */
const WINDOW_SECONDS = 60;
/**
 * Seconds that share an attribute, each with four decimal digits of its number: what the table reads and writes of an item in use
 * is a quarter (docs/decisions/0010-rate-limit-per-second-counters.md). Four of them are exact in a JavaScript number up to 9,000 requests
 * in the last second, and an item takes 1,000 writes a second.
 */
const SECONDS_OF_ATTRIBUTE = 4;
const DIGITS = 10_000;
/** Old attributes beyond this many are removed at once, not with the next request. */
const MAX_STALE_ATTRIBUTES = 20;

export interface Quota {
  limit: number;
  remaining: number;
  /** Unix seconds when the oldest counted request leaves the window. */
  reset: number;
  /** Seconds after which a request gets through; undefined when this one does. */
  retryAfter: number | undefined;
  /** Attributes whose seconds are out of the window. */
  stale: string[];
  staleLimitReached: boolean;
}

/** Returns what counts requests of this time: the attribute, and what they add to it. */
export function countAt(now: Date, requests = 1): Record<string, number> {
  const second = Math.floor(now.getTime() / 1000);
  const place = second % SECONDS_OF_ATTRIBUTE;
  return { [`c${(second - place) / SECONDS_OF_ATTRIBUTE}`]: requests * DIGITS ** place };
}

interface Counted {
  second: number;
  count: number;
}

/**
 * Returns the seconds that an attribute counts, or undefined for any other attribute. An item that was in use before attributes had four
 * seconds has some of one (`h1795234567`).
 */
function secondsOf(name: string, value: unknown): Counted[] | undefined {
  const number = Number(name.slice(1));
  if (Number.isNaN(number) || typeof value !== 'number') return undefined;
  if (name.startsWith('h')) return [{ second: number, count: value }];
  if (!name.startsWith('c')) return undefined;
  let left = value;
  return Array.from({ length: SECONDS_OF_ATTRIBUTE }, (_, place) => {
    const count = left % DIGITS;
    left = (left - count) / DIGITS;
    return { second: number * SECONDS_OF_ATTRIBUTE + place, count };
  });
}

/** Judges a request that has been counted already, from the item's attributes after counting. */
export function evaluateQuota(item: Record<string, unknown>, now: Date, limit: number): Quota {
  const second = Math.floor(now.getTime() / 1000);
  const stale: string[] = [];
  const counted: Counted[] = [];
  for (const [name, value] of Object.entries(item)) {
    const seconds = secondsOf(name, value);
    if (!seconds) continue;
    const within = seconds.filter((each) => each.second >= second - WINDOW_SECONDS);
    if (within.length === 0) stale.push(name);
    else counted.push(...within.filter(({ count }) => count > 0));
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
    staleLimitReached: stale.length > MAX_STALE_ATTRIBUTES,
  };
}

/** Returns the seconds until the refused request (which no longer counts) would be allowed. */
function secondsUntilAllowed(
  counted: Counted[],
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
