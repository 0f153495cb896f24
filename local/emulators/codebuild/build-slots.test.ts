import { afterEach, expect, test, vi } from 'vitest';
import { createBuildSlots } from './build-slots.ts';

afterEach(() => void vi.useRealTimers());

const endable = () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { ended: promise, end: resolve };
};

test('short builds go one after another', async () => {
  const onFree = vi.fn();
  const slots = createBuildSlots({ concurrency: 2, short: 1, onFree });
  const first = endable();
  expect(slots.isFree()).toBe(true);
  slots.take(first.ended);
  expect(slots.isFree()).toBe(false);
  first.end();
  await vi.waitFor(() => expect(onFree).toHaveBeenCalledOnce());
  expect(slots.isFree()).toBe(true);
});

test('no build waits for a long one, but for as many as may run at once', async () => {
  vi.useFakeTimers();
  const onFree = vi.fn();
  const slots = createBuildSlots({ concurrency: 2, short: 1, onFree });
  const [long, second] = [endable(), endable()];
  slots.take(long.ended);
  vi.advanceTimersByTime(60_000);
  expect(onFree).toHaveBeenCalledOnce();
  expect(slots.isFree()).toBe(true);
  slots.take(second.ended);
  vi.advanceTimersByTime(60_000);
  expect(slots.isFree()).toBe(false);
  long.end();
  await vi.advanceTimersByTimeAsync(0);
  expect(slots.isFree()).toBe(true);
});
