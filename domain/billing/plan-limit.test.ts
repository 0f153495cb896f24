import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { allowedApps, nextSteps, nextSuspension, type Step } from './plan-limit.ts';

const DAY = 24 * 3600_000;
const START = Date.parse('2026-01-31T09:30:00.000Z');
const day = (count: number) => new Date(START + count * DAY);
const iso = (count: number) => day(count).toISOString();
/** The steps after a limit and a number of applications on a day. */
const after = (steps: readonly Step[], appLimit: number, appCount: number, on: number) =>
  nextSteps(steps, { appLimit, appCount, now: day(on) });

test('a lowered limit excludes the newest applications seven days later', () => {
  const steps = after([], 3, 10, 0);
  expect(steps).toEqual([{ appLimit: 3, suspendsAt: iso(7) }]);
  expect([allowedApps(steps, day(6.9)), allowedApps(steps, day(7))]).toEqual([Infinity, 3]);
  expect(nextSuspension({ steps, enforcedUntil: '' })).toBe(iso(7));
  expect(nextSuspension({ steps, enforcedUntil: iso(7) })).toBeUndefined();
});

test('applications that a second reduction excludes get their own seven days, and the others keep theirs', () => {
  const steps = after(after([], 3, 10, 0), 1, 10, 5);
  expect(steps).toEqual([
    { appLimit: 3, suspendsAt: iso(7) },
    { appLimit: 1, suspendsAt: iso(12) },
  ]);
  expect([allowedApps(steps, day(7)), allowedApps(steps, day(12))]).toEqual([3, 1]);
});

test('a raised limit resumes the applications that it includes immediately, and gives the others no new period', () => {
  const steps = after(after([], 1, 10, 0), 5, 10, 8);
  expect(steps).toEqual([{ appLimit: 5, suspendsAt: iso(7) }]);
  expect(allowedApps(steps, day(8))).toBe(5);
  expect(after(steps, 10, 10, 8)).toEqual([]);
});

test('a step that no longer excludes an application is removed', () => {
  const steps = after(after([], 3, 10, 0), 1, 10, 5);
  expect(after(steps, 1, 4, 6)).toEqual(steps);
  expect(after(steps, 1, 3, 6)).toEqual([{ appLimit: 1, suspendsAt: iso(12) }]);
});

test('an account within its limit has no steps', () => {
  expect(after([], 3, 3, 0)).toEqual([]);
  expect(after(after([], 3, 5, 0), 3, 3, 1)).toEqual([]);
});

describe('for any sequence of changes', () => {
  const Change = fc.record({
    appLimit: fc.integer({ min: 0, max: 12 }),
    wanted: fc.integer({ min: 0, max: 12 }),
    days: fc.integer({ min: 0, max: 9 }),
  });

  test('suspends no application that the limit allows, and none earlier than seven days after the limit first excluded it', () => {
    fc.assert(
      fc.property(fc.array(Change, { maxLength: 12 }), (changes) => {
        let steps: Step[] = [];
        let now = 0;
        let appCount = 0;
        // The day since which each rank has been beyond the limit without interruption.
        const excludedSince = new Map<number, number>();
        for (const { appLimit, wanted, days } of changes) {
          now += days;
          // Beyond the limit no application can be created.
          appCount = Math.min(wanted, Math.max(appCount, appLimit));
          steps = after(steps, appLimit, appCount, now);
          for (let rank = 0; rank < 12; rank += 1) {
            const isExcluded = rank >= appLimit && rank < appCount;
            if (!isExcluded) excludedSince.delete(rank);
            else if (!excludedSince.has(rank)) excludedSince.set(rank, now);
          }
          const allowed = allowedApps(steps, day(now));
          for (let rank = allowed; rank < appCount; rank += 1) {
            expect(rank).toBeGreaterThanOrEqual(appLimit);
            expect(now - (excludedSince.get(rank) ?? now)).toBeGreaterThanOrEqual(7);
          }
          // Seven days later, without further changes, exactly the allowed number runs.
          if (appCount > appLimit) expect(allowedApps(steps, day(now + 7))).toBe(appLimit);
        }
      }),
      { numRuns: 2000 },
    );
  });
});
