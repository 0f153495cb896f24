import type { createDeployment as CreateRoute } from '../../contract/deployments/deployments.ts';
import type { Output } from '../../contract/route.ts';
import { formatMark } from '../../providers/builds/build-log.ts';
import { Deployment } from '../../table/entities/deployments.ts';
import { schedule } from '../../table/schedule.ts';
import { create, type Write } from '../../table/writes.ts';
import type { Caller, Deps } from '../deps.ts';
import { timestampAfter } from '../time.ts';

/**
 * Time without a heartbeat after which the reconciler checks a deployment, in milliseconds. It runs every minute, so a
 * dead execution is noticed within two minutes.
 */
export const HEARTBEAT_TIMEOUT_MS = 45_000;

/** Returns the data of a deployment's events. */
export const deploymentEventData = ({ applicationId, id, commitSha }: Deployment) => ({
  applicationId,
  deploymentId: id,
  commitSha,
});

/** Returns the attributes that have the reconciler check a deployment without a sign of life. */
export const scheduleCheck = ({ now }: Pick<Deps, 'now'>) =>
  schedule(Deployment, timestampAfter(now(), HEARTBEAT_TIMEOUT_MS));

/** True for a deployment whose release was live, and is kept. */
export const canRollBackTo = ({ status, release, retired }: Deployment): boolean =>
  status === 'SUCCEEDED' && release !== undefined && !retired;

/** A deployment as lists show it. */
export function viewDeployment(deployment: Deployment): Output<typeof CreateRoute>['data'] {
  const { id, applicationId, status, trigger, commitSha, startedAt, finishedAt } = deployment;
  const canRollBack = canRollBackTo(deployment);
  return { id, applicationId, status, trigger, commitSha, startedAt, finishedAt, canRollBack };
}

/** Returns the trigger of a deployment that a caller requests. */
export const callerTrigger = ({ login }: Caller): Deployment['trigger'] => (login ? 'DASHBOARD' : 'API');

/**
 * A queued deployment and the write that stores it. The stream starts its execution when the scheduler has admitted it, and
 * that of a rollback, which has nothing to build, at once.
 */
export function newDeployment(
  deps: Deps,
  of: { accountId: string; applicationId: string },
  trigger: Deployment['trigger'],
  known: Partial<Pick<Deployment, 'commitSha' | 'waiting' | 'release' | 'builtBy' | 'notes'>> = {},
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
    ...(trigger === 'ROLLBACK' ? { dueAt: scheduleCheck(deps).dueAt } : {}),
    ...known,
  };
  return { id: deployment.id, shown: viewDeployment(deployment), write: create(Deployment, deployment) };
}

/** A line of the platform's own for the end of a deployment's log, with its time. */
export const formatNote = (deps: Pick<Deps, 'now'>, text: string): string => formatMark(deps.now().getTime()) + text;
