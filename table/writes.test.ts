import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { memoryTable } from '../test/support/memory-table.ts';
import { entity } from './entity.ts';
import { createViaUpdate, upsert } from './writes.ts';

const Thing = entity({
  type: 'THING',
  schema: () => z.object({ id: z.string(), name: z.optional(z.string()) }),
  key: ({ id }: { id: string }) => ({ pk: id, sk: 'THING' }),
});
const exists = () => new Error('exists');

test('an item that a change creates has its type, by which migrations and the stream find it', async () => {
  const { table, items } = memoryTable();
  await table.transact([upsert(Thing, { id: 'a' }, { set: { id: 'a' } })]);
  expect(items('THING')).toMatchObject([{ id: 'a' }]);
});

test('an item that an update creates equals one that is put, and replaces none', async () => {
  const { table, items } = memoryTable();
  const make = (name?: string) => table.transact([createViaUpdate(Thing, { id: 'a', name }, exists)]);
  await make();
  expect(items('THING')).toMatchObject([{ id: 'a', entityVersion: 1 }]);
  await expect(make('b')).rejects.toThrow('exists');
});

test('attributes whose names differ only in a sign have different aliases, and long names have short ones', async () => {
  const { table, items } = memoryTable();
  const values = { 'a-b': 1, a_b: 2, 'a.b': 3, 'a.c_d': 4 };
  await table.transact([upsert(Thing, { id: 'a' }, { set: { id: 'a', a: {} } })]);
  await table.transact([upsert(Thing, { id: 'a' }, { set: values })]);
  expect(items('THING')).toMatchObject([{ 'a-b': 1, a_b: 2, a: { b: 3, c_d: 4 } }]);
  const names = Array.from({ length: 200 }, (_, index) => `calls_7374382_${index}`);
  const { UpdateExpression } = upsert(Thing, { id: 'a' }, { remove: names }).input;
  expect(String(UpdateExpression).length).toBeLessThan(1500);
});
