import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { populate, unlistedFields, walkable } from './schemas.ts';

const schema = walkable(
  z.object({
    id: z.string(),
    owner: z.nullable(z.object({ name: z.string() })),
    lines: z.optional(z.array(z.object({ cents: z.int() }))),
    usage: z.record(z.string(), z.string()),
    result: z.union([z.object({ ok: z.literal(true) }), z.object({ ok: z.literal(false), why: z.string() })]),
  }),
);
const listed = {
  id: '',
  owner: { name: '' },
  lines: [{ cents: 1 }],
  usage: { Disk: '' },
  result: { ok: false, why: '' },
};

test('finds no field in a value that has only what its schema lists', () => {
  expect(unlistedFields(schema, listed)).toEqual([]);
  expect(unlistedFields(schema, { ...listed, owner: null, lines: undefined })).toEqual([]);
});

test('finds every field that the schema does not list, at every depth', () => {
  const value = {
    id: '',
    usage: {},
    more: 1,
    owner: { name: '', card: '' },
    lines: [{ cents: 1 }, { cents: 2, cost: 1 }],
    result: { ok: true, why: '' },
  };
  expect(unlistedFields(schema, value)).toEqual(['more', 'owner.card', 'lines[1].cost', 'result.why']);
});

test('populates every field, with one more in each object', () => {
  const value = populate(schema);
  expect(value).toMatchObject({ owner: { internal: 1 }, lines: [{ cents: 1, internal: 1 }], internal: 1 });
  expect(unlistedFields(schema, value)).toEqual(['owner.internal', 'lines[0].internal', 'result.internal', 'internal']);
});
