import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { memoryTable } from '../test/support/memory-table.ts';
import { entity } from './entity.ts';
import { createTable, type Send, type SendPolicy } from './table.ts';
import { change, claim, create, createViaUpdate, remove, replace, upsert, type Write } from './writes.ts';

const Thing = entity({
  type: 'THING',
  schema: () =>
    z.object({
      id: z.string(),
      holder: z.optional(z.string()),
      lease: z.optional(z.object({ until: z.int() })),
      count: z.optional(z.int()),
      dueAt: z.optional(z.string()),
    }),
  key: ({ id }: { id: string }) => ({ pk: id, sk: 'THING' }),
});
const id = 'a';
const refused = () => new Error('refused');

/** A table whose requests are sent again after their first response is lost. `before` runs in between, as another caller would. */
function unsteadyTable(before: () => Promise<void> = async () => undefined) {
  const memory = memoryTable();
  const send: Send = async <Output>(operation: string, input: object, policy?: SendPolicy) => {
    await memory.send(operation, input, policy).catch(() => undefined);
    await before();
    try {
      return await memory.send<Output>(operation, input, policy);
    } catch (error) {
      throw Object.assign(error as Error, { afterLostResponse: true });
    }
  };
  return { ...memory, unsteady: createTable(send, 'table') };
}

const OWN: [string, Write, Write[]][] = [
  ['create', create(Thing, { id, holder: 'one' }, refused), []],
  ['claim', claim(Thing, { id }, refused), []],
  ['createViaUpdate', createViaUpdate(Thing, { id, holder: 'one' }, refused), []],
  ['upsert', upsert(Thing, { id }, { set: { id, holder: 'one' }, when: { holder: 'absent' } }, refused), []],
  ['replace', replace(Thing, { id, holder: 'two' }, { count: { is: 1 } }, refused), [create(Thing, { id, count: 1 })]],
  [
    'change',
    change(
      Thing,
      { id },
      { set: { 'lease.until': 2 }, add: { count: 1 }, when: { 'lease.until': { is: 1 } } },
      refused,
    ),
    [create(Thing, { id, lease: { until: 1 }, count: 0 })],
  ],
  [
    'change that removes',
    change(Thing, { id }, { remove: ['dueAt'], when: { dueAt: 'present' } }, refused),
    [create(Thing, { id, dueAt: 'now' })],
  ],
  ['remove', remove(Thing, { id }, { pk: 'present' }, refused), [create(Thing, { id })]],
];

test.each(OWN)('%s finds its own result after a lost response, and is applied once', async (_, write, given) => {
  const { table, unsteady, items } = unsteadyTable();
  for (const each of given) await table.write(Thing, each);
  await unsteady.write(Thing, write);
  const { table: steady, items: expected } = memoryTable();
  for (const each of [...given, write]) await steady.write(Thing, each);
  expect(items('THING')).toEqual(expected('THING'));
});

const ADDS = { set: { id, holder: 'one' }, add: { count: 1 }, when: { count: { is: 1 } } };
test.each<[string, Write]>([
  ['sets other values', change(Thing, { id }, { set: { holder: 'two' }, when: { count: { is: 1 } } }, refused)],
  ['only adds', change(Thing, { id }, { add: { count: 1 }, when: { count: { is: 1 } } }, refused)],
  ['adds, and sets what is the same for all', upsert(Thing, { id }, ADDS, refused)],
  ['only sets its request', change(Thing, { id }, { set: { requestId: 'r' }, when: { count: { is: 1 } } }, refused)],
])('a write that %s is refused by the write of another caller', async (_, write) => {
  const { table, unsteady } = unsteadyTable();
  await table.write(Thing, create(Thing, { id, count: 2, holder: 'one' }));
  await table.write(Thing, change(Thing, { id }, { set: { requestId: 'r' } }));
  await expect(unsteady.write(Thing, write)).rejects.toThrow('refused');
});

test('a write is refused if another caller has changed its result since', async () => {
  const other = change(Thing, { id }, { set: { holder: 'two' } });
  const { table, unsteady } = unsteadyTable(async () => void (await table.write(Thing, other)));
  await expect(unsteady.write(Thing, create(Thing, { id, holder: 'one' }, refused))).rejects.toThrow('refused');
});
