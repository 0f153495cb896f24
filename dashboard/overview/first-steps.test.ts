import { expect, test } from 'vitest';
import { exampleToReplace, type FirstStepsState, firstSteps } from './first-steps.ts';

const EXAMPLE = 'https://git.localhost/hello-express.git';
const limits = { applications: 1 } as FirstStepsState['account']['limits'];
const NEW: FirstStepsState = {
  account: { usage: {}, limits },
  apps: [],
  hasAiCredits: false,
  exampleRepository: EXAMPLE,
};
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
  const app = { id: 'app_1', repoUrl: EXAMPLE, liveDeploymentId: 'dep_1' };
  expect(done({ apps: [app] })).toEqual(['example']);
  expect(done({ apps: [{ ...app, liveDeploymentId: null }] })).toEqual([]);
  expect(done({ apps: [{ ...app, repoUrl: 'https://github.com/you/app' }] })).toEqual(['example', 'repository']);
  expect(done({ apps: [{ ...app, repoUrl: null }] })).toEqual(['example']);
  expect(done({ account: { usage: { apiKeys: 1 }, limits } })).toEqual(['key']);
  expect(done({ account: { usage: { webhookEndpoints: 2 }, limits } })).toEqual(['webhook']);
  expect(done({ hasAiCredits: true })).toEqual(['credits']);
});

test('the example gives way to a repository once it is the last application that the plan allows', () => {
  const example = { id: 'app_1', repoUrl: EXAMPLE, liveDeploymentId: null };
  const replaced = (state: Partial<FirstStepsState>) => exampleToReplace({ ...NEW, ...state })?.id;
  const full = { usage: { applications: 1 }, limits };
  expect(replaced({ account: full, apps: [example] })).toBe('app_1');
  expect(replaced({ account: full, apps: [{ ...example, repoUrl: 'https://github.com/you/app' }] })).toBeUndefined();
  expect(replaced({ account: { ...full, limits: { ...limits, applications: 2 } }, apps: [example] })).toBeUndefined();
});
