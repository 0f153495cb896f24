import { expect, test } from 'vitest';
import type { Activity } from '../lambda/lambda.ts';
import { createPollPause } from './poll-pace.ts';

const HOUR_MS = 3_600_000;
const never = new AbortController().signal;

/** Functions of which none runs, and whose next invocation the test ends. */
function quiet(idleMs = Number.POSITIVE_INFINITY) {
  const listeners = new Set<() => void>();
  const waiting = Promise.withResolvers<void>();
  const activity: Activity = {
    running: 0,
    idleMs: () => idleMs,
    onceEnded: (listener) => {
      listeners.add(listener);
      waiting.resolve();
      return () => listeners.delete(listener);
    },
  };
  return { activity, listeners, waiting: waiting.promise };
}

test('the stream is polled at once when an invocation ends after a quiet time', async () => {
  const { activity, listeners, waiting } = quiet();
  const paused = createPollPause(activity, HOUR_MS)(never);
  await waiting;
  for (const listener of listeners) listener();
  await paused;
  expect(listeners.size).toBe(0);
});

test('the stream is polled often while functions run, and shortly after', async () => {
  const { activity, listeners } = quiet();
  await createPollPause({ ...activity, running: 1 }, HOUR_MS)(never);
  await createPollPause(quiet(0).activity, HOUR_MS)(never);
  expect(listeners.size).toBe(0);
});

test('a stop ends the pause of a quiet run', async () => {
  const { activity, listeners, waiting } = quiet();
  const stopping = new AbortController();
  const paused = createPollPause(activity, HOUR_MS)(stopping.signal);
  await waiting;
  stopping.abort();
  await expect(paused).rejects.toThrow('aborted');
  expect(listeners.size).toBe(0);
});
