import { expect, expectTypeOf, test } from 'vitest';
import type { Deps } from '../domain/deps.ts';
import { type RuleDeps, rules } from './rules.ts';
import { Test } from './trigger.ts';

/** The parts of a schema that this test reads. */
interface Schema {
  safeParse(value: unknown): { success: boolean };
  def: { type: string; innerType?: Schema; shape?: Record<string, Schema> };
}

/** The schema without `optional` and `nullable`. */
function inner(schema: Schema): Schema {
  const { type, innerType } = schema.def;
  return (type === 'optional' || type === 'nullable') && innerType ? inner(innerType) : schema;
}

function fieldOf(schema: Schema, path: string): Schema {
  return path.split('.').reduce((at, name) => {
    const field = inner(at).def.shape?.[name];
    if (!field) throw new Error(`the entity has no field ${path}`);
    return field;
  }, schema);
}

/** Every field that a condition names, with what it expects of it. */
const fieldsOf = (where: object, prefix = ''): [path: string, expected: unknown][] =>
  Object.entries(where).flatMap(([name, expected]): [string, unknown][] =>
    typeof expected === 'object' && expected !== null && !(expected instanceof Test)
      ? fieldsOf(expected, `${prefix}${name}.`)
      : [[`${prefix}${name}`, expected]],
  );

// Rules use what they are given when they act, not before.
const all = Object.entries(rules({} as RuleDeps));

test('rules are given the table and queues, and no other service', () => {
  expectTypeOf<keyof RuleDeps>().toEqualTypeOf<keyof Deps | 'jobs' | 'zoneSyncQueue' | 'queue'>();
});

test.each(all)('%s is named after its area and its action', (id) => {
  expect(id).toMatch(/^[a-z]+(-[a-z]+)*\.[a-z]+(-[a-z]+)*$/);
});

test.each(all)('%s names only fields and values that its entity can have', (_, { entity, trigger }) => {
  const schema = entity.schema() as unknown as Schema;
  const { after, before, unlessBefore, sets, changes = [] } = trigger;
  for (const path of sets ? [sets, ...changes] : changes) fieldOf(schema, path);
  for (const [path, expected] of [after, before, unlessBefore].flatMap((where) => fieldsOf(where ?? {}))) {
    const field = fieldOf(schema, path);
    const isTest = expected instanceof Test;
    if (!isTest) expect(field.safeParse(expected).success, `${path} is never ${expected}`).toBe(true);
    else if (expected.operand !== undefined) expect(field.safeParse(expected.operand).success, path).toBe(true);
  }
});
