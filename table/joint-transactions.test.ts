import { expect, test } from 'vitest';
import { joinTransactions } from './joint-transactions.ts';
import type { Write } from './writes.ts';

const refused = new Error('refused');
const write = (name: string): Write => ({ kind: 'Delete', input: { name }, onConditionFailed: () => refused });

/** Counts the writes of each transaction, and refuses those that have a write of this name. */
function counted(refusedName?: string) {
  const sizes: number[] = [];
  const commit = joinTransactions(async (writes) => {
    sizes.push(writes.length);
    if (writes.some(({ input }) => 'name' in input && input.name === refusedName)) throw refused;
  });
  return { sizes, commit };
}

test('groups of the same moment share transactions of at most a hundred writes, and none is divided', async () => {
  const { sizes, commit } = counted();
  await Promise.all(Array.from({ length: 40 }, () => commit([write('a'), write('b'), write('c')])));
  expect(sizes).toEqual([99, 21]);
});

test('a group that is refused fails alone', async () => {
  const { sizes, commit } = counted('bad');
  const results = await Promise.allSettled([commit([write('a')]), commit([write('bad')]), commit([write('c')])]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(sizes).toEqual([3, 1, 1, 1]);
});

test('a single group that is refused is not repeated', async () => {
  const { sizes, commit } = counted('bad');
  await expect(commit([write('bad')])).rejects.toBe(refused);
  expect(sizes).toEqual([1]);
});
