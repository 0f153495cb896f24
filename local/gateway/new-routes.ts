import { setTimeout as sleep } from 'node:timers/promises';
import type { Activity } from '../lambda/lambda.ts';

/** Interval of the checks of the store. */
const CHECK_MS = 20;
/** Time after an invocation within which its changes may not have been read from the stream. */
const SETTLED_MS = 300;
/**
 * Maximum wait: as long as the functions that write a run's first route took to start on a busy machine. Not longer, because an unknown
 * host name waits as well while functions that have nothing to do with routes run.
 */
const MAX_WAIT_MS = 4000;

/**
 * Waits for the missing route of a host name while functions are active, in case it belongs to a new application, whose route is written
 * only after the stream is read. On AWS a route takes seconds to reach all edges. On one machine people open the address in the response
 * immediately, and a page that says that there is no application would be wrong.
 *
 * @param isKnown returns true once the route exists
 * @param activity the activity of the functions. While they are idle, no route is about to be written
 */
export async function awaitNewRoute(
  isKnown: () => boolean,
  activity: Pick<Activity, 'running' | 'idleMs'>,
  maxWaitMs = MAX_WAIT_MS,
): Promise<void> {
  const deadline = performance.now() + maxWaitMs;
  while (!isKnown() && performance.now() < deadline) {
    if (activity.running === 0 && activity.idleMs() > SETTLED_MS) return;
    await sleep(CHECK_MS);
  }
}
