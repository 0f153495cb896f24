import { limitOf } from '../../../contract/limits/limits.ts';
import type { DeletedArtifacts } from '../../../providers/builds/deleted-artifacts.ts';
import { artifactKey } from '../../../providers/builds/keys.ts';
import { App } from '../../../table/entities/apps.ts';
import { Deployment, deploymentsOf } from '../../../table/entities/deployments.ts';
import type { ItemKey } from '../../../table/table.ts';
import { change } from '../../../table/writes.ts';
import { edgeOf, HOME_CELL, type InCell } from '../../apps/cells.ts';
import { tryChange } from '../../conflict.ts';
import { routeCustomDomainIfUnset } from '../../custom-domains/verify.ts';
import { canRollBackTo } from '../../deployments/deployment.ts';
import { rollBack } from '../../deployments/rollback.ts';
import type { Deps } from '../../deps.ts';
import { findAccount } from '../../limits/limits.ts';
import { collectProblems, type Problems, type RestoreInput, Unrestorable, visitItems } from './visit.ts';

/**
 * Restores the code that a restored table refers to: of applications that were deleted, and of releases that were removed, after the time to
 * which the table was restored (docs/decisions/0072-users-and-code-after-a-restore.md).
 */

/** An application that could not be restored, and the reason. */
interface AppProblem {
  applicationId: string;
  problem: string;
}

export interface ReleasesReport extends Problems<AppProblem> {
  /** Number of releases that were compared with the application host. */
  releases: number;
  /** Number of applications that serve nothing and to whose live release a rollback was started. */
  released: number;
  /** Number of releases that no longer exist, and were withdrawn from rollback. */
  retired: number;
  /** Number of verified custom domains that have a route, including the routes that were written. */
  routed: number;
  cursor?: ItemKey;
}

type RestoreDeps = Deps & { bucket: string; deletedArtifacts: DeletedArtifacts } & InCell<
    'appHost' | 'appLogs' | 'hostRoutes'
  >;

const THROTTLED = /Throttl|TooManyRequests|SlowDown|ThroughputExceeded|LimitExceeded/;
const DENIED = /AccessDenied|ExpiredToken/;

/**
 * Returns true for an error that would also affect the next application: a service throttles, or a permission is missing. A missing
 * permission for another cell affects only the applications in that cell.
 */
const affectsAllApps = (error: unknown, cellId = HOME_CELL): boolean =>
  error instanceof Error && (THROTTLED.test(error.name) || (cellId === HOME_CELL && DENIED.test(error.name)));

/**
 * Restores the live release of each application that serves nothing, and withdraws other releases that no longer exist. Does not change a
 * serving application, even if it serves a newer release than the table names. Writes the missing routes of custom domains, which a release
 * does not write. Idempotent, also after a crash. Throws if a service throttles or the operator lacks a permission.
 */
export async function restoreReleases(deps: RestoreDeps, input: RestoreInput): Promise<ReleasesReport> {
  let [releases, released, retired, routed] = [0, 0, 0, 0];
  const problems = collectProblems<AppProblem>();
  /** Reports the problem of one application, so that it does not block the others. */
  const report = (applicationId: string, error: unknown, cellId: string | undefined): void => {
    if (affectsAllApps(error, cellId)) throw error;
    problems.add({ applicationId, problem: error instanceof Error ? error.message : String(error) });
  };
  const position = await visitItems(deps, input, async (item) => {
    if (item.entity === App.type) {
      const app = App.parse(item);
      try {
        if (await restoreRoute(deps, app)) routed += 1;
      } catch (error) {
        report(app.id, error, edgeOf(app).cellId);
      }
    }
    if (item.entity !== Deployment.type) return;
    const { accountId, id, applicationId } = Deployment.parse(item);
    let app: App | undefined;
    try {
      // Read again, because this run changes deployments that it has not visited yet.
      const deployment = await deps.table.get(Deployment, { accountId, id });
      app = await deps.table.get(App, { accountId, id: applicationId });
      if (!deployment || !app || !canRollBackTo(deployment)) return;
      releases += 1;
      if (await restoreLiveRelease(deps, app, deployment)) released += 1;
      else if (await retireIfMissing(deps, app, deployment)) retired += 1;
    } catch (error) {
      report(applicationId, error, app?.cellId);
    }
  });
  return { releases, released, retired, routed, ...problems.report(), ...position };
}

/**
 * Writes the route of a verified custom domain if it is missing, because the route store may be new. An existing route stays, even if it
 * belongs to an application that is newer than the table. @returns true if the domain has a route
 */
const restoreRoute = async (deps: RestoreDeps, app: App): Promise<boolean> =>
  app.customDomain?.status === 'VERIFIED' && app.status !== 'DELETING' && (await routeCustomDomainIfUnset(deps, app));

/** Restores the live release of an application that serves nothing, and starts a rollback to it. @returns false if nothing had to be done */
async function restoreLiveRelease(deps: RestoreDeps, app: App, deployment: Deployment): Promise<boolean> {
  const { id: applicationId, accountId } = app;
  const { appHost } = await deps.cellOf(app);
  if (app.liveDeploymentId !== deployment.id || app.status === 'DELETING') return false;
  if ((await appHost.serving(applicationId)) !== undefined) return false;
  if (app.activeDeploymentId) throw new Unrestorable('a deployment is in progress: repeat this when it has ended');
  if (app.status === 'SUSPENDED') throw new Unrestorable('it is suspended: repeat this when the suspension is lifted');
  await retireOthers(deps, app);
  if (!(await appHost.hasRelease(applicationId, deployment.release ?? '')))
    await recreateRelease(deps, app, deployment);
  await rollBack(deps, { accountId, keyId: '' }, { id: applicationId, deploymentId: deployment.id });
  return true;
}

/** Creates a release from a deployment's artifact. Its version number differs from the original, because a new function counts from 1. */
async function recreateRelease(deps: RestoreDeps, app: App, { id, builtBy = id }: Deployment): Promise<void> {
  const { id: applicationId, accountId, nodeVersion, detected } = app;
  if (!(await deps.deletedArtifacts.restore(applicationId, builtBy)))
    throw new Unrestorable('its code is no longer stored: its owner has to deploy it again');
  const { appHost, appLogs } = await deps.cellOf(app);
  const concurrency = limitOf(await findAccount(deps, accountId), 'concurrentRequests');
  const hosted = { applicationId, nodeVersion: detected?.nodeVersion ?? nodeVersion, concurrency };
  const artifact = { bucket: deps.bucket, key: artifactKey(applicationId, builtBy) };
  const [release] = await Promise.all([appHost.release(hosted, artifact), appLogs.prepare(applicationId)]);
  await deps.table.write(Deployment, change(Deployment, { accountId, id }, { set: { release } }));
}

/** Withdraws the other releases of an application without a function: a new function may use their version numbers for other code. */
async function retireOthers(deps: RestoreDeps, { id, accountId, liveDeploymentId }: App): Promise<void> {
  for await (const deployment of deps.table.each(Deployment, deploymentsOf(id)))
    if (deployment.id !== liveDeploymentId && canRollBackTo(deployment)) await retire(deps, accountId, deployment.id);
}

/** Withdraws a release from rollback if it no longer exists, because a rollback to it would fail. @returns true if it no longer exists */
async function retireIfMissing(
  deps: RestoreDeps,
  app: App,
  { id, accountId, release = '' }: Deployment,
): Promise<boolean> {
  const { appHost } = await deps.cellOf(app);
  if (await appHost.hasRelease(app.id, release)) return false;
  await retire(deps, accountId, id);
  return true;
}

async function retire(deps: RestoreDeps, accountId: string, id: string): Promise<void> {
  const update = { set: { retired: true }, when: { retired: 'absent' as const } };
  await tryChange(deps, Deployment, { accountId, id }, update);
}
