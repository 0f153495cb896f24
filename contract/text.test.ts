import { expect, test } from 'vitest';
import { truncate } from './text.ts';

test.each([
  ['short', 5, 'short'],
  ['longer', 4, 'long'],
  ['a🙂b', 2, 'a'],
  ['a🙂b', 3, 'a🙂'],
])('the beginning of %s, %i characters long, is Unicode text', (text, length, expected) => {
  expect(truncate(text, length)).toBe(expected);
});
