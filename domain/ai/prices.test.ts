import fc from 'fast-check';
import { expect, test } from 'vitest';
import { affordableTokens, calculateCost, microRandToRand, randPerMillion } from './prices.ts';

const rate = { price: { input: 2.5, cachedInput: 1.25, cacheWrite: 3.125, output: 10 }, randPerDollar: 18.5 };
const none = { input: 0, cached: 0, cacheWrite: 0, output: 0 };

test('charges each token once at its own price and rounds up once', () => {
  // 2.5 dollars per million at 18.50 is 46.25 micro-rand per token.
  expect(calculateCost(rate, { ...none, input: 1 })).toBe(47);
  expect(calculateCost(rate, { ...none, input: 4 })).toBe(185);
  expect(calculateCost(rate, { input: 1000, cached: 1000, cacheWrite: 1000, output: 1000 })).toBe(312_188);
  expect(calculateCost(rate, none)).toBe(0);
});

test('the tokens that an amount covers never cost more than it, and one more token does', () => {
  fc.assert(
    fc.property(fc.nat(1_000_000_000), fc.integer({ min: 1, max: 1_000_000 }), (microRand, price) => {
      const at = { price: { ...rate.price, output: price / 1000 }, randPerDollar: 18.1234 };
      const output = affordableTokens(at, microRand);
      expect(calculateCost(at, { ...none, output })).toBeLessThanOrEqual(microRand);
      expect(calculateCost(at, { ...none, output: output + 1 })).toBeGreaterThanOrEqual(microRand);
    }),
  );
});

test('rounds prices half up and balances down', () => {
  expect(randPerMillion(2.5, 18.5)).toBe('46.25');
  expect(randPerMillion(0.05, 18.1)).toBe('0.91');
  expect(randPerMillion(0, 18)).toBe('0.00');
  expect(microRandToRand(100_000_000)).toBe('100.00');
  expect(microRandToRand(999_999)).toBe('0.99');
  expect(microRandToRand(9_999)).toBe('0.00');
});
