import { afterEach, expect, test, vi } from 'vitest';
import { awaitNewRoute } from './new-routes.ts';

const HOUR_MS = 3_600_000;
afterEach(() => {
  vi.restoreAllMocks();
});

const resting = { running: 0, idleMs: () => Number.POSITIVE_INFINITY };

test('a known route is not waited for, and neither is any while the functions rest', async () => {
  const isKnown = vi.fn(() => true);
  await awaitNewRoute(isKnown, { running: 1, idleMs: () => 0 }, HOUR_MS);
  expect(isKnown).toHaveBeenCalledTimes(1);
  const isUnknown = vi.fn(() => false);
  await awaitNewRoute(isUnknown, resting, HOUR_MS);
  expect(isUnknown).toHaveBeenCalledTimes(1);
});

test.each([
  ['runs', { running: 1, idleMs: () => 0 }],
  ['has just ended', { running: 0, idleMs: () => 0 }],
])('a route that arrives while a function %s is waited for', async (_what, activity) => {
  let looks = 0;
  await awaitNewRoute(() => ++looks === 4, activity, HOUR_MS);
  expect(looks).toBe(4);
});

test('the wait ends when the functions rest, or at its limit', async () => {
  let looks = 0;
  const settling = { running: 0, idleMs: () => (++looks < 4 ? 0 : HOUR_MS) };
  await awaitNewRoute(() => false, settling, HOUR_MS);
  expect(looks).toBe(4);
  await awaitNewRoute(() => false, { running: 1, idleMs: () => 0 }, 30);
});

test('the functions may start cold on a busy machine before they write the route', async () => {
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  const isKnown = () => {
    now += 500;
    return now >= 3500;
  };
  await awaitNewRoute(isKnown, { running: 1, idleMs: () => 0 });
  expect(now).toBe(3500);
});
