import { expect, test, vi } from 'vitest';
import { memoryTable } from '../test/support/memory-table.ts';
import { DomainName } from './entities/registrar.ts';
import { createTable, type Send } from './table.ts';
import { toStoredItem } from './writes.ts';

const NAMES = ['a.example', 'b.example', 'c.example'];
const ITEMS = NAMES.map((name) => toStoredItem(DomainName, { name, accountId: 'acc_1', domainId: 'dom_1' }));

interface BatchRequest {
  RequestItems: Record<string, object[]>;
}

/** A table that takes so many items of a request, the first of them, and leaves the others. */
function throttledTable(taken: number) {
  const memory = memoryTable();
  const sizes: number[] = [];
  const send: Send = async <Output>(_: string, input: object) => {
    const puts = (input as BatchRequest).RequestItems.table ?? [];
    sizes.push(puts.length);
    if (taken > 0) await memory.send('BatchWriteItem', { RequestItems: { table: puts.slice(0, taken) } });
    const left = puts.slice(taken);
    return (left.length > 0 ? { UnprocessedItems: { table: left } } : { UnprocessedItems: {} }) as Output;
  };
  return { table: createTable(send, 'table'), sizes, names: () => memory.items('DOMAIN_NAME').map(({ name }) => name) };
}

test('items are put in one request', async () => {
  const { table, sizes, names } = throttledTable(3);
  await table.putAll(ITEMS);
  expect([sizes, names()]).toEqual([[3], NAMES]);
});

test('items that a throttled table did not accept are sent again until all are written', async () => {
  const { table, sizes, names } = throttledTable(1);
  await table.putAll(ITEMS);
  expect([sizes, names()]).toEqual([[3, 2, 1], NAMES]);
});

test('a table that accepts no more items is an error', async () => {
  const { table, names } = throttledTable(0);
  await expect(table.putAll(ITEMS)).rejects.toThrow('The table left 3 of 3 items unwritten');
  expect(names()).toEqual([]);
});

test('a slow table is not retried after some seconds', async () => {
  const { table, sizes } = throttledTable(0);
  let now = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
    now += 2000;
    return now;
  });
  await expect(table.putAll(ITEMS)).rejects.toThrow('The table left 3 of 3 items unwritten');
  clock.mockRestore();
  expect(sizes).toEqual([3, 3, 3]);
});

test('a repetition replaces what the first attempt wrote', async () => {
  const { table, names } = throttledTable(3);
  await table.putAll(ITEMS);
  await table.putAll(ITEMS);
  expect(names()).toEqual(NAMES);
});

test('an empty list of items makes no request', async () => {
  const { table, sizes } = throttledTable(3);
  await table.putAll([]);
  expect(sizes).toEqual([]);
});
