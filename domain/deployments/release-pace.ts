import { awsLimit } from '../../contract/limits/aws-limits.ts';
import type { ReleasePace } from '../../table/entities/releases.ts';

/**
 * The pace at which a cell takes releases (docs/decisions/0053-build-scheduler.md): a token bucket of requests to Lambda's control
 * plane, whose rate falls when Lambda refuses requests and comes back with time.
 */

/** Requests a second that Lambda documents for an account and region. */
export const MAX_RATE: number = awsLimit('lambdaControlPlaneRate').value;
/** However often Lambda refuses: a release every eight seconds. */
const MIN_RATE = 1;
/** Requests that may be made at once after a pause. */
const BURST = MAX_RATE;
/** Requests that a release makes, the removal of an old one included (test/template/scale.test.ts counts them). */
export const RELEASE_REQUESTS = 8;
/** Refusals of this time after one that slowed the pace are of the same burst, in milliseconds. */
const SAME_BURST_MS = 5000;
/** A slowed pace gains a request a second in this time, in milliseconds. */
const RECOVERY_MS = 10_000;
/** Releases of which the accounts are remembered. */
const MAX_RECENT = 50;

type Pace = Pick<ReleasePace, 'tokens' | 'at' | 'slowed' | 'recent'>;

/** Returns the pace of a cell that has not had a release. */
export const firstPace = (now: Date): Pace => ({ tokens: BURST, at: now.toISOString(), recent: [] });

/** Returns the requests a second that are made now: those of a slowed pace at least, also where the clock was set back since. */
export function rateAt({ slowed }: Pick<Pace, 'slowed'>, now: Date): number {
  if (!slowed) return MAX_RATE;
  return Math.min(MAX_RATE, slowed.rate + Math.max(0, now.getTime() - Date.parse(slowed.at)) / RECOVERY_MS);
}

/** Returns the pace with the requests that have become free since. */
export function refill(pace: Pace, now: Date): Pace {
  const seconds = Math.max(0, now.getTime() - Date.parse(pace.at)) / 1000;
  return { ...pace, tokens: Math.min(BURST, pace.tokens + seconds * rateAt(pace, now)), at: now.toISOString() };
}

/** Returns the pace after a release of an account; undefined while it has to wait. */
export function spend(pace: Pace, accountId: string): Pace | undefined {
  if (pace.tokens < RELEASE_REQUESTS) return undefined;
  const recent = [...pace.recent, accountId].slice(-MAX_RECENT);
  return { ...pace, tokens: pace.tokens - RELEASE_REQUESTS, recent };
}

/** Returns the pace after Lambda refused a request; undefined where it was slowed a moment ago. */
export function slow(pace: Pace, now: Date): Pace | undefined {
  if (pace.slowed && now.getTime() - Date.parse(pace.slowed.at) < SAME_BURST_MS) return undefined;
  const at = now.toISOString();
  return { ...pace, tokens: 0, at, slowed: { rate: Math.max(MIN_RATE, rateAt(pace, now) / 2), at } };
}

/** Returns the seconds until so many releases have had their turn, of which the last is meant. */
export const secondsUntil = (pace: Pace, releases: number, now: Date): number =>
  (releases * RELEASE_REQUESTS - pace.tokens) / rateAt(pace, now);
