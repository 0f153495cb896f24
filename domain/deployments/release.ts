import { SECTION } from '../../contract/deployments/build-log.ts';
import { limitOf } from '../../contract/limits/limits.ts';
import { HostThrottled, RuntimeRetired } from '../../providers/app-host/resources.ts';
import type { Builds } from '../../providers/builds/builds.ts';
import { artifactKey } from '../../providers/builds/keys.ts';
import { routeTo } from '../../providers/edge/host-routes.ts';
import { App } from '../../table/entities/apps.ts';
import { Deployment } from '../../table/entities/deployments.ts';
import { change, changeOrInspect, check } from '../../table/writes.ts';
import { edgeOf, HOME_CELL, type InCell, removeFromCell } from '../apps/cells.ts';
import type { Deps } from '../deps.ts';
import { findAccount } from '../limits/limits.ts';
import { type BuildPhases, measureBuild } from './build-time.ts';
import { cancelledBecause, formatNote, scheduleCheck } from './deployment.ts';
import { recordDetected } from './detected.ts';
import type { DeploymentIds } from './inputs.ts';
import { type Admission, requestAdmission, requeueRelease, slowDown } from './release-queue.ts';

/** A failure whose message is meant for the application's owner. Any other error is a fault of the platform. */
export class DeploymentError extends Error {
  override readonly name = 'DeploymentError';
}

export const alreadyEnded = () => new DeploymentError('The deployment has already ended.');

/** Reads a deployment and its application. Throws DeploymentError if the application, and with it the deployment, was deleted. */
async function readDeployment(deps: Deps, { accountId, applicationId, deploymentId }: DeploymentIds) {
  const [deployment, app] = await Promise.all([
    deps.table.get(Deployment, { accountId, id: deploymentId }),
    deps.table.get(App, { accountId, id: applicationId }),
  ]);
  if (!deployment || !app || app.status === 'DELETING') throw new DeploymentError('The application was deleted.');
  return { deployment, app };
}

const wasSuspended = () => new DeploymentError('The application was suspended.');

/**
 * Reads a deployment that may continue. Throws DeploymentError if the application is deleted, or suspended before the release began to
 * receive traffic.
 */
export async function readRunning(deps: Deps, ids: DeploymentIds) {
  const found = await readDeployment(deps, ids);
  if (found.app.status === 'SUSPENDED' && found.deployment.switchingAt === undefined) throw wasSuspended();
  return found;
}

/** Like {@link readRunning}, and throws DeploymentError if the deployment has ended: stopping it does not interrupt a running step. */
export async function readUnfinished(deps: Deps, ids: DeploymentIds) {
  const found = await readRunning(deps, ids);
  if (found.deployment.finishedAt) throw alreadyEnded();
  return found;
}

/**
 * Cleans up and throws DeploymentError if the application was deleted during a step. The teardown may have run before the step
 * created its resource, so the step must remove that resource itself.
 */
async function cleanUpIfDeleted(deps: Deps, ids: DeploymentIds, cleanUp: () => Promise<void>): Promise<void> {
  try {
    await readDeployment(deps, ids);
  } catch (error) {
    if (error instanceof DeploymentError) await cleanUp();
    throw error;
  }
}

/**
 * Creates a release from the build's artifact once the cell admits it. The release receives no traffic yet.
 * @returns `waiting` with the pause before the next request for admission, or the end of the wait
 */
export async function releaseDeployment(
  deps: Deps & { builds: Builds; bucket: string } & InCell<'appHost' | 'appLogs'>,
  ids: DeploymentIds & { build?: BuildPhases | undefined },
): Promise<Admission> {
  const { accountId, applicationId, deploymentId, build } = ids;
  const builtAt = deps.now().toISOString();
  const { app, deployment } = await readUnfinished(deps, ids);
  const { cellId = HOME_CELL } = app;
  const admission = await requestAdmission(deps, cellId, deployment);
  if (admission.waiting) return admission;
  const [{ commitSha = '', detected } = {}, account] = await Promise.all([
    deps.builds.readResult(deploymentId),
    findAccount(deps, accountId),
  ]);
  const concurrency = limitOf(account, 'concurrentRequests');
  const nodeVersion = detected?.nodeVersion ?? app.nodeVersion;
  const artifact = { bucket: deps.bucket, key: artifactKey(applicationId, deploymentId) };
  const { appHost, appLogs } = await deps.cellOf(app);
  let isThrottled = false;
  const onThrottled = () => {
    isThrottled = true;
  };
  let release: string | undefined;
  try {
    [release] = await Promise.all([
      appHost.release({ applicationId, nodeVersion, concurrency }, artifact, onThrottled).catch(toDeploymentError),
      appLogs.prepare(applicationId),
    ]);
  } finally {
    // Also after a failure: the function may have been created.
    await cleanUpIfDeleted(deps, ids, () => removeFromCell(deps, app, applicationId));
  }
  if (release === undefined) return await requeueRelease(deps, cellId, deployment);
  if (isThrottled) await slowDown(deps, cellId);
  const set = { release, commitSha, builtAt, ...measureBuild(build), ...scheduleCheck(deps) };
  const write = change(
    Deployment,
    { accountId, id: deploymentId },
    {
      set,
      remove: ['releaseQueue'],
      append: { notes: [formatNote(deps, `${SECTION}Release`)] },
      // A deployment that was stopped meanwhile has ended and must not be scheduled for another check.
      when: { status: { is: 'RUNNING' } },
    },
    alreadyEnded,
  );
  await deps.table.write(Deployment, write);
  await recordDetected(deps, ids, detected);
  return admission;
}

/** Converts a host error that the application's owner can fix to a DeploymentError. Returns undefined if the host throttled the request. */
function toDeploymentError(error: unknown): undefined {
  if (error instanceof HostThrottled) return undefined;
  if (!(error instanceof RuntimeRetired)) throw error;
  throw new DeploymentError(
    `Node ${error.nodeVersion} is no longer available. Set nodeVersion to 24 and deploy again.`,
  );
}

/** Records that the release begins to receive traffic, unless the deployment was stopped. From then on nothing stops it. */
async function markSwitching(deps: Deps, { accountId, applicationId, id }: Deployment): Promise<void> {
  const switching = {
    set: { switchingAt: deps.now().toISOString() },
    when: { status: { is: 'RUNNING' }, cancelled: 'absent' },
  } as const;
  await deps.table.transact([
    check(App, { accountId, id: applicationId }, { status: { is: 'RUNNING' } }, wasSuspended),
    changeOrInspect(Deployment, { accountId, id }, switching, (found) =>
      found?.cancelled === undefined ? alreadyEnded() : new DeploymentError(cancelledBecause(found.cancelled)),
    ),
  ]);
}

/** Switches traffic to the release, and routes the application's host names to its function. */
export async function switchRelease(
  deps: Deps & InCell<'appHost' | 'appAccess' | 'hostRoutes'>,
  ids: DeploymentIds,
): Promise<void> {
  const { deployment, app } = await readUnfinished(deps, ids);
  if (!deployment.release) throw new Error('there is no release to switch to');
  if (deployment.switchingAt === undefined) await markSwitching(deps, deployment);
  const { appHost, appAccess } = await deps.cellOf(app);
  const { hostRoutes } = await deps.cellOf(edgeOf(app));
  const target = await appHost.switchTo(ids.applicationId, deployment.release);
  await hostRoutes.point(app.hosts, routeTo(target, deployment.release, ids.deploymentId), app.id);
  // The first switch opens the function's URL. If the application was suspended meanwhile, close the URL again.
  const { status } = (await readDeployment(deps, ids)).app;
  if (status === 'SUSPENDED') await appAccess.close(app.id);
}
