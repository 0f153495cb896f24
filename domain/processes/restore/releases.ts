import { limitOf } from '../../../contract/limits/limits.ts';
import type { DeletedArtifacts } from '../../../providers/builds/deleted-artifacts.ts';
import { artifactKey } from '../../../providers/builds/keys.ts';
import { App } from '../../../table/entities/apps.ts';
import { Deployment, deploymentsOf } from '../../../table/entities/deployments.ts';
import type { ItemKey } from '../../../table/table.ts';
import { change } from '../../../table/writes.ts';
import { edgeOf, HOME_CELL, type InCell } from '../../apps/cells.ts';
import { concurrentUpdate, ignoreConflict } from '../../conflict.ts';
import { routeCustomDomainIfUnset } from '../../custom-domains/verify.ts';
import { canRollBackTo } from '../../deployments/deployment.ts';
import { rollBack } from '../../deployments/rollback.ts';
import type { Deps } from '../../deps.ts';
import { findAccount } from '../../limits/limits.ts';
import { collectProblems, type Problems, type RestoreInput, Unrestorable, visit } from './visit.ts';

/**
 * Restores the code that a restored table names: applications that were deleted, and releases that were pruned, after the time of the table
 * (docs/decisions/0072-users-and-code-after-a-restore.md).
 */

/** An application that does not serve, and why. */
interface AppProblem {
  applicationId: string;
  problem: string;
}

export interface ReleasesReport extends Problems<AppProblem> {
  /** Releases that were compared with the host. */
  releases: number;
  /** Applications whose live release was made again from its artifact; a rollback to it is under way. */
  released: number;
  /** Releases that are gone and are no longer offered for rollback. */
  retired: number;
  /** Custom domains that have a route, which was written where there was none. */
  routed: number;
  cursor?: ItemKey;
}

type RestoreDeps = Deps & { bucket: string; deletedArtifacts: DeletedArtifacts } & InCell<
    'appHost' | 'appLogs' | 'hostRoutes'
  >;

const THROTTLED = /Throttl|TooManyRequests|SlowDown|ThroughputExceeded|LimitExceeded/;
const DENIED = /AccessDenied|ExpiredToken/;

/**
 * Returns true for an error that the next application meets as well: a service takes no more for now, or a right is missing. The right
 * to another cell is asked for by the applications there alone.
 */
const concernsAll = (error: unknown, cellId = HOME_CELL): boolean =>
  error instanceof Error && (THROTTLED.test(error.name) || (cellId === HOME_CELL && DENIED.test(error.name)));

/**
 * Makes the live release of each application again that the host does not know any more, and withdraws other releases that are gone. What
 * serves is left alone, also where it is newer than the table. Writes the routes of custom domains that are missing, which no release
 * writes. May be repeated, also after a run that died. Throws where a service is throttled or refuses the operator.
 */
export async function restoreReleases(deps: RestoreDeps, input: RestoreInput): Promise<ReleasesReport> {
  let [releases, released, retired, routed] = [0, 0, 0, 0];
  const problems = collectProblems<AppProblem>();
  /** One application must not hold up the others; the operator reads why. */
  const report = (applicationId: string, error: unknown, cellId: string | undefined): void => {
    if (concernsAll(error, cellId)) throw error;
    problems.add({ applicationId, problem: error instanceof Error ? error.message : String(error) });
  };
  const position = await visit(deps, input, async (item) => {
    if (item.entity === App.type) {
      const app = App.parse(item);
      try {
        if (await routeAgain(deps, app)) routed += 1;
      } catch (error) {
        report(app.id, error, edgeOf(app).cellId);
      }
    }
    if (item.entity !== Deployment.type) return;
    const { accountId, id, applicationId } = Deployment.parse(item);
    let app: App | undefined;
    try {
      // The run itself changes deployments that it has not visited yet.
      const deployment = await deps.table.get(Deployment, { accountId, id });
      app = await deps.table.get(App, { accountId, id: applicationId });
      if (!deployment || !app || !canRollBackTo(deployment)) return;
      releases += 1;
      if (await serveAgain(deps, app, deployment)) released += 1;
      else if (await retireIfGone(deps, app, deployment)) retired += 1;
    } catch (error) {
      report(applicationId, error, app?.cellId);
    }
  });
  return { releases, released, retired, routed, ...problems.report(), ...position };
}

/**
 * Writes the route of a verified custom domain where there is none: the store of routes may be a new one. A route that there is stays,
 * also that of an application that is newer than the table. @returns whether the domain has a route
 */
const routeAgain = async (deps: RestoreDeps, app: App): Promise<boolean> =>
  app.customDomain?.status === 'VERIFIED' && app.status !== 'DELETING' && (await routeCustomDomainIfUnset(deps, app));

/** Brings the live release back where the application serves nothing. @returns whether it had to */
async function serveAgain(deps: RestoreDeps, app: App, deployment: Deployment): Promise<boolean> {
  const { id: applicationId, accountId } = app;
  const { appHost } = await deps.cellOf(app);
  if (app.liveDeploymentId !== deployment.id || app.status === 'DELETING') return false;
  if ((await appHost.serving(applicationId)) !== undefined) return false;
  if (app.activeDeploymentId) throw new Unrestorable('a deployment is under way: repeat this when it has ended');
  if (app.status === 'SUSPENDED') throw new Unrestorable('it is suspended: repeat this when the suspension is lifted');
  await retireOthers(deps, app);
  if (!(await appHost.hasRelease(applicationId, deployment.release ?? ''))) await releaseAgain(deps, app, deployment);
  await rollBack(deps, { accountId, keyId: '' }, { id: applicationId, deploymentId: deployment.id });
  return true;
}

/** Makes a release of what a deployment packaged. The host counts versions from its own beginning, so its number is another. */
async function releaseAgain(deps: RestoreDeps, app: App, { id, builtBy = id }: Deployment): Promise<void> {
  const { id: applicationId, accountId, nodeVersion, detected } = app;
  if (!(await deps.deletedArtifacts.restore(applicationId, builtBy)))
    throw new Unrestorable('its code is no longer kept: its owner has to deploy it again');
  const { appHost, appLogs } = await deps.cellOf(app);
  const concurrency = limitOf(await findAccount(deps, accountId), 'concurrentRequests');
  const hosted = { applicationId, nodeVersion: detected?.nodeVersion ?? nodeVersion, concurrency };
  const artifact = { bucket: deps.bucket, key: artifactKey(applicationId, builtBy) };
  const [release] = await Promise.all([appHost.release(hosted, artifact), appLogs.prepare(applicationId)]);
  await deps.table.write(Deployment, change(Deployment, { accountId, id }, { set: { release } }));
}

/** Withdraws the other releases of an application whose function is gone: a new function may give their numbers to other code. */
async function retireOthers(deps: RestoreDeps, { id, accountId, liveDeploymentId }: App): Promise<void> {
  for await (const deployment of deps.table.each(Deployment, deploymentsOf(id)))
    if (deployment.id !== liveDeploymentId && canRollBackTo(deployment)) await retire(deps, accountId, deployment.id);
}

/** A release that is gone is no longer offered for rollback, which would fail. @returns whether it is gone */
async function retireIfGone(
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
  const gone = { set: { retired: true }, when: { retired: 'absent' as const } };
  await ignoreConflict(deps.table.transact([change(Deployment, { accountId, id }, gone, concurrentUpdate)]));
}
