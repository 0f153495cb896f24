import { expect, test } from 'vitest';
import { joinTransactions } from './joint-transactions.ts';
import type { Write } from './writes.ts';

const write: Write = { kind: 'Delete', input: {}, onConditionFailed: () => new Error('refused') };

test('concurrent groups share transactions of at most a hundred writes, and no group is divided', async () => {
  const sizes: number[] = [];
  const commit = joinTransactions(async ({ length }) => void sizes.push(length));
  await Promise.all(Array.from({ length: 40 }, () => commit([write, write, write])));
  expect(sizes).toEqual([99, 21]);
});
