import { expect, test } from 'vitest';
import { formatMark } from '../../providers/builds/build-log.ts';
import type { Deployment } from '../../table/entities/deployments.ts';
import { progressOf } from './progress.ts';

const QUEUED: Deployment = {
  id: 'dep_2',
  accountId: 'acc_1',
  applicationId: 'app_1',
  status: 'QUEUED',
  trigger: 'API',
  commitSha: '',
  startedAt: '2026-11-23T03:00:00.000Z',
  finishedAt: null,
  notes: [],
};
const QUEUE = ['dep_1', 'dep_2'].map((id) => ({ id, accountId: 'acc_1', applicationId: 'app_1' }));
const AT = '2026-11-23T03:10:00.000Z';
const RUNNING = { status: 'RUNNING', admittedAt: AT } as const;

test.each<[string, Partial<Deployment>, string | null]>([
  ['queued', {}, 'Waiting for a free builder (position 2 in the queue of its account)'],
  [
    'behind another',
    { waiting: true },
    'Waiting for another operation on this application (position 1 in the queue of its account)',
  ],
  ['admitted', { admittedAt: AT }, `Starting since ${AT}`],
  ['without a builder', { ...RUNNING, beganAt: AT }, `Waiting for a builder since ${AT}`],
  ['in its build', { ...RUNNING, beganAt: AT, buildId: 'builder:1' }, `Building since ${AT}: builder:1`],
  ['after its build', { ...RUNNING, beganAt: AT, buildId: 'builder:1', builtAt: AT }, `Releasing since ${AT}`],
  ['a rollback', { trigger: 'ROLLBACK' }, 'Switching back to an earlier release'],
  [
    'failed',
    { status: 'FAILED', finishedAt: AT, notes: [`${formatMark(1)}==> Checking\n`, `${formatMark(2)}No route.\n`] },
    'No route.',
  ],
  ['ended without a word', { status: 'SUCCEEDED', finishedAt: AT }, null],
])('operators read where a deployment is: %s', (_, state, text) => {
  expect(progressOf({ ...QUEUED, ...state }, [QUEUE, undefined])).toBe(text);
});
