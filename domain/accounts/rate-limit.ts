/**
 * Allows at most `limit` requests in any 60 seconds. The requests of each second are counted on an item that is updated anyway. The
 * limit applies to the sum over 61 seconds, which is at most one second stricter than the rule and never looser. If a burst uses the
 * whole limit within one second, the refusal stores its time (`fullAt`). That second then counts as ended at this time, so
 * that no client waits longer than 60 seconds. (Specification, Limits 1-3.)
 */
const WINDOW_SECONDS = 60;
/**
 * Seconds that share one attribute; each has four decimal digits of the attribute's number. This quarters the capacity of reads
 * and writes (docs/decisions/0010-rate-limit-per-second-counters.md). A JavaScript number is exact for up to 9,000 requests in the
 * attribute's last second, and an item takes only 1,000 writes a second.
 */
const SECONDS_PER_ATTRIBUTE = 4;
const DIGITS = 10_000;
/** If more attributes than this are out of the window, they are removed immediately instead of with the next request. */
const MAX_STALE_ATTRIBUTES = 20;

export interface Quota {
  limit: number;
  remaining: number;
  /**
   * Unix seconds, in the future: when the whole limit is available again if no further request follows. While no request remains, when
   * the next one is allowed.
   */
  reset: number;
  /** Seconds after which a request is allowed; undefined if this request is allowed. */
  retryAfter: number | undefined;
  /** Time in milliseconds to store with a refusal: later requests of the same second are not counted. */
  fullAt: number | undefined;
  /** Attributes whose seconds are out of the window. */
  stale: string[];
  staleLimitReached: boolean;
}

/** Returns the quota of a request that could not be counted, because the sender's item accepts no more writes in this second. */
export function uncountedQuota(limit: number, now: Date): Quota {
  const reset = Math.floor(now.getTime() / 1000) + 1;
  return { limit, remaining: 0, reset, retryAfter: 1, fullAt: undefined, stale: [], staleLimitReached: false };
}

/** Returns the attribute that counts the requests of this time, with the number to add to it. */
export function countAt(now: Date, requests = 1): Record<string, number> {
  const second = Math.floor(now.getTime() / 1000);
  const position = second % SECONDS_PER_ATTRIBUTE;
  return { [`c${(second - position) / SECONDS_PER_ATTRIBUTE}`]: requests * DIGITS ** position };
}

interface Counted {
  second: number;
  count: number;
}

/**
 * Returns the seconds that an attribute counts, or undefined for any other attribute. Earlier versions used one attribute per second
 * (`h1795234567`).
 */
function secondsOf(name: string, value: unknown): Counted[] | undefined {
  const number = Number(name.slice(1));
  if (Number.isNaN(number) || typeof value !== 'number') return undefined;
  if (name.startsWith('h')) return [{ second: number, count: value }];
  if (!name.startsWith('c')) return undefined;
  let remaining = value;
  return Array.from({ length: SECONDS_PER_ATTRIBUTE }, (_, position) => {
    const count = remaining % DIGITS;
    remaining = (remaining - count) / DIGITS;
    return { second: number * SECONDS_PER_ATTRIBUTE + position, count };
  });
}

/** Evaluates a request that has already been counted, from the item's attributes after the count. */
export function evaluateQuota(item: Record<string, unknown>, now: Date, limit: number): Quota {
  const time = now.getTime() / 1000;
  const second = Math.floor(time);
  const fullAt = typeof item.fullAt === 'number' ? item.fullAt / 1000 : 0;
  const fullSecond = Math.floor(fullAt);
  /** Returns the Unix time at which the requests of a second leave the window. */
  const leaves = (at: number) => (at === fullSecond ? fullAt : at + 1) + WINDOW_SECONDS;
  const stale: string[] = [];
  const counted: Counted[] = [];
  for (const [name, value] of Object.entries(item)) {
    const seconds = secondsOf(name, value);
    if (!seconds) continue;
    const within = seconds.filter((entry) => leaves(entry.second) > time);
    if (within.length === 0) stale.push(name);
    // Ignores seconds that are more than a window ahead: a clock that was later set back counted them, and they would count until that time.
    else counted.push(...within.filter((entry) => entry.count > 0 && entry.second <= second + WINDOW_SECONDS));
  }
  let used = 0;
  let oldest = second;
  for (const entry of counted) {
    used += entry.count;
    oldest = Math.min(oldest, entry.second);
  }
  const allowedAt = used > limit ? timeAllowed(counted, used - 1, limit, leaves) : undefined;
  const retryAfter = allowedAt && Math.max(1, Math.ceil(Math.min(allowedAt - time, WINDOW_SECONDS)));
  // The oldest request of a steady client expires within the second, which has passed before a slow response arrives.
  const wholeAt = used < limit ? second + WINDOW_SECONDS : Math.max(second + 1, oldest + WINDOW_SECONDS);
  // The current second has used the whole limit: count no more requests in it.
  const isFull = allowedAt === second + 1 + WINDOW_SECONDS;
  return {
    limit,
    remaining: Math.max(0, limit - used),
    reset: retryAfter === undefined ? wholeAt : second + retryAfter,
    retryAfter,
    fullAt: isFull ? now.getTime() : undefined,
    stale,
    staleLimitReached: stale.length > MAX_STALE_ATTRIBUTES,
  };
}

/** Returns the Unix time at which the refused request, which no longer counts, would be allowed. */
function timeAllowed(counted: Counted[], used: number, limit: number, leaves: (second: number) => number): number {
  let remaining = used;
  for (const { second, count } of counted.sort((a, b) => a.second - b.second)) {
    remaining -= count;
    if (remaining + 1 <= limit) return leaves(second);
  }
  return Number.POSITIVE_INFINITY;
}
