import { expect, test } from 'vitest';
import { budgetShare, toAiBudget } from './ai-budget.ts';

test('a budget is typed with or without cents, and an empty one is none', () => {
  expect(['', ' ', '100', '99.50', 'x'].map(toAiBudget)).toEqual([null, null, '100.00', '99.50', 'x']);
});

test('a key has spent a share of its budget, if it has one', () => {
  expect(budgetShare({ aiBudget: '50.00', aiSpent: '40.00' })).toBe(0.8);
  expect(budgetShare({ aiBudget: null, aiSpent: '40.00' })).toBeUndefined();
});
