import { expect, test } from 'vitest';
import { spendOf } from './spend.ts';

test('spending is summed by model, the most first, and purchases are none', () => {
  const call = (model: string, amountMicroRand: number) => ({ type: 'CALL' as const, model, amountMicroRand });
  const bought = { type: 'PURCHASE' as const, model: null, amountMicroRand: 1_000_000 };
  expect(spendOf([call('a/x', -100), call('b/y', -300), bought, call('a/x', -50)])).toEqual([
    { model: 'b/y', microRand: 300, calls: 1 },
    { model: 'a/x', microRand: 150, calls: 2 },
  ]);
});
