import { expect, test } from 'vitest';
import { pollInterval } from './use-log-lines.ts';

test('a log is read again soon while lines arrive, and more and more rarely while none do', () => {
  const poll = { min: 2000, max: 15_000 };
  expect([0, 1, 2, 3, 4, 1000].map((idle) => pollInterval(poll, idle))).toEqual([
    2000, 4000, 8000, 15_000, 15_000, 15_000,
  ]);
});
