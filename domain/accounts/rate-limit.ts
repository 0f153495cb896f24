/**
 * At most `limit` requests in any 60 seconds. Each second's requests are counted on the item that is updated anyway; the sum
 * over 61 seconds is at most one second stricter than the rule and never looser. Where all of a burst fits into one second, a refusal
 * remembers its time (`fullAt`): the second then ends there, so that no client waits for more than 60 seconds. (Specification, Limits 1-3.)
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
  /** Unix seconds when the oldest counted request is 60 seconds old; in the future. */
  reset: number;
  /** Seconds after which a request gets through; undefined when this one does. */
  retryAfter: number | undefined;
  /** Time in milliseconds to remember with a refusal: no request of its second is counted after it. */
  fullAt: number | undefined;
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
  const time = now.getTime() / 1000;
  const second = Math.floor(time);
  const fullAt = typeof item.fullAt === 'number' ? item.fullAt / 1000 : 0;
  const fullSecond = Math.floor(fullAt);
  /** Unix seconds when the requests of a second have left the window. */
  const leaves = (at: number) => (at === fullSecond ? fullAt : at + 1) + WINDOW_SECONDS;
  const stale: string[] = [];
  const counted: Counted[] = [];
  for (const [name, value] of Object.entries(item)) {
    const seconds = secondsOf(name, value);
    if (!seconds) continue;
    const within = seconds.filter((each) => leaves(each.second) > time);
    if (within.length === 0) stale.push(name);
    // What lies more than a window ahead was counted by a clock that has been set back since: it would count until then.
    else counted.push(...within.filter((each) => each.count > 0 && each.second <= second + WINDOW_SECONDS));
  }
  let used = 0;
  let oldest = second;
  for (const each of counted) {
    used += each.count;
    oldest = Math.min(oldest, each.second);
  }
  const allowedAt = used > limit ? timeAllowed(counted, used - 1, limit, leaves) : undefined;
  // This second alone has the whole limit: nothing more is counted in it.
  const isFull = allowedAt === second + 1 + WINDOW_SECONDS;
  return {
    limit,
    remaining: Math.max(0, limit - used),
    reset: Math.max(second + 1, oldest + WINDOW_SECONDS),
    retryAfter: allowedAt && Math.max(1, Math.ceil(Math.min(allowedAt - time, WINDOW_SECONDS))),
    fullAt: isFull ? now.getTime() : undefined,
    stale,
    staleLimitReached: stale.length > MAX_STALE_ATTRIBUTES,
  };
}

/** Returns the Unix seconds when the refused request (which no longer counts) would be allowed. */
function timeAllowed(counted: Counted[], used: number, limit: number, leaves: (second: number) => number): number {
  let left = used;
  for (const { second, count } of counted.sort((a, b) => a.second - b.second)) {
    left -= count;
    if (left + 1 <= limit) return leaves(second);
  }
  return Number.POSITIVE_INFINITY;
}
