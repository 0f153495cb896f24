import { expect, test } from 'vitest';
import { newId } from './ids.ts';

test('ids sort by the time they were made, also within a millisecond, and never repeat', () => {
  const ids = Array.from({ length: 5_000 }, () => newId('app'));
  expect(new Set(ids).size).toBe(ids.length);
  expect([...ids].sort()).toEqual(ids);
  expect(newId('app', 1)).toMatch(/^app_[0-9a-z]{26}$/);
  expect(newId('app', 1) < newId('app', 2)).toBe(true);
});
