import { expect, test } from 'vitest';
import { formatDuration } from './duration.ts';

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
