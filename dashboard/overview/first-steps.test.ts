import { expect, test } from 'vitest';
import { type FirstStepsState, firstSteps } from './first-steps.ts';

const EXAMPLE = 'https://git.localhost/hello-express.git';
const NEW: FirstStepsState = { account: { usage: {} }, apps: [], hasAiCredits: false, exampleRepository: EXAMPLE };
const done = (state: Partial<FirstStepsState>) =>
  firstSteps({ ...NEW, ...state })
    .filter(({ isDone }) => isDone)
    .map(({ id }) => id);

test('a new account has every step before it, and no example where the installation offers none', () => {
  expect(done({})).toEqual([]);
  expect(firstSteps(NEW).map(({ id }) => id)).toEqual(['example', 'repository', 'key', 'webhook', 'credits']);
  expect(firstSteps({ ...NEW, exampleRepository: '' })[0]?.id).toBe('repository');
});

test('each step completes itself', () => {
  const app = { repoUrl: EXAMPLE, liveDeploymentId: 'dep_1' };
  expect(done({ apps: [app] })).toEqual(['example']);
  expect(done({ apps: [{ ...app, liveDeploymentId: null }] })).toEqual([]);
  expect(done({ apps: [{ ...app, repoUrl: 'https://github.com/you/app' }] })).toEqual(['example', 'repository']);
  expect(done({ apps: [{ ...app, repoUrl: null }] })).toEqual(['example']);
  expect(done({ account: { usage: { apiKeys: 1 } } })).toEqual(['key']);
  expect(done({ account: { usage: { webhookEndpoints: 2 } } })).toEqual(['webhook']);
  expect(done({ hasAiCredits: true })).toEqual(['credits']);
});
