import { expect, test } from 'vitest';
import type { Usage } from './api.ts';
import { partsByDay, spendBy } from './spend.ts';

const each = (day: string, model: string, calls: number, amountMicroRand: number): Usage => ({
  day,
  model,
  calls,
  amountMicroRand,
  keyId: null,
  keyName: null,
  inputTokens: calls,
  outputTokens: 2 * calls,
});
const usage = [
  each('2026-01-30', 'a/small', 2, 5),
  each('2026-01-31', 'a/small', 1, 10),
  each('2026-01-31', 'b/large', 1, 40),
];
const now = Date.parse('2026-02-01T10:00:00.000Z');
const byModel = (of: readonly Usage[], count: number) =>
  partsByDay(
    of,
    ({ model }) => model,
    ({ amountMicroRand }) => amountMicroRand,
    now,
    count,
  );

test('spending is summed by name, highest first', () => {
  expect(spendBy(usage, ({ model }) => model)).toEqual([
    { name: 'b/large', microRand: 40, calls: 1 },
    { name: 'a/small', microRand: 15, calls: 3 },
  ]);
  expect(spendBy([], String)).toEqual([]);
});

test('the usage by day has every day up to now and no other, and a part for each name', () => {
  expect(byModel(usage, 3)).toEqual({
    days: ['2026-01-30', '2026-01-31', '2026-02-01'],
    parts: [
      { label: 'b/large', values: [0, 40, 0] },
      { label: 'a/small', values: [5, 10, 0] },
    ],
  });
  expect(byModel(usage, 1)).toEqual({ days: ['2026-02-01'], parts: [] });
  const tokens = partsByDay(
    usage,
    () => 'all',
    ({ inputTokens, outputTokens }) => inputTokens + outputTokens,
    now,
    3,
  );
  expect(tokens.parts).toEqual([{ label: 'all', values: [6, 6, 0] }]);
});

test('of many names, those with the least are one part', () => {
  const many = ['a', 'b', 'c', 'd', 'e'].map((model, index) => each('2026-02-01', model, 1, 10 - index));
  expect(byModel(many, 1).parts).toEqual([
    { label: 'a', values: [10] },
    { label: 'b', values: [9] },
    { label: 'c', values: [8] },
    { label: 'Others', values: [13] },
  ]);
  expect(byModel(many.slice(0, 4), 1).parts.map(({ label }) => label)).toEqual(['a', 'b', 'c', 'd']);
});
