import { expect, test } from 'vitest';
import { spendByDay, spendByModel } from './spend.ts';

test('sums spending by model, highest first, without purchases', () => {
  const call = (model: string, amountMicroRand: number) => ({ type: 'CALL' as const, model, amountMicroRand });
  const bought = { type: 'PURCHASE' as const, model: null, amountMicroRand: 1_000_000 };
  expect(spendByModel([call('a/x', -100), call('b/y', -300), bought, call('a/x', -50)])).toEqual([
    { model: 'b/y', microRand: 300, calls: 1 },
    { model: 'a/x', microRand: 150, calls: 2 },
  ]);
});

test('sums spending by day, including days without any, from the first known entry on', () => {
  const call = (createdAt: string, amountMicroRand: number) => ({ type: 'CALL' as const, createdAt, amountMicroRand });
  const now = Date.parse('2026-03-02T08:00:00.000Z');
  const entries = [
    call('2026-03-02T01:00:00.000Z', -100),
    call('2026-02-28T23:59:59.999Z', -30),
    call('2026-02-28T00:00:00.000Z', -3),
    { ...call('2026-02-28T00:00:00.000Z', 1_000_000), type: 'PURCHASE' as const },
  ];
  const days = [
    { day: '2026-02-28', microRand: 33 },
    { day: '2026-03-01', microRand: 0 },
    { day: '2026-03-02', microRand: 100 },
  ];
  expect(spendByDay(entries, now, 14)).toEqual(days);
  expect(spendByDay(entries, now, 2)).toEqual(days.slice(1));
  expect(spendByDay([], now, 14)).toEqual([{ day: '2026-03-02', microRand: 0 }]);
});
