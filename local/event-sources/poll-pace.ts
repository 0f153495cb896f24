import { setTimeout as sleep } from 'node:timers/promises';
import type { Activity } from '../lambda/lambda.ts';

/** Shortest pause between two polls, in milliseconds. Under load, continuous polling would overload the database. */
const POLL_MS = 50;
/** Pause while no function runs: items expire then, and tools write to the table. */
const IDLE_POLL_MS = 500;
/** Milliseconds after an invocation in which its changes may still appear. */
const ACTIVE_MS = 250;

/** Waits until the next poll. Rejects when the signal aborts. */
export type PollPause = (signal: AbortSignal) => Promise<void>;

/**
 * Paces the polls of a table's stream by the functions, which make nearly all changes: often while they run, at once when one
 * ends after a quiet time, and rarely while nothing happens. Polling always as often as under load takes 4% of a core.
 */
export function createPollPause(activity: Activity, idlePollMs = IDLE_POLL_MS): PollPause {
  return async (signal) => {
    await sleep(POLL_MS, undefined, { signal });
    if (activity.running > 0 || activity.idleMs() < ACTIVE_MS) return;
    let forget = (): void => {};
    const ended = new Promise<void>((resolve) => {
      forget = activity.onceEnded(resolve);
    });
    try {
      await Promise.race([ended, sleep(idlePollMs - POLL_MS, undefined, { signal })]);
    } finally {
      forget();
    }
  };
}

/** Pauses equally long, whatever runs. */
export const pauseEvenly: PollPause = (signal) => sleep(POLL_MS, undefined, { signal });
