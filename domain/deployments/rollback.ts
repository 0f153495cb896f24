import { SECTION } from '../../contract/deployments/build-log.ts';
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
import { concurrentUpdate, tryTransact } from '../conflict.ts';
import type { Caller, Deps } from '../deps.ts';
import { assertIdle, claimSlot, noSuchDeployment } from './create.ts';
import { canRollBackTo, newDeployment } from './deployment.ts';
import type { DeploymentIds } from './inputs.ts';

/**
 * Releases kept per application, including the live one. Lambda stores the code of each, and all applications of an AWS account
 * share 75 GB (contract/limits/aws-limits.ts). At 20 MB per release that is enough for 1,250 applications.
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
 * POST /dashboard/v1/apps/{id}/rollback: a deployment that restores the release of an earlier one. A release contains its
 * variables, so code and variables are restored together.
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
  // Checked first, because a deployment in progress has not succeeded yet.
  assertIdle(app);
  if (target.status !== 'SUCCEEDED') throw neverReleased();
  if (!canRollBackTo(target)) throw releaseNotKept();
  // The move is about to renumber the releases.
  if (app.movingTo !== undefined) throw beingMoved();
  const { release, commitSha } = target;
  const notes = [`${SECTION}Rolling back to the release of ${target.id} (${commitSha})`];
  const known = { release, commitSha, notes, builtBy: target.builtBy ?? target.id };
  const deployment = newDeployment(deps, { accountId, applicationId: id }, 'ROLLBACK', known);
  const isKept = check(
    Deployment,
    { accountId, id: target.id },
    { release: { is: release ?? '' }, retired: 'absent' },
    releaseNotKept,
  );
  const { shown: data } = deployment;
  const about = { action: 'deployment.rolled-back', accountId, subjectId: data.id } as const;
  return await deps.commit(
    [claimSlot(app, deployment.id), isKept, deployment.write],
    { data },
    { ...about, after: { ...data, applicationId: id } },
  );
}

/** Newest deployments whose releases one run considers for removal. One transaction changes all of them that name the same release. */
const PRUNE_LOOKBACK = 90;

/**
 * Removes the releases of an application that never were live or are not among the last {@link MAX_KEPT_RELEASES} live ones, with
 * their artifacts. Does nothing while a deployment is in progress: its end calls this function again.
 */
export async function pruneReleases(
  deps: Deps & { builds: Pick<Builds, 'removeArtifact'> } & InCell<'appHost'>,
  { accountId, applicationId, deploymentId }: DeploymentIds,
): Promise<void> {
  const page = { limit: PRUNE_LOOKBACK, offset: 0 };
  const [app, newest, { items }] = await Promise.all([
    deps.table.get(App, { accountId, id: applicationId }),
    deps.table.get(Deployment, { accountId, id: deploymentId }),
    deps.table.list(Deployment, deploymentsOf(applicationId), page),
  ]);
  if (!app || !newest) return;
  const { appHost } = await deps.cellOf(app);
  // The list is eventually consistent, so the deployment that has just ended is read itself.
  const all = [newest, ...items.filter(({ id }) => id !== newest.id)];
  const kept = new Set<string>();
  for (const { status, release, retired } of all) {
    if (status === 'SUCCEEDED' && release && !retired && kept.size < MAX_KEPT_RELEASES) kept.add(release);
  }
  const ended = all.filter(({ finishedAt, release }) => finishedAt !== null && release && !kept.has(release));
  for (const release of new Set(ended.flatMap((each) => each.release ?? []))) {
    const isIdle = {
      activeDeploymentId: 'absent',
      movingTo: 'absent',
      cellId: unchanged(app.cellId),
    } as const;
    const assertion = check(App, { accountId, id: applicationId }, isIdle, concurrentUpdate);
    // Withdraw the release from rollback before it is removed. A move may have given it another number since the list was read.
    const withdrawal = { set: { retired: true }, when: { release: { is: release } } } as const;
    // Rollbacks name the release that they restored.
    const keys = ended.filter((each) => each.release === release).map(({ id }) => ({ accountId, id }));
    const retire = keys.map((key) => change(Deployment, key, withdrawal, concurrentUpdate));
    if (!(await tryTransact(deps, [assertion, ...retire]))) return;
    if (!(await appHost.removeRelease(applicationId, release))) continue;
    for (const key of keys) {
      await deps.builds.removeArtifact(applicationId, key.id);
      await deps.table.write(Deployment, change(Deployment, key, { remove: ['release'] }));
    }
  }
}
