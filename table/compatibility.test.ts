import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { type AnyEntity, ENTITIES, entitiesIn } from '../test/support/entities.ts';
import { memoryTable } from '../test/support/memory-table.ts';
import { populate, type Schema, walkable } from '../test/support/schemas.ts';
import { fromItem, type Item } from './attributes.ts';
import { bringForward } from './migrations/migration.ts';
import { replace, toStoredItem } from './writes.ts';

/**
 * Versions of the platform run beside each other during a deployment and after a rollback: what one writes, the others read
 * (docs/decisions/0050-mixed-versions.md). `test/compatibility/` has the readers of each release.
 */
const RELEASES = resolve(import.meta.dirname, '../test/compatibility');
/** Releases that refused an item with a value that they did not know. They cannot be mixed with one that writes new values. */
const STRICT = ['0.2.0'];

const versions = readdirSync(RELEASES).map((name) => name.replace(/\.js$/, ''));
const all = [...ENTITIES].map(([type, entity]): [string, AnyEntity] => [type, entity]);

/** Returns the schemas inside of a schema, each with its path. */
function inside(schema: Schema, path = ''): [string, Schema][] {
  const { shape = {}, element, valueType, innerType, options = [], out } = schema.def;
  const parts: [string, Schema | undefined][] = [
    ...Object.entries(shape),
    ...[element, valueType, innerType, out, ...options].map((part): [string, Schema | undefined] => ['', part]),
  ];
  const deeper = parts.flatMap(([name, part]) => (part ? inside(part, name ? `${path}.${name}` : path) : []));
  return [[path, schema], ...deeper];
}

describe('an item of a newer version', () => {
  test.each(all)('%s has no schema that refuses an unknown value or loses an unknown field', (_, { schema }) => {
    const closed = inside(walkable(schema())).filter(([path, { def }]) => {
      if (def.type === 'enum') return true;
      if (def.type === 'literal') return def.values?.[0] !== true;
      // Of an item itself, unknown fields are left out on read, and left alone by writes.
      return def.type === 'object' && path !== '' && def.catchall?.def.type !== 'unknown';
    });
    expect(closed.map(([path]) => path)).toEqual([]);
  });

  test.each(all)('%s is read, and keeps what this version does not know when it is replaced', async (_, entity) => {
    const newer = { ...sample(entity, () => 'FROM_A_NEWER_VERSION'), internal: 1 };
    const { table, send, items } = memoryTable();
    await send('PutItem', { TableName: 'table', Item: toStoredItem(entity, newer) });
    const item = entity.parse(newer);
    const isLoose = walkable(entity.schema()).def.catchall?.def.type === 'unknown';
    expect('internal' in item).toBe(isLoose);
    await table.transact([replace(entity, { id: 'id_1', ...item }, { pk: 'present' }, () => new Error('gone'))]);
    expect(items(entity.type)).toEqual([expect.objectContaining(newer)]);
  });
});

/** Returns an item with all fields. */
const sample = ({ schema }: AnyEntity, pick?: (values: readonly string[]) => string): Record<string, unknown> => {
  const { internal, ...item } = populate(walkable(schema()), pick) as Record<string, unknown>;
  // The keys of some items need an id that is no field of theirs, and days are no times.
  return { id: 'id_1', ...item, ...('day' in item ? { day: '2026-01-31' } : {}) };
};

/** Returns items of an entity: every value of each field that has a set of values, and one with the required fields only. */
function samples(entity: AnyEntity): Record<string, unknown>[] {
  const schema = walkable(entity.schema());
  const sizes = inside(schema).map(([, { values, def }]) => (values ?? Object.keys(def.entries ?? {})).length);
  const whole = Array.from({ length: Math.max(1, ...sizes) }, (_, at) =>
    sample(entity, (values) => values[at % values.length] ?? ''),
  );
  const isRequired = ([name]: [string, unknown]) => schema.def.shape?.[name]?.def.type !== 'optional';
  return [...whole, ...whole.slice(0, 1).map((item) => Object.fromEntries(Object.entries(item).filter(isRequired)))];
}

/**
 * Releases that never run beside this version: on AWS they are installed again, and a data directory is migrated before the first
 * request. What they wrote may move.
 */
const REPLACED = ['0.2.0'];

/** Returns where an item of another version is in this one: where a migration moves it, or where it was. */
function keyNow({ migrations = [] }: AnyEntity, stored: Record<string, unknown>): { pk: unknown; sk: unknown } {
  const moved = migrations.flatMap(({ forward }) => forward(stored)?.key ?? []).at(-1);
  return moved ?? { pk: stored.pk, sk: stored.sk };
}

/** Returns an item as another version reads it. */
const storedBy = (entity: AnyEntity, item: Record<string, unknown>) => fromItem(toStoredItem(entity, item) as Item);

/** Returns the problems of a reader with an item; values that a strict release does not know are none. */
function problems(reader: AnyEntity, item: Record<string, unknown>, strict: boolean): string[] {
  // As `parse` does.
  const result = z.safeParse(reader.schema(), bringForward(reader.migrations ?? [], item));
  return (result.error?.issues ?? [])
    .filter(({ code }) => !(strict && (code === 'invalid_value' || code === 'invalid_key')))
    .map(({ path, message }) => `${path.join('.')}: ${message}`);
}

describe.each(versions)('release %s', async (version) => {
  const released = entitiesIn([(await import(resolve(RELEASES, `${version}.js`))) as object]);
  const common = all.flatMap(([type, entity]): [string, AnyEntity, AnyEntity][] => {
    const old = released.get(type);
    return old ? [[type, entity, old]] : [];
  });

  test('wrote nothing that this version has no entity for', () => {
    expect([...released.keys()].filter((type) => !ENTITIES.has(type))).toEqual([]);
  });

  test.each(common)('%s that it wrote is read and found by this version', (_, entity, old) => {
    for (const item of samples(old)) {
      expect(problems(entity, storedBy(old, item), false)).toEqual([]);
      const key = keyNow(entity, storedBy(old, item));
      expect(entity.key(item)).toEqual(key);
      // A list that is new begins with the items of this version; one that moved into the table has the keys that it had.
      const list = old.list?.(item);
      if (list) expect(entity.list?.(item) ?? { listPk: key.pk, listSk: key.sk }).toEqual(list);
    }
  });

  test.each(common)('%s that this version writes is read and found by it', (_, entity, old) => {
    for (const item of samples(entity)) {
      expect(problems(old, storedBy(entity, item), STRICT.includes(version))).toEqual([]);
      // A release beside this version looks where it always did: nothing moves.
      if (!REPLACED.includes(version)) expect(old.key(item)).toEqual(entity.key(item));
    }
  });
});
