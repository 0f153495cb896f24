import type { Webhook } from '../../table/entities/webhooks.ts';
import type { Change } from '../../table/expressions.ts';
import { timestampAfter } from '../time.ts';

/**
 * The lane of endpoints that have been slow for long (docs/decisions/0060-hand-over.md): their deliveries have a queue and
 * slots of their own, so that the slots of the main lane do not wait for them. An endpoint's pace is stored with what its
 * attempts write anyway, and returns to the main lane with its first quick attempt.
 */

/** An attempt that takes this long is slow, in milliseconds: whatever its outcome. */
export const SLOW_ATTEMPT_MS = 3000;
/** Slow attempts in a row after which an endpoint is in the slow lane. */
export const SLOW_ATTEMPTS = 5;
/** Time for which it stays there without another slow attempt, in milliseconds. */
export const SLOW_LANE_MS = 10 * 60_000;

/** Tells whether an endpoint's deliveries belong to the slow lane now. */
export const isSlow = ({ slowUntil = '' }: Pick<Webhook, 'slowUntil'>, now: Date): boolean =>
  slowUntil > now.toISOString();

/**
 * Returns what attempts that took so long change of their endpoint; undefined where that is nothing, as for each quick
 * attempt after a quick one and for nearly all in the slow lane.
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
  const isLong = slowAttempts + slow >= SLOW_ATTEMPTS;
  return { add: { slowAttempts: slow }, ...(isLong ? { set: { slowUntil: after(SLOW_LANE_MS) } } : {}) };
}
