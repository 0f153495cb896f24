import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { memoryTable } from '../test/support/memory-table.ts';
import { entity } from './entity.ts';
import { partitionsOf, schedule, unschedule } from './schedule.ts';
import { change, create } from './writes.ts';

const AT = '2026-01-31T09:30:00.000Z';
const LATER = '2026-01-31T10:30:00.000Z';

const schema = () => z.object({ id: z.string(), dueAt: z.optional(z.string()) });
const key = ({ id }: { id: string }) => ({ pk: id, sk: 'THING' });
const Thing = entity({ type: 'THING', schema, key, due: { queues: ['THING', 'THING_TEARDOWN'] } });
const Sharded = entity({
  type: 'SHARDED',
  schema,
  key,
  due: { queues: ['SHARDED'], shards: { count: 4, of: (id) => id.length % 4 } },
});
const Computed = entity({ type: 'COMPUTED', schema, key, due: { queues: ['COMPUTED'], at: () => LATER } });
const Unscheduled = entity({ type: 'UNSCHEDULED', schema, key });

test('an item that is due joins the first queue of its entity', async () => {
  const { table, items } = memoryTable();
  await table.transact([create(Thing, { id: 'a', dueAt: AT }), create(Thing, { id: 'b' })]);
  expect(items('THING')).toMatchObject([
    { duePk: 'THING', dueAt: AT },
    expect.not.objectContaining({ duePk: 'THING' }),
  ]);
});

test('an entity may compute when a new item is due', async () => {
  const { table, items } = memoryTable();
  await table.transact([create(Computed, { id: 'a' })]);
  expect(items('COMPUTED')).toMatchObject([{ duePk: 'COMPUTED', dueAt: LATER }]);
});

test('a change moves an item in its queue, into another, and out of it', async () => {
  const { table, items } = memoryTable();
  await table.transact([create(Thing, { id: 'a', dueAt: AT })]);
  const apply = (what: Parameters<typeof change>[2]) => table.transact([change(Thing, { id: 'a' }, what)]);
  await apply({ set: schedule(Thing, LATER) });
  expect(items('THING')).toMatchObject([{ duePk: 'THING', dueAt: LATER }]);
  await apply({ set: schedule(Thing, new Date(AT), { queue: 'THING_TEARDOWN' }) });
  expect(items('THING')).toMatchObject([{ duePk: 'THING_TEARDOWN', dueAt: AT }]);
  await apply({ remove: unschedule(Thing) });
  expect(items('THING')).toEqual([{ pk: 'a', sk: 'THING', id: 'a', entity: 'THING', entityVersion: 1 }]);
});

test('a queue with shards has the item in the shard of its id', () => {
  expect(schedule(Sharded, AT, { id: 'abc' })).toEqual({ duePk: 'SHARDED#3', dueAt: AT });
  expect(partitionsOf(Sharded, 'SHARDED')).toEqual(['SHARDED#0', 'SHARDED#1', 'SHARDED#2', 'SHARDED#3']);
  expect(() => schedule(Sharded, AT)).toThrow('id');
});

test('an entity without a due queue cannot be scheduled', () => {
  expect(() => schedule(Unscheduled, AT)).toThrow('UNSCHEDULED');
  expect(() => unschedule(Unscheduled)).toThrow('UNSCHEDULED');
});
