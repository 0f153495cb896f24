import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { Email, Moment, Timestamp } from './envelope.ts';
import type { Route } from './route.ts';
import { dashboardRoutes, routes } from './routes.ts';

test('refuses an email address that is too long for Cognito', () => {
  const ofLength = (length: number) => `${'A'.repeat(64)}@${'b'.repeat(length - 69)}.com`;
  expect(Email().parse(ofLength(128))).toBe(ofLength(128).toLowerCase());
  expect(Email().safeParse(ofLength(129)).success).toBe(false);
});

test.each([
  ['2024-02-29T00:00:00.1234+14:00', '2024-02-28T10:00:00.123Z'],
  ['9999-12-31T23:59:59-02:00', '9999-12-31T23:59:59.999Z'],
  ['1970-01-01T00:00:00+00:01', '1970-01-01T00:00:00.000Z'],
  // What Go and .NET send for a time that is not set.
  ['0001-01-01T00:00:00Z', '1970-01-01T00:00:00.000Z'],
  ['0000-01-01T00:00:00+02:00', '1970-01-01T00:00:00.000Z'],
])('reads the time %s as %s, in the form of responses', (text, utc) => {
  expect(Moment('').parse(text)).toBe(utc);
  expect(Timestamp().parse(utc)).toBe(utc);
});

test.each(['2026-02-30T00:00:00Z', '2026-01-31', '2026-01-31T09:30:00', 'tomorrow', ''])(
  'refuses the time "%s"',
  (text) => {
    expect(Moment('').safeParse(text).success).toBe(false);
  },
);

// Specification, general conventions: list responses also carry `has_more`.
test('every list of the API says whether further items exist', () => {
  const all: readonly Route[] = [...routes, ...dashboardRoutes];
  const shapes = all
    .filter(({ path }) => !path.startsWith('/ai/'))
    .map(({ id, response }) => ({ id, of: response?.() }));
  const silent = shapes.filter(
    ({ of }) => of instanceof z.ZodMiniObject && of.shape.data instanceof z.ZodMiniArray && !('has_more' in of.shape),
  );
  expect(silent.map(({ id }) => id)).toEqual([]);
});
