import type { rollBack as RollBackRoute } from '../../contract/deployments/rollback.ts';
import { ApiError } from '../../contract/errors.ts';
import type { Input, Output } from '../../contract/route.ts';
import type { AppHost } from '../../providers/app-host/app-host.ts';
import type { Builds } from '../../providers/builds/builds.ts';
import { App, Deployment } from '../../table/entities.ts';
import { joinKey } from '../../table/keys.ts';
import { change, check } from '../../table/writes.ts';
import { findApp } from '../apps.ts';
import type { Caller, Deps } from '../deps.ts';
import { Overtaken, overtaken } from '../overtaken.ts';
import type { DeploymentIds } from '../workflow.ts';
import { assertIdle, claimSlot, noSuchDeployment } from './create.ts';
import { newDeployment } from './queue.ts';

/** How many releases of an application are kept, the one that serves among them (design, section 7). */
export const KEPT_RELEASES = 10;

const notKept = () => new ApiError('conflict', 'The release of this deployment is not kept.');

/**
 * POST /dashboard/v1/apps/{id}/rollback: a deployment of its own that releases what an earlier one made. Its release holds
 * its variables, so both come back together.
 */
export async function rollBack(
  deps: Deps,
  caller: Caller,
  { id, deploymentId }: Input<typeof RollBackRoute>,
): Promise<Output<typeof RollBackRoute>> {
  const { accountId } = caller;
  const [app, target] = await Promise.all([
    findApp(deps, caller, id),
    deps.table.get(Deployment, { accountId, id: deploymentId }),
  ]);
  if (target?.applicationId !== id) throw noSuchDeployment();
  if (target.status !== 'SUCCEEDED' || !target.release || target.retired) throw notKept();
  assertIdle(app);
  const { release, commitSha } = target;
  const notes = [`==> Rolling back to the release of ${target.id} (${commitSha})`];
  const deployment = newDeployment(deps, { accountId, applicationId: id }, 'ROLLBACK', { release, commitSha, notes });
  const kept = check(Deployment, { accountId, id: target.id }, { release: 'present', retired: 'absent' }, notKept);
  return await deps.commit([claimSlot(app, deployment.id), kept, deployment.write], { data: deployment.shown });
}

/** How far back releases are looked for that should have gone before. */
const LOOK_BACK = 100;

/**
 * Removes the releases of an application that are not among the last ten to have served, and those that never did, with
 * their artifacts. Leaves all as it is while a deployment is under way: that one's end comes by here too.
 */
export async function pruneReleases(
  deps: Deps & { appHost: Pick<AppHost, 'removeRelease'>; builds: Pick<Builds, 'removeArtifact'> },
  { accountId, applicationId, deploymentId }: DeploymentIds,
): Promise<void> {
  const page = { limit: LOOK_BACK, offset: 0 };
  const [ended, { items }] = await Promise.all([
    deps.table.get(Deployment, { accountId, id: deploymentId }),
    deps.table.list(Deployment, joinKey('APP', applicationId, 'DEPLOYMENTS'), page),
  ]);
  if (!ended) return;
  // The list is some milliseconds behind; the one that has just ended must be seen as it is.
  const all = [ended, ...items.filter(({ id }) => id !== ended.id)];
  const kept = new Set<string>();
  for (const { status, release, retired } of all) {
    if (status === 'SUCCEEDED' && release && !retired && kept.size < KEPT_RELEASES) kept.add(release);
  }
  for (const { id, finishedAt, release } of all) {
    if (finishedAt === null || !release || kept.has(release)) continue;
    const of = { accountId, id };
    const idle = check(App, { accountId, id: applicationId }, { activeDeploymentId: 'absent' }, overtaken);
    try {
      // First it cannot be rolled back to, then it goes: nobody is promised what is being removed.
      await deps.table.transact([idle, change(Deployment, of, { set: { retired: true } }, overtaken)]);
    } catch (error) {
      if (error instanceof Overtaken) return;
      throw error;
    }
    if (!(await deps.appHost.removeRelease(applicationId, release))) continue;
    await deps.builds.removeArtifact(applicationId, id);
    await deps.table.write(Deployment, change(Deployment, of, { remove: ['release'] }));
  }
}
