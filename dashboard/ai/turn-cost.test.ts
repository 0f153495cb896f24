import { expect, test } from 'vitest';
import { turnCost } from './turn-cost.ts';

test('an answer costs what its tokens cost, at the price of its prompt’s length', () => {
  const model = {
    pricing_zar_per_million: { input: '10.00', output: '40.00' },
    pricing_steps: [{ above_prompt_tokens: 1000, input: '20.00', output: '80.00' }],
  };
  expect(turnCost({ prompt_tokens: 100, completion_tokens: 50 }, model)).toBe(3000);
  expect(turnCost({ prompt_tokens: 1001, completion_tokens: 1 }, model)).toBe(20_100);
  expect(turnCost({ prompt_tokens: 1, completion_tokens: 1 }, undefined)).toBeUndefined();
});
