import { limitOf } from '../../contract/limits/limits.ts';
import { HostThrottled, RuntimeRetired } from '../../providers/app-host/resources.ts';
import type { Builds } from '../../providers/builds/builds.ts';
import { artifactKey } from '../../providers/builds/keys.ts';
import { routeTo } from '../../providers/edge/host-routes.ts';
import { App, Host } from '../../table/entities/apps.ts';
import { Deployment } from '../../table/entities/deployments.ts';
import { change } from '../../table/writes.ts';
import { edgeOf, HOME_CELL, type InCell } from '../apps/cells.ts';
import type { Deps } from '../deps.ts';
import { findAccount } from '../limits/limits.ts';
import { type BuildPhases, measureBuild } from './build-time.ts';
import { formatNote, scheduleCheck } from './deployment.ts';
import { recordDetected } from './detected.ts';
import type { DeploymentIds } from './inputs.ts';
import { slowDown, type Turn, takeTurn, waitAgain } from './release-line.ts';

/** A reason to fail that the application's owner is meant to read; anything else is the platform's own fault. */
export class DeploymentError extends Error {
  override readonly name = 'DeploymentError';
}

export const alreadyEnded = () => new DeploymentError('It ended already.');

/** Reads a deployment and its application. Throws DeploymentError if the application was deleted, the deployment with it. */
async function readDeployment(deps: Deps, { accountId, applicationId, deploymentId }: DeploymentIds) {
  const [deployment, app] = await Promise.all([
    deps.table.get(Deployment, { accountId, id: deploymentId }),
    deps.table.get(App, { accountId, id: applicationId }),
  ]);
  if (!deployment || !app || app.status === 'DELETING') throw new DeploymentError('The application was deleted.');
  return { deployment, app };
}

/** Reads a deployment that may go on. Throws for an application that is deleted or suspended. */
export async function readRunning(deps: Deps, ids: DeploymentIds) {
  const found = await readDeployment(deps, ids);
  if (found.app.status === 'SUSPENDED') throw new DeploymentError('The application was suspended.');
  return found;
}

/** Reads a deployment that has not ended: one that was stopped may be in the middle of a step. */
export async function readUnfinished(deps: Deps, ids: DeploymentIds) {
  const found = await readRunning(deps, ids);
  if (found.deployment.finishedAt) throw alreadyEnded();
  return found;
}

/**
 * An application that is deleted while a step makes something of it may have been taken down without that: then the step
 * takes it down itself, and fails.
 */
async function unlessDeleted(deps: Deps, ids: DeploymentIds, takeDown: () => Promise<void>): Promise<void> {
  try {
    await readDeployment(deps, ids);
  } catch (error) {
    if (error instanceof DeploymentError) await takeDown();
    throw error;
  }
}

/**
 * Makes a release of what was built, once it has its turn in its cell; it takes no traffic yet.
 * @returns whether it waits for its turn, and for how long until it is to ask again
 */
export async function releaseDeployment(
  deps: Deps & { builds: Builds; bucket: string } & InCell<'appHost' | 'appLogs'>,
  ids: DeploymentIds & { build?: BuildPhases | undefined },
): Promise<Turn> {
  const { accountId, applicationId, deploymentId, build } = ids;
  const builtAt = deps.now().toISOString();
  const { app, deployment } = await readUnfinished(deps, ids);
  const { cellId = HOME_CELL } = app;
  const turn = await takeTurn(deps, cellId, deployment);
  if (turn.waiting) return turn;
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
      appHost.release({ applicationId, nodeVersion, concurrency }, artifact, onThrottled).catch(toOwnersError),
      appLogs.prepare(applicationId),
    ]);
  } finally {
    // Also after a part of it: the function may be there.
    await unlessDeleted(deps, ids, async () => {
      await appHost.remove(applicationId);
      await appLogs.remove(applicationId);
    });
  }
  if (release === undefined) return await waitAgain(deps, cellId, deployment);
  if (isThrottled) await slowDown(deps, cellId);
  const set = { release, commitSha, builtAt, ...measureBuild(build), ...scheduleCheck(deps) };
  const write = change(
    Deployment,
    { accountId, id: deploymentId },
    {
      set,
      remove: ['releaseQueue'],
      append: { notes: [formatNote(deps, '==> Release')] },
      // One that was stopped meanwhile has ended, and is due no more.
      when: { status: { is: 'RUNNING' } },
    },
    alreadyEnded,
  );
  await deps.table.write(Deployment, write);
  await recordDetected(deps, ids, detected);
  return turn;
}

/** Converts a refusal of the host that the application's owner can mend. Returns for one that only asks to wait. */
function toOwnersError(error: unknown): undefined {
  if (error instanceof HostThrottled) return undefined;
  if (!(error instanceof RuntimeRetired)) throw error;
  throw new DeploymentError(
    `Node ${error.nodeVersion} is not available any more. Set nodeVersion to 24 and deploy again.`,
  );
}

/** Sends the traffic to the release, and the application's host names to its function. */
export async function switchRelease(
  deps: Deps & InCell<'appHost' | 'appAccess' | 'hostRoutes'>,
  ids: DeploymentIds,
): Promise<void> {
  const { deployment, app } = await readRunning(deps, ids);
  if (!deployment.release) throw new Error('there is no release to switch to');
  const { appHost, appAccess } = await deps.cellOf(app);
  const { hostRoutes } = await deps.cellOf(edgeOf(app));
  const target = await appHost.switchTo(ids.applicationId, deployment.release);
  await hostRoutes.point(app.hosts, routeTo(target, deployment.release, ids.deploymentId));
  await unlessDeleted(deps, ids, async () => hostRoutes.remove(await ownedHosts(deps, app)));
  // The first switch opens the function's address: one that was suspended meanwhile closes it again.
  const { status } = (await readDeployment(deps, ids)).app;
  if (status === 'SUSPENDED') await appAccess.close(app.id);
}

/** Returns the application's host names that no other application has claimed since. */
async function ownedHosts(deps: Deps, { id, hosts }: App): Promise<string[]> {
  const claims = await Promise.all(hosts.map((host) => deps.table.get(Host, { host })));
  return hosts.filter((_, index) => (claims[index]?.applicationId ?? id) === id);
}
