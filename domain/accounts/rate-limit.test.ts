import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countAt, evaluateQuota } from './rate-limit.ts';

/** Keeps the counter in memory: counts, evaluates the quota and reverts rejected requests, like runtime/http/rate-limit.ts. */
function limiter(limit: number) {
  const item: Record<string, number> = {};
  return (milliseconds: number) => {
    const now = new Date(milliseconds);
    const add = (requests: number): void => {
      for (const [name, value] of Object.entries(countAt(now, requests))) item[name] = (item[name] ?? 0) + value;
    };
    add(1);
    const quota = evaluateQuota(item, now, limit);
    if (quota.retryAfter !== undefined) add(-1);
    if (quota.fullAt !== undefined) item.fullAt = quota.fullAt;
    for (const name of quota.stale) delete item[name];
    return quota;
  };
}

const START = Date.parse('2026-01-01T00:00:00.250Z');
/** Pauses in milliseconds: bursts within a second, and longer pauses. */
const pause = fc.oneof(
  fc.integer({ min: 0, max: 200 }),
  fc.integer({ min: 0, max: 9_000 }),
  fc.integer({ min: 57_000, max: 62_000 }),
);
const gaps = fc.array(pause, { minLength: 1, maxLength: 120 });

test('never allows more than the limit in any 60 seconds, and is at most one second stricter', () => {
  fc.assert(
    fc.property(gaps, fc.integer({ min: 1, max: 12 }), (pauses, limit) => {
      const ask = limiter(limit);
      const allowed: number[] = [];
      let at = START;
      for (const pause of pauses) {
        at += pause;
        const within = (seconds: number) => allowed.filter((time) => time > at - seconds * 1000).length;
        const { remaining, retryAfter, reset } = ask(at);
        expect(reset).toBeGreaterThan(at / 1000);
        expect(reset).toBeLessThanOrEqual(Math.floor(at / 1000) + 60);
        if (retryAfter === undefined) {
          if (remaining > 0) expect(reset).toBe(Math.floor(at / 1000) + 60);
          expect(within(60)).toBeLessThan(limit);
          allowed.push(at);
        } else {
          expect(within(61)).toBeGreaterThanOrEqual(limit);
        }
      }
    }),
  );
});

test('a client that waits for Retry-After is allowed', () => {
  fc.assert(
    fc.property(gaps, fc.integer({ min: 1, max: 12 }), (pauses, limit) => {
      const ask = limiter(limit);
      let at = START;
      for (const pause of pauses) {
        at += pause;
        const { retryAfter } = ask(at);
        if (retryAfter === undefined) continue;
        expect(retryAfter).toBeLessThanOrEqual(60);
        at += retryAfter * 1000;
        expect(ask(at).retryAfter).toBeUndefined();
      }
    }),
  );
});

test('the headers count down and give the second when the limit is whole again, or the next request is allowed', () => {
  const ask = limiter(3);
  const second = Math.floor(START / 1000);
  expect(ask(START)).toMatchObject({ limit: 3, remaining: 2, reset: second + 60, retryAfter: undefined });
  expect(ask(START + 10_000)).toMatchObject({ remaining: 1, reset: second + 70 });
  expect(ask(START + 20_000)).toMatchObject({ remaining: 0, reset: second + 60 });
  expect(ask(START + 30_000)).toMatchObject({ remaining: 0, retryAfter: 31, reset: second + 61 });
  expect(ask(START + 61_000)).toMatchObject({ remaining: 0, reset: second + 70 });
});

test('a burst within one second is allowed again 60 seconds after its first refusal, not before', () => {
  const ask = limiter(3);
  for (const at of [0, 100, 200]) expect(ask(START + at).retryAfter).toBeUndefined();
  expect(ask(START + 300).retryAfter).toBe(60);
  expect(ask(START + 400).retryAfter).toBe(60);
  expect(ask(START + 5_000).retryAfter).toBe(56);
  expect(ask(START + 60_250).retryAfter).toBe(1);
  expect(ask(START + 60_300).retryAfter).toBeUndefined();
});

test('counts thousands of requests in each of four seconds exactly', () => {
  const ask = limiter(1_000_000);
  const second = Math.floor(START / 1000) * 1000;
  const sent = 8_999;
  let remaining = 0;
  for (let at = 0; at < 8; at += 1) {
    for (let count = 0; count < sent; count += 1) remaining = ask(second + at * 1000).remaining;
  }
  expect(remaining).toBe(1_000_000 - 8 * sent);
  // The first second has left the window, the others of its attribute have not.
  expect(ask(second + 61_000).remaining).toBe(1_000_000 - 7 * sent - 1);
});

test('a client over its limit is not refused for the hour by which the clock is set back', () => {
  const ask = limiter(3);
  for (let sent = 0; sent < 3; sent += 1) ask(START);
  expect(ask(START).retryAfter).toBeDefined();
  const back = START - 3_600_000;
  expect([ask(back), ask(back), ask(back)].map(({ remaining }) => remaining)).toEqual([2, 1, 0]);
  expect(ask(back).retryAfter).toBe(60);
  // The clocks of two processes may differ a little: requests that were counted slightly in the future count.
  const other = limiter(3);
  other(START + 2000);
  expect(other(START).remaining).toBe(1);
});

test('counts the per-second attributes of earlier versions, and removes them when they are old', () => {
  const now = new Date(START);
  const second = Math.floor(START / 1000);
  const item = { [`h${second - 61}`]: 5, [`h${second - 60}`]: 3, [`h${second}`]: 2, hash: 'h1', createdAt: '2026' };
  expect(evaluateQuota(item, now, 10)).toMatchObject({ remaining: 5, stale: [`h${second - 61}`], reset: second + 60 });
});

test('an item in constant use has a quarter as many attributes as the window has seconds', () => {
  const item: Record<string, number> = {};
  for (let at = 0; at < 300; at += 1) {
    const now = new Date(START + at * 1000);
    for (const [name, value] of Object.entries(countAt(now))) item[name] = (item[name] ?? 0) + value;
    for (const name of evaluateQuota(item, now, 120).stale) delete item[name];
  }
  expect(Object.keys(item).length).toBeLessThanOrEqual(17);
});
