import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { Email } from './envelope.ts';
import type { Route } from './route.ts';
import { dashboardRoutes, routes } from './routes.ts';

test('refuses an email address that is too long for Cognito', () => {
  const ofLength = (length: number) => `${'A'.repeat(64)}@${'b'.repeat(length - 69)}.com`;
  expect(Email().parse(ofLength(128))).toBe(ofLength(128).toLowerCase());
  expect(Email().safeParse(ofLength(129)).success).toBe(false);
});

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
