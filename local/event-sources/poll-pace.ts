import { setTimeout as sleep } from 'node:timers/promises';
import type { Activity } from '../lambda/lambda.ts';

/** Minimum pause between two polls. Without a pause, polling would overload the database. */
const POLL_MS = 50;
/** Pause while no function runs. Changes still happen then: items expire, and tools write to the table. */
const IDLE_POLL_MS = 500;
/** Time after an invocation within which its changes may still appear. */
const ACTIVE_MS = 250;

/** Waits until the next poll. Rejects when the signal aborts. */
export type PollPause = (signal: AbortSignal) => Promise<void>;

/**
 * Paces the polls of a table's stream by the activity of the functions, which cause nearly all changes: frequently while they run,
 * immediately when one ends after a quiet time, and rarely while none runs. Polling frequently all the time would take 4% of a core.
 */
export function createPollPause(activity: Activity, idlePollMs = IDLE_POLL_MS): PollPause {
  return async (signal) => {
    await sleep(POLL_MS, undefined, { signal });
    if (activity.running > 0 || activity.idleMs() < ACTIVE_MS) return;
    let unsubscribe = (): void => {};
    const ended = new Promise<void>((resolve) => {
      unsubscribe = activity.onceEnded(resolve);
    });
    try {
      await Promise.race([ended, sleep(idlePollMs - POLL_MS, undefined, { signal })]);
    } finally {
      unsubscribe();
    }
  };
}

/** Pauses for a constant time, regardless of the functions' activity. */
export const pauseEvenly: PollPause = (signal) => sleep(POLL_MS, undefined, { signal });
