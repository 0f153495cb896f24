import { expect, test } from 'vitest';
import { coalesce } from './coalesce.ts';

/** Doubles numbers in batches; a batch with `refused` in it fails. */
function doubling(options: { refused?: number; max?: number; groupOf?: (item: number) => string } = {}) {
  const batches: (readonly number[])[] = [];
  const run = async (items: readonly number[]) => {
    batches.push(items);
    await new Promise(setImmediate);
    if (items.some((item) => item === options.refused)) throw new Error('refused');
    return items.map((item) => item * 2);
  };
  return { batches, run, ...options };
}

const settled = async (results: Promise<number>[]) =>
  (await Promise.allSettled(results)).map((result) => (result.status === 'fulfilled' ? result.value : result.status));

test('runs concurrent items in batches of the maximum size, with a result for each', async () => {
  const { batches, ...options } = doubling({ max: 2 });
  const double = coalesce(options);
  expect(await Promise.all([1, 2, 3].map(double))).toEqual([2, 4, 6]);
  expect(await double(4)).toBe(8);
  expect(batches).toEqual([[1, 2], [3], [4]]);
});

test('runs each item of a batch that fails alone, and no single item again', async () => {
  const { batches, ...options } = doubling({ refused: 2 });
  const alone: number[] = [];
  const runAlone = async (item: number) => {
    alone.push(item);
    const [result = 0] = await options.run([item]);
    return result;
  };
  const double = coalesce({ ...options, runAlone });
  expect(await settled([1, 2, 3].map(double))).toEqual([2, 'rejected', 6]);
  expect(batches).toEqual([[1, 2, 3], [1], [2], [3]]);
  expect(await settled([double(2)])).toEqual(['rejected']);
  expect(alone).toEqual([1, 2, 3, 2]);
});

test('a failed batch fails every item if items cannot run alone', async () => {
  const { run } = doubling({ refused: 2 });
  expect(await settled([1, 2].map(coalesce({ run })))).toEqual(['rejected', 'rejected']);
});

test('an item may fail alone in a batch that succeeds', async () => {
  const run = (items: readonly number[]) => items.map(async (item) => (await doubling({ refused: 2 }).run([item]))[0]);
  const double = coalesce({ run });
  expect(await Promise.allSettled([1, 2].map(double))).toMatchObject([{ value: 2 }, { status: 'rejected' }]);
});

test('runs one batch of a group at a time, and different groups concurrently', async () => {
  const { batches, ...options } = doubling({ groupOf: (item) => (item < 10 ? 'small' : 'large') });
  const double = coalesce(options);
  const first = [double(1), double(10), double(2)];
  await expect.poll(() => batches.length).toBe(2);
  const later = [double(3), double(4)];
  await Promise.all([...first, ...later]);
  expect(batches).toEqual([[1, 2], [10], [3, 4]]);
});

test('items with the same identity run once until their batch starts', async () => {
  const { batches, ...options } = doubling();
  const double = coalesce({ ...options, identityOf: String });
  expect(await Promise.all([1, 1, 2].map(double))).toEqual([2, 2, 4]);
  expect(await double(1)).toBe(2);
  expect(batches).toEqual([[1, 2], [1]]);
});
