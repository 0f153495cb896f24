import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromItem, toItem } from './attributes.ts';

const leaf = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 }).map((value) => value || 0),
  fc.boolean(),
  fc.constant(null),
);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, leaf, fc.array(tie('value'), { maxLength: 4 }), tie('map')),
  map: fc.dictionary(fc.string(), tie('value'), { maxKeys: 4, noNullPrototype: true }),
}));
const items = fc.dictionary(fc.string(), value, { noNullPrototype: true });

test('marshals and unmarshals items like the SDK’s own converter', () => {
  fc.assert(
    fc.property(items, (item) => {
      const written = toItem(item);
      expect(written).toEqual(marshall(item));
      expect(fromItem(written)).toEqual(unmarshall(marshall(item)));
    }),
  );
});

test('omits undefined at any depth', () => {
  expect(toItem({ a: undefined, b: { c: undefined, d: 1 } })).toEqual({ b: { M: { d: { N: '1' } } } });
});

test.each([Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, 1n, new Date(), new Map(), () => 1, Symbol('s')])(
  'rejects %s instead of corrupting it',
  (value) => {
    expect(() => toItem({ value })).toThrow('storable');
  },
);

test('rejects an attribute type that no entity uses', () => {
  const set: unknown = { SS: ['a'] };
  expect(() => fromItem({ set: set as { S: string } })).toThrow('SS');
});
