import { expect, test } from 'vitest';
import { pollInterval, readToEnd } from './use-log-lines.ts';

test('a log is read again soon while lines arrive, and more and more rarely while none do', () => {
  const poll = { min: 2000, max: 15_000 };
  expect([0, 1, 2, 3, 4, 1000].map((idle) => pollInterval(poll, idle))).toEqual([
    2000, 4000, 8000, 15_000, 15_000, 15_000,
  ]);
});

test('a log is read behind a page without lines that has more, until it is not shown any more', async () => {
  const pages: Record<string, { data: string[]; has_more: boolean }[]> = {
    start: [
      { data: [], has_more: true },
      { data: ['a', 'b'], has_more: true },
    ],
    b: [
      { data: [], has_more: true },
      { data: ['c'], has_more: false },
    ],
  };
  const read = async (last = 'start') => pages[last]?.shift() ?? { data: [], has_more: false };
  let pauses = 0;
  const pause = async () => {
    pauses += 1;
  };
  expect(await readToEnd([], read, new AbortController().signal, pause)).toEqual(['a', 'b', 'c']);
  expect(pauses).toBe(2);
  const endless = async () => ({ data: ['x'], has_more: true });
  await expect(readToEnd([], endless, AbortSignal.abort(), pause)).rejects.toThrow();
});
