import { expect, test } from 'vitest';
import { createMessageBatches } from './message-batches.ts';

test('sends ten at a time and what is left soon after, and a failed call concerns no other', async () => {
  const calls: number[] = [];
  const failures: unknown[] = [];
  const batches = createMessageBatches(
    async (entries) => {
      calls.push(entries.length);
      if (entries.some(({ ReceiptHandle }) => ReceiptHandle === 'm0')) throw new Error('refused');
    },
    (error) => failures.push(error),
  );
  for (let index = 0; index < 12; index += 1) batches.add([{ ReceiptHandle: `m${index}` }]);
  expect(calls).toEqual([10]);
  await batches.flush();
  expect(calls).toEqual([10, 2]);
  expect(failures).toEqual([new Error('refused')]);
  batches.add([{ ReceiptHandle: 'late' }]);
  await expect.poll(() => calls, { timeout: 60_000 }).toEqual([10, 2, 1]);
});

test('a flush waits for calls under way', async () => {
  let end = (): void => {};
  const batches = createMessageBatches(
    () =>
      new Promise<void>((resolve) => {
        end = resolve;
      }),
    () => {},
  );
  batches.add([{ ReceiptHandle: 'a' }]);
  let flushed = false;
  const flushing = batches.flush().then(() => {
    flushed = true;
  });
  await new Promise(setImmediate);
  expect(flushed).toBe(false);
  end();
  await flushing;
});

test('thousands of messages make two calls at a time, so that other calls to the queues do not wait behind all', async () => {
  const ends: (() => void)[] = [];
  const sizes: number[] = [];
  const batches = createMessageBatches(
    (entries) => {
      sizes.push(entries.length);
      return new Promise<void>((resolve) => ends.push(resolve));
    },
    () => {},
  );
  batches.add(Array.from({ length: 1005 }, (_, index) => ({ ReceiptHandle: `m${index}` })));
  for (let ended = 0; ended < 101; ended += 1) {
    expect(sizes.length).toBeLessThanOrEqual(ended + 2);
    await expect.poll(() => sizes.length, { timeout: 60_000 }).toBeGreaterThan(ended);
    ends[ended]?.();
    await new Promise(setImmediate);
  }
  await batches.flush();
  expect(sizes).toEqual([...Array.from({ length: 100 }, () => 10), 5]);
});
