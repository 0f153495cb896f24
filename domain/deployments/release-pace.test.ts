import { expect, test } from 'vitest';
import { firstPace, rateAt, refill, secondsUntil, slow } from './release-pace.ts';

const START = Date.parse('2026-01-01T00:00:00.000Z');
const at = (seconds: number) => new Date(START + seconds * 1000);

test('a slowed pace admits releases at its rate while the clock is set back, and no later', () => {
  const slowed = slow(firstPace(at(0)), at(0)) ?? expect.unreachable();
  const rate = rateAt(slowed, at(0));
  expect(rateAt(slowed, at(-3600))).toBe(rate);
  const waiting = refill(refill(slowed, at(-3600)), at(-3599));
  expect(waiting.tokens).toBe(rate);
  expect(secondsUntil(waiting, 10, at(-3599))).toBeGreaterThan(0);
  expect(rateAt(slowed, at(10))).toBe(rate + 1);
});
