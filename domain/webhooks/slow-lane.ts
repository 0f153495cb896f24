import type { Webhook } from '../../table/entities/webhooks.ts';
import type { Change } from '../../table/expressions.ts';
import { timestampAfter } from '../time.ts';

/**
 * The lane of endpoints that have been slow for a long time (docs/decisions/0060-hand-over.md). Their deliveries have a separate
 * queue and separate slots, so that they do not block the main lane. An endpoint's pace is stored with the writes of its attempts. Its
 * first quick attempt moves the endpoint back to the main lane.
 */

/** Duration from which an attempt is slow, whatever its outcome, in milliseconds. */
export const SLOW_ATTEMPT_MS = 3000;
/** Consecutive slow attempts that move an endpoint to the slow lane. */
export const SLOW_ATTEMPTS = 5;
/** Time for which an endpoint stays in the slow lane without another slow attempt, in milliseconds. */
export const SLOW_LANE_MS = 10 * 60_000;

/** Returns true if an endpoint's deliveries currently belong to the slow lane. */
export const isSlow = ({ slowUntil = '' }: Pick<Webhook, 'slowUntil'>, now: Date): boolean =>
  slowUntil > now.toISOString();

/**
 * Returns the change of an endpoint's pace after attempts of these durations. Returns undefined if nothing changes, as for a quick
 * attempt after a quick one and for nearly all attempts in the slow lane.
 */
export function paceAfter(
  { slowAttempts = 0, slowUntil = '' }: Pick<Webhook, 'slowAttempts' | 'slowUntil'>,
  durationsMs: readonly number[],
  now: Date,
): Pick<Change, 'set' | 'add' | 'remove'> | undefined {
  const slow = durationsMs.filter((each) => each >= SLOW_ATTEMPT_MS).length;
  if (slow < durationsMs.length) return slowAttempts > 0 ? { remove: ['slowAttempts', 'slowUntil'] } : undefined;
  const after = (milliseconds: number) => timestampAfter(now, milliseconds);
  if (slowUntil > after(SLOW_LANE_MS / 2)) return undefined;
  const entersSlowLane = slowAttempts + slow >= SLOW_ATTEMPTS;
  return { add: { slowAttempts: slow }, ...(entersSlowLane ? { set: { slowUntil: after(SLOW_LANE_MS) } } : {}) };
}
