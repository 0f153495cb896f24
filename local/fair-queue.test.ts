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
  // Three invocations of four: its first messages, and then its share.
  expect(started).toEqual(['slow0 slow1', 'slow2', 'slow3 slow4', 'slow5 slow6'].slice(0, started.length));
  fair.take([message('quick', 'quick0')]);
  ends[0]?.();
  await new Promise((done) => setTimeout(done, 5));
  expect(started).toContain('quick0');
  expect(fair.held().length).toBeGreaterThan(8);
});

test('without groups nobody waits for anybody', () => {
  const { started, fair } = world(20);
  fair.take(Array.from({ length: 10 }, (_, index) => ({ messageId: `m${index}` })));
  expect(started).toHaveLength(5);
  expect(fair.held()).toEqual([]);
});
