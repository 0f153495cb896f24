import { expect, test } from 'vitest';
import { periodOf } from './schedules.ts';

test.each([
  ['rate(1 minute)', 60_000],
  ['rate(5 minutes)', 300_000],
  ['rate(12 hours)', 43_200_000],
  ['rate(1 day)', 86_400_000],
])('%s has a period of %i ms', (expression, period) => {
  expect(periodOf('nightly', expression)).toBe(period);
});

test.each(['rate(soon)', 'rate(0 minutes)', 'rate(30 days)', 'cron(0 12 * * ? *)', 'at(2026-05-05T05:05:00)'])(
  'the unsupported expression %s is refused with its name',
  (expression) => {
    expect(() => periodOf('nightly', expression)).toThrow(`nightly, "${expression}"`);
  },
);
