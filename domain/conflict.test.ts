import { afterEach, expect, test, vi } from 'vitest';
import { ApiError } from '../contract/errors.ts';
import {
  ConcurrentUpdateError,
  concurrentUpdate,
  ignoreConflict,
  retryOnConflict,
  retryRequest,
  serviceBusy,
} from './conflict.ts';

afterEach(() => void vi.useRealTimers());

/** A clock that waits move on, and the waits. */
function fakeTiming(random = 1, workMs = 0) {
  const waits: number[] = [];
  let now = 0;
  const timing = {
    now: () => now,
    random: () => random,
    wait: async (milliseconds: number) => {
      waits.push(milliseconds);
      now += milliseconds;
    },
  };
  /** Work that takes a while and loses so many races. */
  const losing = (times: number) => async (attempt: number) => {
    now += workMs;
    if (attempt <= times) throw concurrentUpdate();
    return attempt;
  };
  return { timing, waits, losing };
}

test('retries until the work wins, after waits that double up to a limit', async () => {
  const { timing, waits, losing } = fakeTiming();
  await expect(retryOnConflict(losing(6), { timing })).resolves.toBe(7);
  expect(waits).toEqual([8, 16, 32, 64, 128, 128]);
});

test('waits in proportion to the duration of an attempt', async () => {
  const { timing, waits, losing } = fakeTiming(0.5, 100);
  await retryOnConflict(losing(2), { timing });
  expect(waits).toEqual([100, 200]);
});

test('gives up after the last attempt with the conflict, or with the error that it is given', async () => {
  const { timing, waits, losing } = fakeTiming(0);
  await expect(retryOnConflict(losing(9), { timing })).rejects.toBeInstanceOf(ConcurrentUpdateError);
  expect(waits).toHaveLength(7);
  const busy = retryOnConflict(losing(3), { timing, attempts: 3, onExhausted: serviceBusy });
  await expect(busy).rejects.toMatchObject({ status: 503 });
});

test('begins no attempt after the time limit', async () => {
  const { timing, losing } = fakeTiming(1, 100);
  const limited = retryOnConflict(losing(50), { timing, attempts: 50, maxMs: 1000 });
  await expect(limited).rejects.toBeInstanceOf(ConcurrentUpdateError);
  expect(timing.now()).toBeLessThan(1000 + 100);
});

test('a slow attempt does not use up the time for the others', async () => {
  const { timing, waits, losing } = fakeTiming(1, 900);
  await expect(retryOnConflict(losing(2), { timing, maxMs: 5000 })).resolves.toBe(3);
  expect(waits).toEqual([1800, 700]);
});

test('each of thirty concurrent requests for one item succeeds, although an attempt takes 200 ms', async () => {
  vi.useFakeTimers();
  let version = 0;
  const update = async () => {
    const read = version;
    await new Promise((done) => setTimeout(done, 200));
    if (version !== read) throw concurrentUpdate();
    version += 1;
  };
  const requests = Promise.allSettled(Array.from({ length: 30 }, () => retryRequest(update)));
  await vi.runAllTimersAsync();
  expect((await requests).map(({ status }) => status)).toEqual(Array(30).fill('fulfilled'));
  expect(version).toBe(30);
});

test('passes any other error on at once', async () => {
  const { timing, waits } = fakeTiming();
  const failing = async () => {
    throw new ApiError('not_found');
  };
  await expect(retryOnConflict(failing, { timing })).rejects.toMatchObject({ status: 404 });
  expect(waits).toEqual([]);
});

test('a conflict is ignored where asked, and nothing else', async () => {
  await expect(ignoreConflict(Promise.reject(concurrentUpdate()))).resolves.toBeUndefined();
  await expect(ignoreConflict(Promise.resolve(1))).resolves.toBe(1);
  await expect(ignoreConflict(Promise.reject(new Error('other')))).rejects.toThrow('other');
});
