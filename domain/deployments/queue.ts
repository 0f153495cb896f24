import type { createDeployment as CreateRoute } from '../../contract/deployments/deployments.ts';
import type { Output } from '../../contract/route.ts';
import { markOf } from '../../providers/builds/build-log.ts';
import { Deployment } from '../../table/entities.ts';
import { create, type Write } from '../../table/writes.ts';
import type { Caller, Deps } from '../deps.ts';

/**
 * How long a deployment may be without a sign of life before the reconciler looks after it, in milliseconds. With the minute
 * between two of its runs: what died is noticed within two.
 */
export const CHECK_AFTER = 45_000;

/** What the events of a deployment say of it. */
export const eventDataOf = ({ applicationId, id, commitSha }: Deployment) => ({
  applicationId,
  deploymentId: id,
  commitSha,
});

/** What makes a deployment known to the reconciler, as an entity has it and as its index has it. */
export function checkSoon({ now }: Pick<Deps, 'now'>): { checkAt: string; duePk: string; dueAt: string } {
  const checkAt = new Date(now().getTime() + CHECK_AFTER).toISOString();
  return { checkAt, duePk: 'DEPLOYMENT', dueAt: checkAt };
}

/** A deployment as lists show it. */
export function viewDeployment(deployment: Deployment): Output<typeof CreateRoute>['data'] {
  const { id, applicationId, status, trigger, commitSha, startedAt, finishedAt } = deployment;
  return { id, applicationId, status, trigger, commitSha, startedAt, finishedAt };
}

/** What a deployment is triggered by that a caller asks for. */
export const triggerOf = ({ login }: Caller): Deployment['trigger'] => (login ? 'DASHBOARD' : 'API');

/**
 * A queued deployment and the write that stores it. The stream starts its execution, at once or, where it is waiting, when
 * its turn has come.
 */
export function newDeployment(
  deps: Deps,
  of: { accountId: string; applicationId: string },
  trigger: Deployment['trigger'],
  known: Partial<Pick<Deployment, 'commitSha' | 'waiting' | 'release' | 'notes'>> = {},
): { id: string; shown: Output<typeof CreateRoute>['data']; write: Write } {
  const deployment: Deployment = {
    ...of,
    id: deps.newId('dep'),
    status: 'QUEUED',
    trigger,
    commitSha: '',
    startedAt: deps.now().toISOString(),
    finishedAt: null,
    notes: [],
    ...(known.waiting ? {} : { checkAt: checkSoon(deps).checkAt }),
    ...known,
  };
  return { id: deployment.id, shown: viewDeployment(deployment), write: create(Deployment, deployment) };
}

/** A line of the platform's own for the end of a deployment's log, with its time. */
export const noteOf = (deps: Deps, text: string): string => markOf(deps.now().getTime()) + text;
