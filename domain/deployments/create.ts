import type { createDeployment as CreateRoute } from '../../contract/deployments/deployments.ts';
import { ApiError } from '../../contract/errors.ts';
import type { Input, Output } from '../../contract/route.ts';
import { App } from '../../table/entities/apps.ts';
import { changeOrInspect, type Write } from '../../table/writes.ts';
import { findApp, noSuchApp } from '../apps/apps.ts';
import { appSuspended, assertNotSuspended } from '../apps/suspension.ts';
import type { Caller, Deps } from '../deps.ts';
import { assertWithin } from '../limits/limits.ts';
import { enqueueBuild } from './build-queue.ts';
import { callerTrigger, newDeployment } from './deployment.ts';

export const noSuchDeployment = () => new ApiError('not_found', 'Deployment not found.');

const alreadyDeploying = () => new ApiError('conflict', 'A deployment of this application is already in progress.');

/** Throws 409 for an application that is suspended or has a deployment in progress. */
export function assertIdle(app: App): void {
  assertNotSuspended(app);
  if (app.activeDeploymentId || (app.movingTo && app.nextDeploymentId)) throw alreadyDeploying();
}

/** Returns the error for an application that changed since it was read: it was deleted or suspended, or another deployment began. */
function slotRefused(app?: App): Error {
  if (!app || app.status === 'DELETING') return noSuchApp();
  return app.status === 'SUSPENDED' ? appSuspended(app) : alreadyDeploying();
}

/** Returns the write that claims the application's deployment slot. Of two racing callers one gets it. */
export function claimSlot({ accountId, id }: App, deploymentId: string): Write {
  const set = { activeDeploymentId: deploymentId };
  const when = { activeDeploymentId: 'absent', movingTo: 'absent', status: { is: 'RUNNING' } } as const;
  return changeOrInspect(App, { accountId, id }, { set, when }, slotRefused);
}

/** Returns the write that claims the next slot of an application that is being moved (domain/moves/). The deployment begins after the move. */
function claimNextSlot({ accountId, id, movingTo = '' }: App, deploymentId: string): Write {
  const set = { nextDeploymentId: deploymentId };
  const when = { movingTo: { is: movingTo }, nextDeploymentId: 'absent', status: { is: 'RUNNING' } } as const;
  return changeOrInspect(App, { accountId, id }, { set, when }, slotRefused);
}

/** POST /v1/apps/{id}/deployments. Of two racing calls exactly one succeeds. */
export async function createDeployment(
  deps: Deps,
  caller: Caller,
  { id }: Input<typeof CreateRoute>,
): Promise<Output<typeof CreateRoute>> {
  const app = await findApp(deps, caller, id);
  assertNotSuspended(app);
  if (app.repoUrl === null) throw new ApiError('conflict', 'This application has no repoUrl to deploy from.');
  assertIdle(app);
  const ids = { accountId: caller.accountId, applicationId: id };
  const isMoving = app.movingTo !== undefined;
  const deployment = newDeployment(deps, ids, callerTrigger(caller), isMoving ? { waiting: true } : {});
  const writes = [
    (isMoving ? claimNextSlot : claimSlot)(app, deployment.id),
    assertWithin(deps, caller.accountId, ['buildMinutesPerMonth']),
    deployment.write,
    ...(isMoving ? [] : enqueueBuild(deps, { ...ids, id: deployment.id })),
  ];
  return await deps.commit(writes, { data: deployment.shown });
}
