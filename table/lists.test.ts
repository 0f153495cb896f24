import { describe, expect, test } from 'vitest';
import { purchaseEntry } from '../test/support/ai-entry.ts';
import { memoryTable } from '../test/support/memory-table.ts';
import { AiEntry, aiEntriesOf } from './entities/ai.ts';
import type { Entity } from './entity.ts';
import { createTable, type Send } from './table.ts';
import { create } from './writes.ts';

const IDS = ['aie_1', 'aie_2', 'aie_3', 'aie_4', 'aie_5'];
const LIST = aiEntriesOf('acc_1');

/** The same items as a partition of the table, and in the index. */
const indexed: typeof AiEntry = {
  ...AiEntry,
  key: ({ id }) => ({ pk: `AI_ENTRY#${id}`, sk: 'AI_ENTRY' }),
  list: ({ accountId, id }) => ({ listPk: aiEntriesOf(accountId), listSk: id }),
};

async function listOf(entity: Entity<AiEntry, { accountId: string; id: string }>) {
  const memory = memoryTable();
  const queries: Record<string, unknown>[] = [];
  const send: Send = (operation, input) => {
    if (operation === 'Query') queries.push(input as Record<string, unknown>);
    return memory.send(operation, input);
  };
  const table = createTable(send, 'table');
  for (const id of IDS) await table.write(entity, create(entity, purchaseEntry('acc_1', id)));
  await table.write(entity, create(entity, purchaseEntry('acc_2', 'aie_9')));
  const ids = (items: AiEntry[]) => items.map(({ id }) => id);
  const page = async (offset: number, cursor?: string) => {
    const { items, hasMore } = await table.list(entity, LIST, { limit: 2, offset, cursor });
    return [...ids(items), hasMore];
  };
  const each = async (after?: string) => {
    const found: AiEntry[] = [];
    for await (const item of table.each(entity, LIST, after)) found.push(item);
    return ids(found);
  };
  const since = async (from: string, limit: number) => ids(await table.since(entity, LIST, from, limit));
  return { page, each, since, queries };
}

describe.each([
  ['in the index', indexed],
  ['in a partition of the table', AiEntry],
])('a list %s', (_, entity) => {
  test('is paged from the newest, by offset and by cursor', async () => {
    const { page } = await listOf(entity);
    expect(await page(0)).toEqual(['aie_5', 'aie_4', true]);
    expect(await page(3)).toEqual(['aie_2', 'aie_1', false]);
    expect(await page(4)).toEqual(['aie_1', false]);
    expect(await page(5)).toEqual([false]);
    expect(await page(0, 'aie_3')).toEqual(['aie_2', 'aie_1', false]);
    expect(await page(1, 'aie_3')).toEqual(['aie_1', false]);
  });

  test('is read from the oldest, after an item or from one on', async () => {
    const { each, since } = await listOf(entity);
    expect(await each()).toEqual(IDS);
    expect(await each('aie_3')).toEqual(['aie_4', 'aie_5']);
    expect(await since('aie_2', 2)).toEqual(['aie_2', 'aie_3']);
  });
});

test('a partition is read whole, across its pages, unless a limit is given', async () => {
  const { table } = memoryTable();
  const ids = Array.from({ length: 1001 }, (_, index) => `aie_${index + 1000}`);
  for (const id of ids) await table.write(AiEntry, create(AiEntry, purchaseEntry('acc_1', id)));
  expect((await table.all(AiEntry, LIST)).map(({ id }) => id)).toEqual(ids.toReversed());
  expect((await table.all(AiEntry, LIST, { limit: 2, oldestFirst: true })).map(({ id }) => id)).toEqual(
    ids.slice(0, 2),
  );
});

test('the list of an entity without an index is read strongly consistent, and skipped without reading the items', async () => {
  const { page, queries } = await listOf(AiEntry);
  await page(1);
  expect(
    queries.map(({ IndexName, ConsistentRead, ProjectionExpression }) => [
      IndexName,
      ConsistentRead,
      ProjectionExpression,
    ]),
  ).toEqual([
    [undefined, true, 'pk, sk'],
    [undefined, true, undefined],
  ]);
});
