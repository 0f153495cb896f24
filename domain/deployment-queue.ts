import type { createDeployment as CreateRoute } from '../contract/deployments.ts';
import type { Output } from '../contract/route.ts';
import { Deployment } from '../table/entities.ts';
import { create, type Write } from '../table/writes.ts';
import type { Caller, Deps } from './deps.ts';

/** How long a deployment may be without a sign of life before the reconciler looks after it, in milliseconds. */
export const CHECK_AFTER = 60_000;

/** A deployment as lists show it. */
export function viewDeployment(deployment: Deployment): Output<typeof CreateRoute>['data'] {
  const { id, applicationId, status, trigger, commitSha, startedAt, finishedAt } = deployment;
  return { id, applicationId, status, trigger, commitSha, startedAt, finishedAt };
}

/** What a deployment is triggered by that a caller asks for. */
export const triggerOf = ({ login }: Caller): Deployment['trigger'] => (login ? 'DASHBOARD' : 'API');

/** A queued deployment and the write that stores it. The stream starts its execution. */
export function newDeployment(
  deps: Deps,
  of: { accountId: string; applicationId: string },
  trigger: Deployment['trigger'],
): { id: string; shown: Output<typeof CreateRoute>['data']; write: Write } {
  const now = deps.now();
  const deployment: Deployment = {
    ...of,
    id: deps.newId('dep'),
    status: 'QUEUED',
    trigger,
    commitSha: '',
    startedAt: now.toISOString(),
    finishedAt: null,
    notes: [],
    checkAt: new Date(now.getTime() + CHECK_AFTER).toISOString(),
  };
  return { id: deployment.id, shown: viewDeployment(deployment), write: create(Deployment, deployment) };
}
