import type { rollBack as RollBackRoute } from '../../contract/deployments/rollback.ts';
import { ApiError } from '../../contract/errors.ts';
import type { Input, Output } from '../../contract/route.ts';
import type { Builds } from '../../providers/builds/builds.ts';
import { App } from '../../table/entities/apps.ts';
import { Deployment, deploymentsOf } from '../../table/entities/deployments.ts';
import { unchanged } from '../../table/expressions.ts';
import { change, check } from '../../table/writes.ts';
import { findApp } from '../apps/apps.ts';
import type { InCell } from '../apps/cells.ts';
import { concurrentUpdate, ignoreConflict } from '../conflict.ts';
import type { Caller, Deps } from '../deps.ts';
import { assertIdle, claimSlot, noSuchDeployment } from './create.ts';
import { canRollBackTo, newDeployment } from './deployment.ts';
import type { DeploymentIds } from './inputs.ts';

/**
 * Releases kept per application, including the one in service. Each holds its code in Lambda, where all applications of
 * the AWS account share 75 GB (contract/limits/aws-limits.ts): at 20 MB a release, that is room for 1,250 applications.
 */
export const MAX_KEPT_RELEASES = 3;

const beingMoved = () =>
  new ApiError('conflict', 'This application is being moved by the platform. Roll back in a few minutes.');
const neverReleased = () =>
  new ApiError('conflict', 'This deployment did not succeed: there is no release to roll back to.');
const releaseNotKept = () =>
  new ApiError(
    'conflict',
    `The release of this deployment is not kept: only the newest ${MAX_KEPT_RELEASES} are. Deploy its code again.`,
  );

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
  // Before what a deployment that is still under way has not done yet.
  assertIdle(app);
  if (target.status !== 'SUCCEEDED') throw neverReleased();
  if (!canRollBackTo(target)) throw releaseNotKept();
  // Its releases are about to have other numbers.
  if (app.movingTo !== undefined) throw beingMoved();
  const { release, commitSha } = target;
  const notes = [`==> Rolling back to the release of ${target.id} (${commitSha})`];
  const known = { release, commitSha, notes, builtBy: target.builtBy ?? target.id };
  const deployment = newDeployment(deps, { accountId, applicationId: id }, 'ROLLBACK', known);
  const kept = check(
    Deployment,
    { accountId, id: target.id },
    { release: { is: release ?? '' }, retired: 'absent' },
    releaseNotKept,
  );
  const { shown: data } = deployment;
  const about = { action: 'deployment.rolled-back', accountId, subjectId: data.id } as const;
  return await deps.commit(
    [claimSlot(app, deployment.id), kept, deployment.write],
    { data },
    { ...about, after: { ...data, applicationId: id } },
  );
}

/** Older releases per run that are checked for removal. */
const PRUNE_LOOKBACK = 100;

/**
 * Removes the releases of an application that are not among the last ones to have served, and those that never did, with
 * their artifacts. Leaves all as it is while a deployment is under way: that one's end comes by here too.
 */
export async function pruneReleases(
  deps: Deps & { builds: Pick<Builds, 'removeArtifact'> } & InCell<'appHost'>,
  { accountId, applicationId, deploymentId }: DeploymentIds,
): Promise<void> {
  const page = { limit: PRUNE_LOOKBACK, offset: 0 };
  const [app, ended, { items }] = await Promise.all([
    deps.table.get(App, { accountId, id: applicationId }),
    deps.table.get(Deployment, { accountId, id: deploymentId }),
    deps.table.list(Deployment, deploymentsOf(applicationId), page),
  ]);
  if (!app || !ended) return;
  const { appHost } = await deps.cellOf(app);
  // The list is some milliseconds behind; the one that has just ended must be seen as it is.
  const all = [ended, ...items.filter(({ id }) => id !== ended.id)];
  const kept = new Set<string>();
  for (const { status, release, retired } of all) {
    if (status === 'SUCCEEDED' && release && !retired && kept.size < MAX_KEPT_RELEASES) kept.add(release);
  }
  for (const { id, finishedAt, release } of all) {
    if (finishedAt === null || !release || kept.has(release)) continue;
    const of = { accountId, id };
    const isIdle = {
      activeDeploymentId: 'absent',
      movingTo: 'absent',
      cellId: unchanged(app.cellId),
    } as const;
    const idle = check(App, { accountId, id: applicationId }, isIdle, concurrentUpdate);
    // First the release is no longer offered for rollback, then it is removed.
    const retiring = deps.table.transact([idle, change(Deployment, of, { set: { retired: true } }, concurrentUpdate)]);
    if (!(await ignoreConflict(retiring.then(() => true)))) return;
    if (!(await appHost.removeRelease(applicationId, release))) continue;
    await deps.builds.removeArtifact(applicationId, id);
    await deps.table.write(Deployment, change(Deployment, of, { remove: ['release'] }));
  }
}
