import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isAmbiguous, isWhole, setMembers } from './json-splice.ts';

test.each([
  ['{"model":"a/b","seed":12345678901234567890}', '{"model":"b","seed":12345678901234567890}'],
  ['{ "x": [1, {"model": "no"}], "model" : "a/b" }', '{ "x": [1, {"model": "no"}], "model" :"b"}'],
  ['{"mod\\u0065l":"a/b"}', '{"mod\\u0065l":"b"}'],
  ['{"model":"a","model":"c"}', '{"model":"b","model":"b"}'],
  ['{"s":"\\\\\\"}, \\"model\\": 1"}', '{"s":"\\\\\\"}, \\"model\\": 1","model":"b"}'],
  ['{}', '{"model":"b"}'],
])('%s', (text, wanted) => {
  expect(setMembers(text, { model: 'b' })).toBe(wanted);
});

test('removes undefined members', () => {
  expect(setMembers('{"a":1,"b":{"c":[2]},"d":3}', { b: undefined, z: undefined, d: 4 })).toBe('{"a":1,"d":4}');
  expect(setMembers('{"a":1}', { a: undefined })).toBe('{}');
});

test('terminates for a text with closed brackets that is not valid JSON', () => {
  expect(setMembers('{"a":1,"b"},"c"', { d: 1 })).toBe('{"a":1,"b","d":1},"c"');
});

test('sets the given members of any object and keeps everything else unchanged', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.nat(3),
      (object, values, space) => {
        const text = JSON.stringify(object, null, space);
        const expected: Record<string, unknown> = JSON.parse(JSON.stringify({ ...object, ...values }));
        expect(JSON.parse(setMembers(text, values))).toEqual(expected);
      },
    ),
    { numRuns: 500 },
  );
});

test('no text from JSON.stringify is ambiguous, and every text with a duplicate key is', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string({ unit: 'grapheme' }), fc.jsonValue(), (value, key, other) => {
      fc.pre(!JSON.stringify([value, key]).includes('__proto__'));
      expect(isAmbiguous(JSON.stringify(value, null, 1))).toBe(false);
      const [name, inner] = [JSON.stringify(key), JSON.stringify(value)];
      expect(isAmbiguous(`[{"a":[{ ${name} : ${inner}, ${name}:${JSON.stringify(other)}}]}]`)).toBe(true);
    }),
  );
});

test.each([
  ['{"n":1,"\\u006e":2}', true],
  ['{"__proto__":{"n":1}}', true],
  ['{"a":{"n":1},"b":{"n":1},"n":["n","n",{"n":"\\"n\\":1,"}]}', false],
  ['[{"n":1},{"n":1}]', false],
  ['{"a":"\\\\","a":1}', true],
])('%s is ambiguous: %s', (text, expected) => {
  expect(isAmbiguous(text)).toBe(expected);
});

test('an object is whole, and none of its beginnings is', () => {
  const inputs = fc.tuple(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat());
  fc.assert(
    fc.property(inputs, ([object, at]) => {
      const text = JSON.stringify(object);
      expect(isWhole(`${text} `)).toBe(true);
      expect(isWhole(text.slice(0, 1 + (at % (text.length - 1))))).toBe(false);
    }),
  );
  expect(isWhole('{} x')).toBe(false);
});
