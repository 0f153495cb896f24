import type { BuildRunner } from '../../providers/builds/build-runner.ts';
import type { Builds } from '../../providers/builds/builds.ts';
import { PLACEHOLDER } from '../../providers/edge/host-routes.ts';
import type { Executions } from '../../providers/workflows/executions.ts';
import { App } from '../../table/entities/apps.ts';
import { Deployment } from '../../table/entities/deployments.ts';
import { unschedule } from '../../table/schedule.ts';
import { change } from '../../table/writes.ts';
import { TEARDOWN_RETRY_AFTER_MS } from '../apps/apps.ts';
import { cellsInUse, edgeOf, type InCell } from '../apps/cells.ts';
import { tryChange } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { restartQueue } from '../sweep/restart-queue.ts';
import type { DueQueue } from '../sweep/sweep.ts';
import { cancelledBecause, NOT_PUBLISHED, scheduleCheck } from './deployment.ts';
import { failDeployment } from './finish.ts';

const idsFromKeys = ({ accountId, applicationId, id }: Deployment) => ({ accountId, applicationId, deploymentId: id });

/**
 * Starts the execution of a queued deployment. Its name is the deployment's id, so that starting it twice has no effect. The
 * trigger decides whether there is a build.
 */
export const startDeployment = (deps: { deployments: Executions }, deployment: Deployment): Promise<void> =>
  deps.deployments.start(deployment.id, { ...idsFromKeys(deployment), trigger: deployment.trigger });

/** Starts a deployment unless it has ended meanwhile, because it was cancelled or its application was deleted. */
export async function startQueued(deps: { deployments: Executions }, deployment: Deployment): Promise<void> {
  if (deployment.finishedAt === null) await startDeployment(deps, deployment);
}

const INTERRUPTED = 'It was interrupted on our side. Deploying again is safe.';

type BuildStopper = Pick<BuildRunner, 'stop'>;

/**
 * Deletes the job of a failed deployment, and stops its build if that has not ended. A build that read its job has deleted it
 * already; a build that ended has a duration.
 */
export async function discardBuild(
  deps: { builds: Pick<Builds, 'removeJob'>; buildRunner: BuildStopper },
  { id, buildId, buildMs }: Deployment,
): Promise<void> {
  await deps.builds.removeJob(id);
  if (buildId !== undefined && buildMs === undefined) await deps.buildRunner.stop(buildId);
}

/** Stops a deployment that an operator cancelled, and records its failure. Repeating it changes nothing. */
export async function cancelRunning(deps: Deps & { deployments: Executions }, deployment: Deployment): Promise<void> {
  const { id, cancelled, finishedAt } = deployment;
  if (cancelled === undefined || finishedAt !== null) return;
  await deps.deployments.stop(id, 'An operator cancelled the deployment.');
  await failDeployment(deps, idsFromKeys(deployment), cancelledBecause(cancelled));
}

/**
 * Routes a new application's address to a placeholder, which answers until the first release. The stream may deliver the record
 * again later: the route of a release then stays, and a deleted application gets none.
 */
export async function routeNewApp(
  { table, cellOf }: Pick<Deps, 'table'> & InCell<'hostRoutes'>,
  { accountId, id, hosts }: App,
): Promise<void> {
  const app = await table.get(App, { accountId, id });
  if (!app || app.status === 'DELETING') return;
  const { hostRoutes } = await cellOf(edgeOf(app));
  await hostRoutes.pointIfUnset(hosts, PLACEHOLDER, id);
}

interface TeardownDeps {
  table: Deps['table'];
  deployments: Executions;
  teardowns: Executions;
  buildRunner: BuildStopper;
}

/**
 * Stops the running build of a deleted application, then starts the teardown of everything else.
 * @param name of the execution. A failed teardown is repeated under another name
 */
export async function startTeardown(deps: TeardownDeps, app: App, name: string = app.id): Promise<void> {
  const { accountId, id: applicationId, activeDeploymentId: deploymentId } = app;
  if (deploymentId) {
    await deps.deployments.stop(deploymentId, 'The application was deleted.');
    // A concurrent submission sees that the application is deleted, and stops its build itself.
    const { buildId, builtAt } = (await deps.table.get(Deployment, { accountId, id: deploymentId })) ?? {};
    if (buildId !== undefined && builtAt === undefined) await deps.buildRunner.stop(buildId);
  }
  const cellIds = cellsInUse(app).map(({ cellId }) => cellId);
  await deps.teardowns.start(name, { accountId, applicationId, cellIds, ...(deploymentId ? { deploymentId } : {}) });
}

/**
 * Deployments without a heartbeat. Starts those that have no execution, fails those whose execution has ended, and leaves running
 * ones alone. A deployment whose release may receive traffic gets a second execution before it fails.
 */
export const deploymentQueue: DueQueue<typeof Deployment, Deps & { deployments: Executions }> = {
  queue: 'DEPLOYMENT',
  entity: Deployment,
  async act(deps, deployment) {
    const { accountId, id, finishedAt, switchingAt } = deployment;
    if (finishedAt) {
      await deps.table.write(Deployment, change(Deployment, { accountId, id }, { remove: unschedule(Deployment) }));
      return;
    }
    const ids = idsFromKeys(deployment);
    const first = await deps.deployments.status(id);
    // Its release may receive traffic already, so a second execution publishes it.
    const isPublishing = first === 'ENDED' && switchingAt !== undefined;
    const publishing = `${id}-publish`;
    const status = isPublishing ? await deps.deployments.status(publishing) : first;
    if (status === 'ENDED') return await failDeployment(deps, ids, isPublishing ? NOT_PUBLISHED : INTERRUPTED);
    if (status === 'MISSING' && isPublishing) await deps.deployments.start(publishing, { ...ids, trigger: 'PUBLISH' });
    else if (status === 'MISSING') await startDeployment(deps, deployment);
    const update = { set: scheduleCheck(deps), when: { status: { oneOf: ['QUEUED', 'RUNNING'] } } };
    await tryChange(deps, Deployment, { accountId, id }, update);
  },
};

/** Deleted applications that still exist after {@link TEARDOWN_RETRY_AFTER_MS}: their teardown starts again. */
export const teardownQueue = restartQueue({
  queue: 'TEARDOWN',
  entity: App,
  afterMs: TEARDOWN_RETRY_AFTER_MS,
  start: (deps: TeardownDeps, app, attempt) => startTeardown(deps, app, `${app.id}-${attempt}`),
});
