import fc from 'fast-check';
import { expect, test } from 'vitest';
import { costOf, outputFor, randOf, randPerMillion } from './ai/prices.ts';

const rate = { price: { input: 2.5, cachedInput: 1.25, cacheWrite: 3.125, output: 10 }, randPerDollar: 18.5 };
const none = { input: 0, cached: 0, cacheWrite: 0, output: 0 };

test('each token at its own price, once, rounded up once', () => {
  // 2.5 dollars per million at 18.50 is 46.25 micro-rand a token.
  expect(costOf(rate, { ...none, input: 1 })).toBe(47);
  expect(costOf(rate, { ...none, input: 4 })).toBe(185);
  expect(costOf(rate, { input: 1000, cached: 1000, cacheWrite: 1000, output: 1000 })).toBe(312_188);
  expect(costOf(rate, none)).toBe(0);
});

test('what an amount pays for never costs more than it, and one token more does', () => {
  fc.assert(
    fc.property(fc.nat(1_000_000_000), fc.integer({ min: 1, max: 1_000_000 }), (microRand, price) => {
      const at = { price: { ...rate.price, output: price / 1000 }, randPerDollar: 18.1234 };
      const output = outputFor(at, microRand);
      expect(costOf(at, { ...none, output })).toBeLessThanOrEqual(microRand);
      expect(costOf(at, { ...none, output: output + 1 })).toBeGreaterThanOrEqual(microRand);
    }),
  );
});

test('prices are shown rounded half up, balances rounded down', () => {
  expect(randPerMillion(2.5, 18.5)).toBe('46.25');
  expect(randPerMillion(0.05, 18.1)).toBe('0.91');
  expect(randPerMillion(0, 18)).toBe('0.00');
  expect(randOf(100_000_000)).toBe('100.00');
  expect(randOf(999_999)).toBe('0.99');
  expect(randOf(9_999)).toBe('0.00');
});
