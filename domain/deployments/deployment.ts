import type { createDeployment as CreateRoute } from '../../contract/deployments/deployments.ts';
import type { Output } from '../../contract/route.ts';
import { formatMark } from '../../providers/builds/build-log.ts';
import { Deployment } from '../../table/entities/deployments.ts';
import { schedule } from '../../table/schedule.ts';
import { create, type Write } from '../../table/writes.ts';
import type { Caller, Deps } from '../deps.ts';
import { timestampAfter } from '../time.ts';

/**
 * Time without a heartbeat after which the reconciler checks a deployment, in milliseconds. The reconciler runs every minute, so
 * it notices a dead execution within two minutes.
 */
const HEARTBEAT_TIMEOUT_MS = 45_000;

/** Returns the data of a deployment's events. */
export const deploymentEventData = ({ applicationId, id, commitSha }: Deployment) => ({
  applicationId,
  deploymentId: id,
  commitSha,
});

/** Returns the attributes that make the reconciler check a deployment unless its execution reschedules the check first. */
export const scheduleCheck = ({ now }: Pick<Deps, 'now'>) =>
  schedule(Deployment, timestampAfter(now(), HEARTBEAT_TIMEOUT_MS));

/** True for a deployment whose release was live and is still kept. */
export const canRollBackTo = ({ status, release, retired }: Deployment): boolean =>
  status === 'SUCCEEDED' && release !== undefined && !retired;

/** Returns a deployment as lists show it. */
export function viewDeployment(deployment: Deployment): Output<typeof CreateRoute>['data'] {
  const { id, applicationId, status, trigger, commitSha, startedAt, finishedAt } = deployment;
  const canRollBack = canRollBackTo(deployment);
  return { id, applicationId, status, trigger, commitSha, startedAt, finishedAt, canRollBack };
}

/** Returns the trigger of a deployment that a caller requests. */
export const callerTrigger = ({ login }: Caller): Deployment['trigger'] => (login ? 'DASHBOARD' : 'API');

/**
 * Returns a queued deployment and the write that stores it. The stream starts its execution once the scheduler admits it. A
 * rollback has no build, so its execution starts immediately.
 */
export function newDeployment(
  deps: Deps,
  ids: { accountId: string; applicationId: string },
  trigger: Deployment['trigger'],
  known: Partial<Pick<Deployment, 'commitSha' | 'waiting' | 'release' | 'builtBy' | 'notes'>> = {},
): { id: string; shown: Output<typeof CreateRoute>['data']; write: Write } {
  const deployment: Deployment = {
    ...ids,
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

/** Returns a note of the platform, with its time, for the end of a deployment's log. */
export const formatNote = (deps: Pick<Deps, 'now'>, text: string): string => formatMark(deps.now().getTime()) + text;

/** The reason for the failure of a deployment whose release began to receive traffic and could not be published. */
export const NOT_PUBLISHED = 'Its release could not be published completely, and may receive traffic. Deploy again.';

/** Returns the reason for the failure of a deployment that an operator cancelled. */
export const cancelledBecause = (reason: string): string => `Cancelled by the platform: ${reason}`;
