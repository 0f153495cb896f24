import { expect, test } from 'vitest';
import { idGenerator, newId } from './ids.ts';

test('ids sort by creation time, also within a millisecond, and are unique', () => {
  const ids = Array.from({ length: 5_000 }, () => newId('app'));
  expect(new Set(ids).size).toBe(ids.length);
  expect([...ids].sort()).toEqual(ids);
});

test('an id is its prefix and a ULID in lower case that holds the time', () => {
  const idAt = (time: number) => idGenerator(() => time)('app');
  expect(idAt(1)).toMatch(/^app_0000000001[0-9a-hjkmnp-tv-z]{16}$/);
  expect(idAt(1) < idAt(2)).toBe(true);
  expect(idAt(1)).not.toBe(idAt(1));
});

test('ids keep their order when the clock is set back', () => {
  let time = 2;
  const create = idGenerator(() => time--);
  const ids = [create('app'), create('app')];
  expect([...ids].sort()).toEqual(ids);
});

test('an id does not tell the next one of the same millisecond', () => {
  const create = idGenerator(() => 1);
  const [first, second] = [create('app'), create('app')];
  // The last digits are random; a library that adds one would change the last digit alone.
  expect(second.slice(-7)).not.toBe(first.slice(-7));
  expect(second.slice(-7, -1)).not.toBe(first.slice(-7, -1));
});
