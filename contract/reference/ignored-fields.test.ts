import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { populate, walkable } from '../../test/support/schemas.ts';
import type { Route } from '../route.ts';
import { dashboardRoutes, operatorRoutes, routes } from '../routes.ts';
import { findIgnoredFields, toIgnoredHeader } from './ignored-fields.ts';

const withBody = ([...routes, ...dashboardRoutes, ...operatorRoutes] as readonly Route[])
  .filter(({ body, access }) => body && access !== 'hook')
  .map((route) => [`${route.method} ${route.path}`, route] as const);

describe('the fields of a body that an operation does not know', () => {
  test.each(withBody)('%s: are found at every depth', (_name, { body }) => {
    const schema = body?.();
    if (!schema) throw new Error('a body was expected');
    // A value with every field of the schema, and one more, `internal`, in each object.
    const found = findIgnoredFields(schema, populate(walkable(schema)));
    expect(found).toContain('internal');
    expect(found.filter((path) => !/(^|\.)internal$/.test(path))).toEqual([]);
    expect(found.length).toBe(JSON.stringify(populate(walkable(schema))).split('"internal":').length - 1);
  });

  test('are those of the option that knows most of the value', () => {
    const schema = z.object({ at: z.union([z.object({ a: z.string() }), z.object({ b: z.string(), c: z.string() })]) });
    expect(findIgnoredFields(schema, { at: { b: '', c: '', d: '' } })).toEqual(['at.d']);
    expect(findIgnoredFields(z.looseObject({ a: z.string() }), { a: '', b: '' })).toEqual([]);
    expect(findIgnoredFields(z.strictObject({ a: z.string() }), { a: '', b: '' })).toEqual(['b']);
  });

  test('include names of the prototype', () => {
    expect(findIgnoredFields(z.object({}), JSON.parse('{"__proto__": 1, "constructor": 1}'))).toEqual([
      '__proto__',
      'constructor',
    ]);
  });
});

test('the header holds any name safely, and no more than it should', () => {
  expect(toIgnoredHeader([])).toEqual({});
  expect(toIgnoredHeader(['vars.0.note', 'a\r\nset-cookie: x'])).toEqual({
    'x-ignored-parameters': 'vars.0.note, a??set-cookie??x',
  });
  const many = toIgnoredHeader(Array.from({ length: 1000 }, () => 'x'.repeat(1000)));
  expect(many['x-ignored-parameters']?.length).toBeLessThan(4000);
});
