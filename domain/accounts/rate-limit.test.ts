import fc from 'fast-check';
import { expect, test } from 'vitest';
import { counterAt, evaluateQuota } from './rate-limit.ts';

/** Keeps the counter in memory: counts, evaluates the quota and reverts rejected requests, like runtime/http/authenticate.ts. */
function limiter(limit: number) {
  const item: Record<string, number> = {};
  return (milliseconds: number) => {
    const now = new Date(milliseconds);
    const counter = counterAt(now);
    item[counter] = (item[counter] ?? 0) + 1;
    const quota = evaluateQuota(item, now, limit);
    if (quota.retryAfter !== undefined) item[counter] -= 1;
    for (const name of quota.stale) delete item[name];
    return quota;
  };
}

const START = Date.parse('2026-01-01T00:00:00.250Z');
const gaps = fc.array(fc.integer({ min: 0, max: 9_000 }), { minLength: 1, maxLength: 120 });

test('never allows more than the limit in any 60 seconds, and is at most one second stricter', () => {
  fc.assert(
    fc.property(gaps, fc.integer({ min: 1, max: 12 }), (pauses, limit) => {
      const ask = limiter(limit);
      const allowed: number[] = [];
      let at = START;
      for (const pause of pauses) {
        at += pause;
        const within = (seconds: number) => allowed.filter((time) => time > at - seconds * 1000).length;
        const { retryAfter } = ask(at);
        if (retryAfter === undefined) {
          expect(within(60)).toBeLessThan(limit);
          allowed.push(at);
        } else {
          expect(within(61)).toBeGreaterThanOrEqual(limit);
        }
      }
    }),
  );
});

test('a client that waits for Retry-After gets through', () => {
  fc.assert(
    fc.property(gaps, fc.integer({ min: 1, max: 12 }), (pauses, limit) => {
      const ask = limiter(limit);
      let at = START;
      for (const pause of pauses) {
        at += pause;
        const { retryAfter } = ask(at);
        if (retryAfter === undefined) continue;
        expect(retryAfter).toBeLessThanOrEqual(61);
        at += retryAfter * 1000;
        expect(ask(at).retryAfter).toBeUndefined();
      }
    }),
  );
});

test('the headers count down and give the second when the oldest request expires', () => {
  const ask = limiter(3);
  const second = Math.floor(START / 1000);
  expect(ask(START)).toMatchObject({ limit: 3, remaining: 2, reset: second + 61, retryAfter: undefined });
  expect(ask(START + 10_000)).toMatchObject({ remaining: 1, reset: second + 61 });
  expect(ask(START + 20_000)).toMatchObject({ remaining: 0, reset: second + 61 });
  expect(ask(START + 30_000)).toMatchObject({ remaining: 0, retryAfter: 31 });
  expect(ask(START + 61_000)).toMatchObject({ remaining: 0, reset: second + 71 });
});
