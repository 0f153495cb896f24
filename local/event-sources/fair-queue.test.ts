import { expect, test } from 'vitest';
import type { JsonObject } from '../template/intrinsics.ts';
import { makeFairness } from './fair-queue.ts';

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

test('a group that keeps many busy waits, and the others go first, each in batches of its own', async () => {
  const { started, ends, fair } = world(8);
  fair.take(many('slow', 20));
  // A quarter of all invocations; then one for each of the others.
  expect(started).toEqual(['slow0 slow1', 'slow2 slow3']);
  fair.take([message('quick', 'quick0'), ...many('other', 3)]);
  expect(started.slice(2)).toEqual(['quick0', 'other0 other1']);
  ends[2]?.();
  ends[3]?.();
  await new Promise((done) => setTimeout(done, 5));
  expect(started.slice(4)).toEqual(['other2']);
  expect(fair.held()).toHaveLength(16);
});

test('when all invocations are taken no more is received, until one ends', async () => {
  const { ends, fair } = world(4);
  fair.take(['a', 'b', 'c', 'd', 'e'].map((group) => message(group, group)));
  let room = false;
  void fair.room().then(() => {
    room = true;
  });
  await new Promise((done) => setTimeout(done, 5));
  expect(room).toBe(false);
  ends[0]?.();
  await new Promise((done) => setTimeout(done, 5));
  expect(room).toBe(true);
});

test('without groups nobody waits for anybody', () => {
  const { started, fair } = world(20);
  fair.take(Array.from({ length: 10 }, (_, index) => ({ messageId: `m${index}` })));
  expect(started).toHaveLength(5);
  expect(fair.held()).toEqual([]);
});
