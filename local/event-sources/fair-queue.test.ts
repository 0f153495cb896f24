import { expect, test } from 'vitest';
import type { JsonObject } from '../template/intrinsics.ts';
import { createFairQueue } from './fair-queue.ts';

const message = (group: string, id: string, subgroup = ''): JsonObject => ({
  messageId: id,
  messageAttributes: { group: { stringValue: group }, subgroup: { stringValue: subgroup } },
});
const many = (group: string, count: number, subgroup = '') =>
  Array.from({ length: count }, (_, index) => message(group, `${group}${subgroup}${index}`, subgroup));

function world(concurrency: number) {
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const fair = createFairQueue({
    concurrency,
    batchSize: 2,
    work: (records) => {
      started.push(records.map(({ messageId }) => messageId).join(' '));
      return new Promise((resolve) => ends.push(resolve));
    },
  });
  return { started, ends, fair };
}

test('lets other groups go first while one group is busy, each in its own batches', async () => {
  const { started, ends, fair } = world(8);
  fair.push(many('slow', 20));
  // A quarter of all invocations, then one per other group.
  expect(started).toEqual(['slow0 slow1', 'slow2 slow3']);
  fair.push([message('quick', 'quick0'), ...many('other', 3)]);
  expect(started.slice(2)).toEqual(['quick0', 'other0 other1']);
  ends[2]?.();
  ends[3]?.();
  await new Promise(setImmediate);
  expect(started.slice(4)).toEqual(['other2']);
  expect(fair.pending()).toHaveLength(16);
});

test('receives messages behind thousands of a busy group, which do not delay them', async () => {
  const { started, fair } = world(8);
  fair.push(many('slow', 5000));
  await fair.waitForCapacity();
  fair.push([message('quick', 'quick0')]);
  expect(started.at(-1)).toBe('quick0');
});

test('receives no more messages while all invocations are busy', async () => {
  const { ends, fair } = world(4);
  fair.push(['a', 'b', 'c', 'd', 'e'].map((group) => message(group, group)));
  let hasCapacity = false;
  void fair.waitForCapacity().then(() => {
    hasCapacity = true;
  });
  await new Promise(setImmediate);
  expect(hasCapacity).toBe(false);
  ends[0]?.();
  await new Promise(setImmediate);
  expect(hasCapacity).toBe(true);
});

test('runs messages without groups independently', () => {
  const { started, fair } = world(20);
  fair.push(Array.from({ length: 10 }, (_, index) => ({ messageId: `m${index}` })));
  expect(started).toHaveLength(5);
  expect(fair.pending()).toEqual([]);
});

test('a busy subgroup leaves its group invocations, and a group with many subgroups leaves a quarter to others', () => {
  const { started, fair } = world(8);
  fair.push(many('a', 20, 'slow'));
  expect(started).toHaveLength(2);
  fair.push([message('a', 'quick', 'other')]);
  expect(started.at(-1)).toBe('quick');
  fair.push(Array.from({ length: 20 }, (_, index) => message('a', `more${index}`, `endpoint${index}`)));
  expect(started).toHaveLength(6);
  fair.push(['b', 'c'].map((group) => message(group, group)));
  expect(started.slice(6)).toEqual(['b', 'c']);
});
