import { expect, test } from 'vitest';
import { parseSchedule } from './schedule-expression.ts';

const next = (expression: string, after: string): string | undefined => {
  const moment = parseSchedule(expression).next(Date.parse(after));
  return moment === undefined ? undefined : new Date(moment).toISOString().slice(0, 16);
};

test.each([
  ['rate(1 minute)', '2026-01-01T00:00:00Z', '2026-01-01T00:01'],
  ['rate(12 hours)', '2026-01-01T00:00:00Z', '2026-01-01T12:00'],
  ['cron(0 12 * * ? *)', '2026-01-01T12:00:00Z', '2026-01-02T12:00'],
  ['cron(*/15 * * * ? *)', '2026-01-01T00:16:30Z', '2026-01-01T00:30'],
  ['cron(30 8 ? * MON-FRI *)', '2026-01-02T09:00:00Z', '2026-01-05T08:30'],
  ['cron(0 0 29 FEB ? *)', '2026-01-01T00:00:00Z', '2028-02-29T00:00'],
  ['cron(0 0 1 1 ? 2020)', '2026-01-01T00:00:00Z', undefined],
  ['at(2026-05-05T05:05:00)', '2026-01-01T00:00:00Z', '2026-05-05T05:05'],
  ['at(2025-05-05T05:05:00)', '2026-01-01T00:00:00Z', undefined],
])('%s after %s', (expression, after, expected) => {
  expect(next(expression, after)).toBe(expected);
});

test('an expression that is none is an error that names it', () => {
  expect(() => parseSchedule('rate(soon)')).toThrow('rate(soon)');
  expect(() => parseSchedule('cron(L * * * ? *)')).toThrow('"L"');
});
