import { expect, test } from 'vitest';
import type { Route } from '../route.ts';
import { dashboardRoutes, operatorRoutes, routes, streamedRoutes } from '../routes.ts';
import { SWITCH_NAMES, targetProblem } from './switches.ts';

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
    'sign-up',
    'build-region',
    'ai-provider',
    'ai-model',
    'deliveries',
  ]);
});

test.each([
  ['read-only', undefined, undefined],
  ['read-only', 'openai', 'this switch has no target'],
  ['ai-provider', undefined, 'name a provider'],
  ['ai-provider', 'openai', undefined],
  ['ai-provider', 'OpenAI', 'the providers are'],
  ['ai-provider', 'openai/gpt-4o', 'without a model'],
  ['ai-model', 'openai/gpt-4o', undefined],
  ['ai-model', 'openrouter/meta-llama/llama-3', undefined],
  ['ai-model', 'gpt-4o', 'the providers are'],
  ['ai-model', 'openai', 'name the model too'],
  ['build-region', 'eu-west-1', undefined],
  ['build-region', 'Ireland', 'must be a region'],
] as const)('the target of %s may be %s: %s', (name, target, problem) => {
  if (problem === undefined) expect(targetProblem(name, target)).toBeUndefined();
  else expect(targetProblem(name, target)).toContain(problem);
});
