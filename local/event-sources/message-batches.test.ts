import { expect, test } from 'vitest';
import { createMessageBatches } from './message-batches.ts';

test('sends ten at a time and what is left soon after, and a failed call concerns no other', async () => {
  const calls: number[] = [];
  const failures: unknown[] = [];
  const batches = createMessageBatches(
    async (handles) => {
      calls.push(handles.length);
      if (handles.includes('m0')) throw new Error('refused');
    },
    (error) => failures.push(error),
  );
  for (let index = 0; index < 12; index += 1) batches.add([`m${index}`]);
  expect(calls).toEqual([10]);
  await batches.flush();
  expect(calls).toEqual([10, 2]);
  expect(failures).toEqual([new Error('refused')]);
  batches.add(['late']);
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
  batches.add(['a']);
  let flushed = false;
  const flushing = batches.flush().then(() => {
    flushed = true;
  });
  await new Promise((done) => setTimeout(done, 5));
  expect(flushed).toBe(false);
  end();
  await flushing;
});
