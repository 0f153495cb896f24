import { expect, test } from 'vitest';
import { measureReferences } from './schema-size.ts';

/** A schema of `levels` definitions, each of which refers ten times to the next. */
function nested(levels: number): object {
  const refer = (level: number) =>
    Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`p${index}`, { $ref: `#/$defs/d${level}` }]));
  const definitions = Array.from({ length: levels }, (_, level) => [
    `d${level}`,
    level + 1 < levels ? { type: 'object', properties: refer(level + 1) } : { type: 'string' },
  ]);
  return { type: 'object', properties: refer(0), $defs: Object.fromEntries(definitions) };
}

test('every reference counts as the size of its target', () => {
  expect(measureReferences({ type: 'object', properties: { a: { type: 'string' } } })).toBe(0);
  expect(measureReferences(nested(1))).toBeLessThan(2_000);
  expect(measureReferences(nested(6))).toBeGreaterThan(1e6);
  expect(measureReferences(nested(90))).toBeGreaterThan(1e80);
});

test.each<[string, object]>([
  ['itself', { type: 'object', properties: { next: { $ref: '#' } } }],
  ['a definition that refers to it', { $ref: '#/$defs/a', $defs: { a: { items: { $ref: '#/$defs/a' } } } }],
  ['another document', { $ref: 'https://example.com/schema.json' }],
  ['what is not there', { $ref: '#/$defs/constructor' }],
  ['what is decided later', { $dynamicRef: '#node', $defs: {} }],
])('a reference to %s has no bound', (_what, schema) => {
  expect(measureReferences(schema)).toBe(Number.POSITIVE_INFINITY);
});

test('a property may have the name of a reference keyword, and names may be escaped', () => {
  expect(measureReferences({ properties: { $ref: { type: 'string' } } })).toBe(0);
  expect(measureReferences({ $ref: '#/$defs/a~1b', $defs: { 'a/b': { type: 'string' } } })).toBeLessThan(200);
});
