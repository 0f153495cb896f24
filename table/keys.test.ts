import fc from 'fast-check';
import { expect, test } from 'vitest';
import { joinKey } from './keys.ts';

const parts = fc.array(fc.string({ unit: fc.constantFrom('#', '%', '2', '3', '5', 'a', 'A', 'é') }), {
  minLength: 1,
  maxLength: 4,
});

/** The inverse of `joinKey`: it exists only if different parts never result in the same key. */
const splitKey = (key: string): string[] =>
  key.split('#').map((part) => part.replaceAll('%23', '#').replaceAll('%25', '%'));

test('a key parses into its parts', () => {
  fc.assert(
    fc.property(parts, (made) => {
      expect(splitKey(joinKey(...made))).toEqual(made);
    }),
  );
});

test('different lists of parts have different keys', () => {
  fc.assert(
    fc.property(parts, parts, (a, b) => {
      fc.pre(JSON.stringify(a) !== JSON.stringify(b));
      expect(joinKey(...a)).not.toBe(joinKey(...b));
    }),
  );
});
