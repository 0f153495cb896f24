import fc from 'fast-check';
import { expect, test } from 'vitest';
import { affordableOutput, calculateCost, debtToRand, maxCost, microRandToRand, randPerMillion } from './prices.ts';

const rate = { price: { input: 2.5, cachedInput: 1.25, cacheWrite: 3.125, output: 10 }, randPerDollar: 18.5 };
const none = { input: 0, cached: 0, cacheWrite: 0, output: 0 };

test('charges each token once at its own price and rounds up once', () => {
  // 2.5 dollars per million at 18.50 is 46.25 micro-rand per token.
  expect(calculateCost(rate, { ...none, input: 1 })).toBe(47);
  expect(calculateCost(rate, { ...none, input: 4 })).toBe(185);
  expect(calculateCost(rate, { input: 1000, cached: 1000, cacheWrite: 1000, output: 1000 })).toBe(312_188);
  expect(calculateCost(rate, none)).toBe(0);
});

test('the affordable output never costs more than the amount, and one more token does', () => {
  const amounts = fc.tuple(fc.nat(1_000_000_000), fc.integer({ min: 1, max: 1_000_000 }), fc.nat(20_000));
  fc.assert(
    fc.property(amounts, ([microRand, price, prompt]) => {
      const steps = [{ above: 10_000, price: { ...rate.price, input: 5, output: price / 500 } }];
      const at = { price: { ...rate.price, output: price / 1000 }, steps, randPerDollar: 18.1234 };
      const output = affordableOutput(at, prompt, microRand);
      if (output < 0) {
        expect(maxCost(at, prompt, 0)).toBeGreaterThan(microRand);
        return;
      }
      expect(maxCost(at, prompt, output)).toBeLessThanOrEqual(microRand);
      expect(maxCost(at, prompt, output + 1)).toBeGreaterThanOrEqual(microRand);
    }),
  );
});

test("a prompt beyond a price step is charged at the step's price as a whole", () => {
  const step = { input: 4, cachedInput: 0.4, cacheWrite: 5, output: 20 };
  const at = { ...rate, steps: [{ above: 1_000, price: step }] };
  const dearer = { price: step, randPerDollar: rate.randPerDollar };
  const atStep = { input: 400, cached: 300, cacheWrite: 300, output: 50 };
  expect(calculateCost(at, atStep)).toBe(calculateCost(rate, atStep));
  expect(calculateCost(at, { ...atStep, cached: 301 })).toBe(calculateCost(dearer, { ...atStep, cached: 301 }));
});

test('a debt is displayed rounded up', () => {
  expect([debtToRand(0), debtToRand(1), debtToRand(10_000), debtToRand(10_001)]).toEqual([
    '0.00',
    '0.01',
    '0.01',
    '0.02',
  ]);
});

test('rounds prices half up and balances down', () => {
  expect(randPerMillion(2.5, 18.5)).toBe('46.25');
  expect(randPerMillion(0.05, 18.1)).toBe('0.91');
  expect(randPerMillion(0, 18)).toBe('0.00');
  expect(microRandToRand(100_000_000)).toBe('100.00');
  expect(microRandToRand(999_999)).toBe('0.99');
  expect(microRandToRand(9_999)).toBe('0.00');
});
