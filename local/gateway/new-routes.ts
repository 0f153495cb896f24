import { setTimeout as sleep } from 'node:timers/promises';
import type { Activity } from '../lambda/lambda.ts';

/** Pause between two looks at the store, in milliseconds. */
const LOOK_MS = 20;
/** Milliseconds after an invocation in which the stream may not have been read to a change that it made. */
const SETTLED_MS = 300;
/** The longest wait, in milliseconds. Functions may run for long that have nothing to do with routes. */
const LIMIT_MS = 2000;

/**
 * Waits for the route of a host name that has none while functions work, in case it belongs to an application that was created
 * a moment ago: its route is written after the stream was read. On AWS a route takes seconds to reach all edges; on one machine people
 * follow the address in the response at once, and a page that says that nothing is there would be wrong.
 *
 * @param isKnown true once the route has arrived
 * @param activity of the functions: at rest, no route is about to be written
 */
export async function awaitNewRoute(
  isKnown: () => boolean,
  activity: Pick<Activity, 'running' | 'idleMs'>,
  limitMs = LIMIT_MS,
): Promise<void> {
  const until = performance.now() + limitMs;
  while (!isKnown() && performance.now() < until) {
    if (activity.running === 0 && activity.idleMs() > SETTLED_MS) return;
    await sleep(LOOK_MS);
  }
}
