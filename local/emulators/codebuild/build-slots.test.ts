import { afterEach, expect, test, vi } from 'vitest';
import { createBuildSlots } from './build-slots.ts';

afterEach(() => void vi.useRealTimers());

const endable = () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { ended: promise, end: resolve };
};

test('short builds go one after another', async () => {
  const onFree = vi.fn();
  const slots = createBuildSlots({ concurrency: 2, maxShort: 1, onFree });
  const first = endable();
  expect(slots.isFree()).toBe(true);
  slots.acquire(first.ended);
  expect(slots.isFree()).toBe(false);
  first.end();
  await vi.waitFor(() => expect(onFree).toHaveBeenCalledOnce(), 60_000);
  expect(slots.isFree()).toBe(true);
});

test('no build waits for a long one, but for as many as may run at once', async () => {
  vi.useFakeTimers();
  const onFree = vi.fn();
  const slots = createBuildSlots({ concurrency: 2, maxShort: 1, onFree });
  const [long, second] = [endable(), endable()];
  slots.acquire(long.ended);
  vi.advanceTimersByTime(60_000);
  expect(onFree).toHaveBeenCalledOnce();
  expect(slots.isFree()).toBe(true);
  slots.acquire(second.ended);
  vi.advanceTimersByTime(60_000);
  expect(slots.isFree()).toBe(false);
  long.end();
  await vi.advanceTimersByTimeAsync(0);
  expect(slots.isFree()).toBe(true);
});

test('each of many builds is followed by a rest of twice its length', async () => {
  vi.useFakeTimers();
  const slots = createBuildSlots({ concurrency: 2, maxShort: 1, onFree: vi.fn() });
  const build = async (ms: number): Promise<void> => {
    const { ended, end } = endable();
    slots.acquire(ended);
    await vi.advanceTimersByTimeAsync(ms);
    end();
    await vi.advanceTimersByTimeAsync(0);
  };
  for (let count = 0; count < 4; count += 1) {
    await build(500);
    expect(slots.isFree()).toBe(true);
  }
  await build(500);
  await vi.advanceTimersByTimeAsync(999);
  expect(slots.isFree()).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(slots.isFree()).toBe(true);
  await vi.advanceTimersByTimeAsync(10_000);
  await build(500);
  expect(slots.isFree()).toBe(true);
});

test('a long build is followed by no rest', async () => {
  vi.useFakeTimers();
  const slots = createBuildSlots({ concurrency: 2, maxShort: 1, onFree: vi.fn() });
  for (const { ended, end } of Array.from({ length: 5 }, endable)) {
    slots.acquire(ended);
    end();
    await vi.advanceTimersByTimeAsync(0);
  }
  const long = endable();
  slots.acquire(long.ended);
  await vi.advanceTimersByTimeAsync(4000);
  long.end();
  await vi.advanceTimersByTimeAsync(0);
  expect(slots.isFree()).toBe(true);
});
