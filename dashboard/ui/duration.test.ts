import { expect, test } from 'vitest';
import { formatDuration, formatDurationBetween } from './duration.ts';

test.each([
  [-5, '0 s'],
  [4600, '5 s'],
  [59_900, '1 min'],
  [125_000, '2 min 5 s'],
  [3_600_000, '1 h'],
  [3_780_000, '1 h 3 min'],
])('formats %i ms as %s', (milliseconds, words) => {
  expect(formatDuration(milliseconds)).toBe(words);
});

test('formats the time between two timestamps of the contract', () => {
  expect(formatDurationBetween('2026-01-31T09:30:00.000Z', '2026-01-31T09:31:30.400Z')).toBe('1 min 30 s');
});
