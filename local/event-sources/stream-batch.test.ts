import { describe, expect, test } from 'vitest';
import type { Json } from '../template/intrinsics.ts';
import { createFilter } from './event-filter.ts';
import { type BatchPolicy, deliverBatch, type StreamRecord } from './stream-batch.ts';

const record = (name: string, changedAt = 0): StreamRecord => ({ sequenceNumber: name, changedAt, event: { name } });
const batch = [...'abcdef'].map((name) => record(name));

/** Delivers a batch to a function. Returns the calls, the dropped records and the total pause. */
async function deliver(
  records: StreamRecord[],
  policy: Partial<BatchPolicy>,
  fn: (names: string, call: number) => Json | undefined,
) {
  const calls: string[] = [];
  const givenUp: string[] = [];
  const pauses: number[] = [];
  await deliverBatch(
    records,
    { retries: -1, bisect: false, maxAgeMs: -1, reportsFailures: false, ...policy },
    {
      invoke: async (given) => {
        const names = given.map(({ sequenceNumber }) => sequenceNumber).join('');
        calls.push(names);
        return fn(names, calls.length) ?? null;
      },
      drop: async (given, condition, attempts) => {
        givenUp.push(`${given.map(({ sequenceNumber }) => sequenceNumber).join('')} ${condition} ${attempts}`);
      },
      pause: async (milliseconds) => void pauses.push(milliseconds),
      now: () => 10_000,
    },
  );
  return { calls, givenUp, pauses };
}

const fail = (): never => {
  throw new Error('failed');
};

describe('stream batches', () => {
  test('invokes the function once for a successful batch', async () => {
    expect(await deliver(batch, {}, () => null)).toEqual({ calls: ['abcdef'], givenUp: [], pauses: [] });
  });

  test('retries a failing batch with growing pauses and then drops it', async () => {
    const { calls, givenUp, pauses } = await deliver(batch, { retries: 3 }, fail);
    expect(calls).toEqual(['abcdef', 'abcdef', 'abcdef', 'abcdef']);
    expect(givenUp).toEqual(['abcdef RetryAttemptsExhausted 4']);
    expect(pauses).toEqual([200, 400, 800]);
  });

  test('bisects a batch until the failing record stands alone', async () => {
    const { calls, givenUp } = await deliver(batch, { retries: 1, bisect: true }, (names) =>
      names.includes('d') ? fail() : null,
    );
    expect(calls).toEqual(['abcdef', 'abc', 'def', 'de', 'd', 'd', 'e', 'f']);
    expect(givenUp).toEqual(['d RetryAttemptsExhausted 2']);
  });

  test('drops records above the maximum age without another call', async () => {
    const { calls, givenUp } = await deliver(
      [record('old', 1000), record('new', 9000)],
      { maxAgeMs: 5000 },
      () => null,
    );
    expect(calls).toEqual(['new']);
    expect(givenUp).toEqual(['old MaximumRecordAgeExceeded 0']);
  });

  test('retries from the first reported item failure', async () => {
    const { calls } = await deliver(batch, { reportsFailures: true }, (_, call) =>
      call === 1 ? { batchItemFailures: [{ itemIdentifier: 'e' }, { itemIdentifier: 'c' }] } : null,
    );
    expect(calls).toEqual(['abcdef', 'cdef']);
  });

  test('fails the whole batch if a reported failure names no record of it', async () => {
    const { calls, givenUp } = await deliver(batch, { reportsFailures: true, retries: 1 }, () => ({
      batchItemFailures: [{ itemIdentifier: 'zzz' }],
    }));
    expect(calls).toEqual(['abcdef', 'abcdef']);
    expect(givenUp).toEqual(['abcdef RetryAttemptsExhausted 2']);
  });

  test('drops nothing when the pause before the rest of a batch is aborted', async () => {
    const dropped: unknown[] = [];
    const aborted = new Error('aborted');
    const delivery = deliverBatch(
      batch,
      { retries: 0, bisect: false, maxAgeMs: -1, reportsFailures: true },
      {
        invoke: async () => ({ batchItemFailures: [{ itemIdentifier: 'c' }] }),
        drop: async (given) => void dropped.push(...given),
        pause: () => Promise.reject(aborted),
        now: () => 0,
      },
    );
    await expect(delivery).rejects.toBe(aborted);
    expect(dropped).toEqual([]);
  });
});

describe('event filters', () => {
  const filter = (pattern: Json) => createFilter({ Filters: [{ Pattern: JSON.stringify(pattern) }] });
  test.each<[Json, Json, boolean]>([
    [{ a: ['x'] }, { a: 'x' }, true],
    [{ a: ['x'] }, { a: 'y' }, false],
    [{ a: { b: ['x', 'y'] } }, { a: { b: 'y' } }, true],
    [{ a: { b: ['x', 'y'] } }, { a: 'x' }, false],
    [{ a: [{ exists: false }] }, {}, true],
    [{ a: [{ exists: true }] }, {}, false],
    [{ a: ['x'] }, { a: ['w', 'x'] }, true],
  ])('%j on %j', (pattern, event, expected) => {
    expect(filter(pattern)(event)).toBe(expected);
  });
  test('a condition that no stack uses is refused', () =>
    expect(() => filter({ a: [{ prefix: 'ab' }] })({ a: 'abc' })).toThrow('prefix'));
  test('without filters every record matches', () => expect(createFilter(undefined)({})).toBe(true));
});
