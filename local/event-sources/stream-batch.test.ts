import { describe, expect, test } from 'vitest';
import type { Json } from '../template/intrinsics.ts';
import { makeFilter } from './event-filter.ts';
import { type BatchPolicy, deliverBatch, type StreamRecord } from './stream-batch.ts';

const record = (name: string, madeAt = 0): StreamRecord => ({ sequenceNumber: name, madeAt, event: { name } });
const batch = [...'abcdef'].map((name) => record(name));

/** Delivers a batch to a function and tells what it saw, what was given up and how long was paused. */
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
      giveUp: async (given, condition, attempts) => {
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
  test('one call when all goes well', async () => {
    expect(await deliver(batch, {}, () => null)).toEqual({ calls: ['abcdef'], givenUp: [], pauses: [] });
  });

  test('a failing batch is tried again whole, after longer and longer pauses, then given up', async () => {
    const { calls, givenUp, pauses } = await deliver(batch, { retries: 3 }, fail);
    expect(calls).toEqual(['abcdef', 'abcdef', 'abcdef', 'abcdef']);
    expect(givenUp).toEqual(['abcdef RetryAttemptsExhausted 4']);
    expect(pauses).toEqual([200, 400, 800]);
  });

  test('in halves, until what fails stands alone: nothing else is lost', async () => {
    const { calls, givenUp } = await deliver(batch, { retries: 1, bisect: true }, (names) =>
      names.includes('d') ? fail() : null,
    );
    expect(calls).toEqual(['abcdef', 'abc', 'def', 'de', 'd', 'd', 'e', 'f']);
    expect(givenUp).toEqual(['d RetryAttemptsExhausted 2']);
  });

  test('records that are too old are given up without another call', async () => {
    const { calls, givenUp } = await deliver(
      [record('old', 1000), record('new', 9000)],
      { maxAgeMs: 5000 },
      () => null,
    );
    expect(calls).toEqual(['new']);
    expect(givenUp).toEqual(['old MaximumRecordAgeExceeded 0']);
  });

  test('a function that reports item failures is asked again from the first of them', async () => {
    const { calls } = await deliver(batch, { reportsFailures: true }, (_, call) =>
      call === 1 ? { batchItemFailures: [{ itemIdentifier: 'e' }, { itemIdentifier: 'c' }] } : null,
    );
    expect(calls).toEqual(['abcdef', 'cdef']);
  });

  test('a report that names no record of the batch fails the whole batch', async () => {
    const { calls, givenUp } = await deliver(batch, { reportsFailures: true, retries: 1 }, () => ({
      batchItemFailures: [{ itemIdentifier: 'zzz' }],
    }));
    expect(calls).toEqual(['abcdef', 'abcdef']);
    expect(givenUp).toEqual(['abcdef RetryAttemptsExhausted 2']);
  });
});

describe('event filters', () => {
  const filter = (pattern: Json) => makeFilter({ Filters: [{ Pattern: JSON.stringify(pattern) }] });
  test.each<[Json, Json, boolean]>([
    [{ a: ['x'] }, { a: 'x' }, true],
    [{ a: ['x'] }, { a: 'y' }, false],
    [{ a: { b: [{ 'anything-but': ['x', 'y'] }] } }, { a: { b: 'z' } }, true],
    [{ a: { b: [{ 'anything-but': ['x', 'y'] }] } }, { a: { b: 'y' } }, false],
    [{ a: [{ prefix: 'ab' }] }, { a: 'abc' }, true],
    [{ a: [{ exists: false }] }, {}, true],
    [{ a: [{ numeric: ['>', 1, '<=', 3] }] }, { a: 3 }, true],
    [{ a: [{ numeric: ['>', 1, '<=', 3] }] }, { a: 4 }, false],
    [{ a: ['x'] }, { a: ['w', 'x'] }, true],
    [{ $or: [{ a: [1] }, { b: [2] }] }, { b: 2 }, true],
  ])('%j on %j', (pattern, event, expected) => {
    expect(filter(pattern)(event)).toBe(expected);
  });
  test('no filters let everything through', () => expect(makeFilter(undefined)({})).toBe(true));
});
