import { expect, test } from 'vitest';
import { makeFairness } from './fair-queue.ts';
import type { JsonObject } from './intrinsics.ts';

const message = (group: string, id: string): JsonObject => ({
  messageId: id,
  messageAttributes: { group: { stringValue: group } },
});
const many = (group: string, count: number) =>
  Array.from({ length: count }, (_, index) => message(group, `${group}${index}`));

function world(concurrency: number) {
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const fair = makeFairness({
    concurrency,
    batchSize: 2,
    work: (records) => {
      started.push(records.map(({ messageId }) => messageId).join(' '));
      return new Promise((resolve) => ends.push(resolve));
    },
  });
  return { started, ends, fair };
}

test('a group that keeps many busy waits, and a quiet one goes first', async () => {
  const { started, ends, fair } = world(4);
  fair.take(many('slow', 20));
  // Its first messages, and then its share: two invocations of the four.
  expect(started).toEqual(['slow0 slow1', 'slow2 slow3', 'slow4 slow5']);
  fair.take([message('quick', 'quick0')]);
  expect(started.at(-1)).toBe('quick0');
  fair.take([message('other', 'other0')]);
  expect(started).toHaveLength(4);
  ends[0]?.();
  await new Promise((done) => setTimeout(done, 5));
  expect(started.at(-1)).toBe('other0');
  expect(fair.held()).toHaveLength(14);
});

test('a group that has come to its end is quiet again', async () => {
  const { started, ends, fair } = world(2);
  fair.take(many('burst', 2));
  ends[0]?.();
  await new Promise((done) => setTimeout(done, 5));
  fair.take(many('burst', 1));
  expect(started).toEqual(['burst0 burst1', 'burst0']);
});

test('without groups nobody waits for anybody', () => {
  const { started, fair } = world(20);
  fair.take(Array.from({ length: 10 }, (_, index) => ({ messageId: `m${index}` })));
  expect(started).toHaveLength(5);
  expect(fair.held()).toEqual([]);
});
