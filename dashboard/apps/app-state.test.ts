import { expect, test } from 'vitest';
import { statusLabel } from '../deployments/labels.ts';
import { stateLabel } from './AppStatus.tsx';
import { appState } from './app-state.ts';

const NEW = {
  status: 'RUNNING',
  liveDeploymentId: null,
  activeDeploymentId: null,
  lastDeploymentStatus: null,
} as const;

test.each([
  ['NOT_DEPLOYED', {}],
  ['BUILDING', { activeDeploymentId: 'dep_1' }],
  ['FAILED', { lastDeploymentStatus: 'FAILED' }],
  ['LIVE', { liveDeploymentId: 'dep_1', lastDeploymentStatus: 'SUCCEEDED' }],
  ['LIVE', { liveDeploymentId: 'dep_1', lastDeploymentStatus: 'FAILED' }],
  ['BUILDING', { liveDeploymentId: 'dep_1', activeDeploymentId: 'dep_2' }],
  ['SUSPENDED', { status: 'SUSPENDED', liveDeploymentId: 'dep_1' }],
  ['DELETING', { status: 'DELETING', liveDeploymentId: 'dep_1' }],
] as const)('an application is %s: %j', (state, known) => {
  expect(appState({ ...NEW, ...known })).toBe(state);
});

test.each(['constructor', '__proto__', 'ELSE'])('a filter in the URL by %s shows that text', (text) => {
  expect([stateLabel(text), statusLabel(text)]).toEqual([text, text]);
});
