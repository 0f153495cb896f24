import { expect, test } from 'vitest';
import { spendBy, spendByDay } from './spend.ts';

const usage = [
  { day: '2026-01-30', model: 'a/small', calls: 2, amountMicroRand: 5 },
  { day: '2026-01-31', model: 'a/small', calls: 1, amountMicroRand: 10 },
  { day: '2026-01-31', model: 'b/large', calls: 1, amountMicroRand: 40 },
];

test('spending is summed by name, highest first', () => {
  expect(spendBy(usage, ({ model }) => model)).toEqual([
    { name: 'b/large', microRand: 40, calls: 1 },
    { name: 'a/small', microRand: 15, calls: 3 },
  ]);
  expect(spendBy([], String)).toEqual([]);
});

test('spending by day has every day up to now, and no other', () => {
  const now = Date.parse('2026-02-01T10:00:00.000Z');
  expect(spendByDay(usage, now, 3)).toEqual([
    { day: '2026-01-30', microRand: 5 },
    { day: '2026-01-31', microRand: 50 },
    { day: '2026-02-01', microRand: 0 },
  ]);
  expect(spendByDay(usage, now, 1)).toEqual([{ day: '2026-02-01', microRand: 0 }]);
});
