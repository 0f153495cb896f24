import { parseRepositoryAddress } from '../../contract/apps/repositories.ts';
import { ApiError } from '../../contract/errors.ts';
import type { AppHost, HealthCheck } from '../../providers/app-host/app-host.ts';
import type { AppLogs } from '../../providers/app-host/logs.ts';
import { artifactKey, type Builds, type Job } from '../../providers/builds/builds.ts';
import type { HostRoutes } from '../../providers/edge/host-routes.ts';
import { App, EnvSet, GitAccess, Host } from '../../table/entities/apps.ts';
import { Deployment } from '../../table/entities/deployments.ts';
import { change } from '../../table/writes.ts';
import { releaseDatabases } from '../databases/databases.ts';
import type { Deps } from '../deps.ts';
import { emit } from '../webhooks/events.ts';
import { noSuchDeployment } from './create.ts';
import type { DeploymentIds } from './inputs.ts';
import { deploymentEventData, formatNote, scheduleCheck } from './queue.ts';

/** A reason to fail that the application's owner is meant to read; anything else is the platform's own fault. */
export class DeploymentError extends Error {
  override readonly name = 'DeploymentError';
}

async function readDeployment(deps: Deps, { accountId, applicationId, deploymentId }: DeploymentIds) {
  const [deployment, app] = await Promise.all([
    deps.table.get(Deployment, { accountId, id: deploymentId }),
    deps.table.get(App, { accountId, id: applicationId }),
  ]);
  if (!deployment) throw noSuchDeployment();
  if (!app || app.status === 'DELETING') throw new DeploymentError('The application was deleted.');
  return { deployment, app };
}

/** Reads a deployment that may go on. Throws for an application that is deleted or suspended. */
async function readRunning(deps: Deps, ids: DeploymentIds) {
  const found = await readDeployment(deps, ids);
  if (found.app.status === 'SUSPENDED') throw new DeploymentError('The application was suspended.');
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
    if (error instanceof DeploymentError || error instanceof ApiError) await takeDown();
    throw error;
  }
}

/** Returns the job of a build, from the application's current settings. */
async function buildJob(deps: Deps, app: App, deploymentId: string): Promise<Job> {
  const { id: applicationId, accountId } = app;
  const [env, access] = await Promise.all([
    deps.table.get(EnvSet, { accountId, id: applicationId }),
    deps.table.get(GitAccess, { applicationId }),
  ]);
  if (app.repoUrl === null) throw new DeploymentError('The application has no repository.');
  const { repoUrl, branch, nodeVersion, framework, installCommand, buildCommand, startFile } = app;
  return {
    ...{ applicationId, deploymentId, repoUrl, branch, nodeVersion, framework },
    ...{ installCommand, buildCommand, startFile },
    env: env && env.keys.length > 0 ? env.sealed : null,
    hostArn: deps.settings.hostArnOf(applicationId),
    databases: await releaseDatabases(deps, applicationId),
    deployKey: parseRepositoryAddress(repoUrl)?.scheme === 'ssh' ? (access?.privateKey ?? null) : null,
  };
}

/** Marks the deployment running and writes down what the build is to do, if there is one. Repeating it changes nothing. */
export async function beginDeployment(deps: Deps & { builds: Builds }, ids: DeploymentIds): Promise<void> {
  const { accountId, deploymentId } = ids;
  const { deployment, app } = await readRunning(deps, ids);
  if (deployment.trigger !== 'ROLLBACK') await deps.builds.writeJob(await buildJob(deps, app, deploymentId));
  if (deployment.status !== 'QUEUED') return; // this step is being repeated
  const began = deployment.trigger === 'ROLLBACK' ? {} : { beganAt: deps.now().toISOString() };
  const set = { status: 'RUNNING', ...began, ...scheduleCheck(deps) };
  const of = { accountId, id: deploymentId };
  await deps.table.transact([
    change(Deployment, of, { set, when: { status: { is: 'QUEUED' } } }, () => new DeploymentError('It ended already.')),
    emit(deps, accountId, 'deployment.started', deploymentEventData(deployment)),
  ]);
}

/** Makes a release of what was built; it takes no traffic yet. */
export async function releaseDeployment(
  deps: Deps & { builds: Builds; appHost: AppHost; appLogs: AppLogs; bucket: string },
  ids: DeploymentIds,
): Promise<void> {
  const { accountId, applicationId, deploymentId } = ids;
  const builtAt = deps.now().toISOString();
  const [{ app }, { commitSha = '' }] = await Promise.all([
    readRunning(deps, ids),
    deps.builds.readResult(deploymentId),
  ]);
  const artifact = { bucket: deps.bucket, key: artifactKey(applicationId, deploymentId) };
  const [release] = await Promise.all([
    deps.appHost.release({ applicationId, nodeVersion: app.nodeVersion }, artifact),
    deps.appLogs.prepare(applicationId),
  ]);
  await unlessDeleted(deps, ids, async () => {
    await deps.appHost.remove(applicationId);
    await deps.appLogs.remove(applicationId);
  });
  const set = { release, commitSha, builtAt, ...scheduleCheck(deps) };
  const write = change(
    Deployment,
    { accountId, id: deploymentId },
    { set, append: { notes: [formatNote(deps, '==> Release')] } },
  );
  await deps.table.write(Deployment, write);
}

/** A release takes traffic only after its front page answered this often in a row. */
const HEALTH_CHECKS = 3;

const lastLines = (output: string, count: number) =>
  output
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^(START|END|REPORT|INIT_START|EXTENSION|LOGS) /.test(line))
    .slice(-count);

function healthCheckFailure({ status, error, output }: HealthCheck): string {
  const printed = lastLines(output, 10);
  const why =
    status === undefined
      ? `The new release did not answer: ${error}.`
      : `The new release answered ${status} on /; a status of 2xx or 3xx is needed.`;
  return [`${why} The previous release goes on serving.`, ...printed.map((line) => `    ${line}`)].join('\n');
}

/** Tries the release before it takes traffic: 2xx or 3xx on `/`, several times. Throws what the owner should know. */
export async function checkRelease(deps: Deps & { appHost: AppHost }, ids: DeploymentIds): Promise<void> {
  const { deployment } = await readRunning(deps, ids);
  if (!deployment.release) throw new Error('there is no release to check');
  for (let count = 0; count < HEALTH_CHECKS; count += 1) {
    const trial = await deps.appHost.probe(ids.applicationId, deployment.release);
    const good = trial.status !== undefined && trial.status >= 200 && trial.status < 400;
    if (!good) throw new DeploymentError(healthCheckFailure(trial));
  }
}

/** Sends the traffic to the release, and the application's host names to its function. */
export async function switchRelease(
  deps: Deps & { appHost: AppHost; hostRoutes: HostRoutes },
  ids: DeploymentIds,
): Promise<void> {
  const { deployment, app } = await readRunning(deps, ids);
  if (!deployment.release) throw new Error('there is no release to switch to');
  const target = await deps.appHost.switchTo(ids.applicationId, deployment.release);
  await deps.hostRoutes.point(app.hosts, target);
  await unlessDeleted(deps, ids, async () => deps.hostRoutes.remove(await ownedHosts(deps, app)));
}

/** Returns the application's host names that no other application has claimed since. */
async function ownedHosts(deps: Deps, { id, hosts }: App): Promise<string[]> {
  const claims = await Promise.all(hosts.map((host) => deps.table.get(Host, { host })));
  return hosts.filter((_, index) => (claims[index]?.applicationId ?? id) === id);
}
