import { awsLimit } from '../../contract/limits/aws-limits.ts';
import type { ReleasePace } from '../../table/entities/releases.ts';

/**
 * The pace at which a cell accepts releases (docs/decisions/0053-build-scheduler.md): a token bucket of requests to Lambda's control
 * plane. Its rate is halved when Lambda throttles requests, and recovers over time.
 */

/** Documented rate of Lambda for an AWS account and region, in requests a second. */
export const MAX_RATE: number = awsLimit('lambdaControlPlaneRate').value;
/** Lower bound of the rate, in requests a second: a release every eight seconds, however often Lambda throttles. */
const MIN_RATE = 1;
/** Capacity of the bucket, in requests. */
const BURST = MAX_RATE;
/** Requests that one release makes, including the removal of an old one (test/template/scale.test.ts counts them). */
export const RELEASE_REQUESTS = 8;
/** Throttled requests within this time of a slowdown belong to the same burst and do not slow the pace again, in milliseconds. */
const SAME_BURST_MS = 5000;
/** Time in which a slowed pace regains one request a second, in milliseconds. */
const RECOVERY_MS = 10_000;
/** Number of recent releases whose accounts are stored. */
const MAX_RECENT = 50;

type Pace = Pick<ReleasePace, 'tokens' | 'at' | 'slowed' | 'recent'>;

/** Returns the pace of a cell without releases so far: a full bucket. */
export const firstPace = (now: Date): Pace => ({ tokens: BURST, at: now.toISOString(), recent: [] });

/** Returns the current rate in requests a second. It never falls below the slowed rate, even if the clock was set back. */
export function rateAt({ slowed }: Pick<Pace, 'slowed'>, now: Date): number {
  if (!slowed) return MAX_RATE;
  return Math.min(MAX_RATE, slowed.rate + Math.max(0, now.getTime() - Date.parse(slowed.at)) / RECOVERY_MS);
}

/** Returns the pace with the tokens added that have accrued since it was stored. */
export function refill(pace: Pace, now: Date): Pace {
  const seconds = Math.max(0, now.getTime() - Date.parse(pace.at)) / 1000;
  return { ...pace, tokens: Math.min(BURST, pace.tokens + seconds * rateAt(pace, now)), at: now.toISOString() };
}

/** Returns the pace after a release of an account; undefined while there are too few tokens for it. */
export function spend(pace: Pace, accountId: string): Pace | undefined {
  if (pace.tokens < RELEASE_REQUESTS) return undefined;
  const recent = [...pace.recent, accountId].slice(-MAX_RECENT);
  return { ...pace, tokens: pace.tokens - RELEASE_REQUESTS, recent };
}

/** Returns the pace after Lambda throttled a request; undefined if the same burst has slowed it already. */
export function slow(pace: Pace, now: Date): Pace | undefined {
  if (pace.slowed && now.getTime() - Date.parse(pace.slowed.at) < SAME_BURST_MS) return undefined;
  const at = now.toISOString();
  return { ...pace, tokens: 0, at, slowed: { rate: Math.max(MIN_RATE, rateAt(pace, now) / 2), at } };
}

/** Returns the seconds until the bucket has tokens for this many releases. */
export const secondsUntil = (pace: Pace, releases: number, now: Date): number =>
  (releases * RELEASE_REQUESTS - pace.tokens) / rateAt(pace, now);
