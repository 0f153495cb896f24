import { expect, test } from 'vitest';
import type { Route } from '../route.ts';
import { dashboardRoutes, operatorRoutes, routes, streamedRoutes } from '../routes.ts';
import { SWITCH_NAMES } from './switches.ts';

const customers = [...routes, ...dashboardRoutes, ...streamedRoutes] as readonly Route[];

test('read-only mode stops everything that customers change, but signing out', () => {
  const unaffected = customers.filter(({ stoppedBy }) => !stoppedBy.includes('read-only'));
  expect(unaffected.filter(({ method }) => method !== 'GET').map(({ id }) => id)).toEqual(['deleteSession']);
  expect(customers.filter(({ method, stoppedBy }) => method === 'GET' && stoppedBy.length > 0)).toEqual([]);
  expect((operatorRoutes as readonly Route[]).filter(({ stoppedBy }) => stoppedBy.length > 0)).toEqual([]);
});

test('every switch stops an operation, or is checked where its work is done', () => {
  const stopping = new Set(customers.flatMap(({ stoppedBy }) => stoppedBy));
  expect(SWITCH_NAMES.filter((name) => !stopping.has(name))).toEqual([
    ...['sign-up', 'ai-provider', 'ai-model', 'deliveries'],
  ]);
});
