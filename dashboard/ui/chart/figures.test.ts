import { expect, test } from 'vitest';
import { formatCount, formatMs, formatShare } from './figures.ts';

test('figures are short and keep the digits that matter', () => {
  expect([0, 12, 9999, 12_345, 3_400_000].map(formatCount)).toEqual(['0', '12', '9999', '12.3k', '3.4M']);
  expect([3.2, 999, 1340].map(formatMs)).toEqual(['3 ms', '999 ms', '1.3 s']);
  expect([formatShare(0, 10), formatShare(1, 300), formatShare(1, 2), formatShare(0, 0)]).toEqual([
    '0%',
    '0.33%',
    '50%',
    '–',
  ]);
});
