import { parseRepositoryAddress } from '../../contract/apps/repositories.ts';
import { limitOf } from '../../contract/limits/limits.ts';
import type { BuildAccessProvider } from '../../providers/builds/access.ts';
import type { Builds, Job } from '../../providers/builds/builds.ts';
import type { DatabasePasswords } from '../../providers/databases/passwords.ts';
import type { Sealed, Secrets } from '../../providers/encryption/secrets.ts';
import { type App, EnvSet, GitAccess } from '../../table/entities/apps.ts';
import { Deployment } from '../../table/entities/deployments.ts';
import { change } from '../../table/writes.ts';
import type { InCell } from '../apps/cells.ts';
import { envContext, parseVariables } from '../apps/environment.ts';
import { jobDatabases } from '../databases/release.ts';
import type { Deps } from '../deps.ts';
import { findAccount } from '../limits/limits.ts';
import { emit } from '../webhooks/events.ts';
import { deploymentEventData, scheduleCheck } from './deployment.ts';
import type { DeploymentIds } from './inputs.ts';
import { alreadyEnded, DeploymentError, readUnfinished } from './release.ts';

type BuildDeps = Deps & {
  builds: Builds;
  buildAccess: BuildAccessProvider;
  secrets: Secrets;
  databasePasswords: DatabasePasswords;
} & InCell<'functionArnPrefix'>;

/**
 * Returns the variables encrypted for the application's function. Stored variables are encrypted for the function that the application
 * would have in the home cell, so that they do not depend on its cell; for another cell they are encrypted again.
 */
async function variablesFor(deps: BuildDeps, app: App, sealed: Sealed | null, variables: string) {
  const { functionArnPrefix } = await deps.cellOf(app);
  const [hostArn, home] = [functionArnPrefix + app.id, deps.settings.hostArnOf(app.id)];
  if (hostArn === home) return { env: sealed, hostArn };
  // `arn:aws:lambda:<region>:…`: the key is in the platform's region.
  const keyRegion = home.split(':')[3];
  return { env: sealed && (await deps.secrets.seal({ application: hostArn }, variables)), hostArn, keyRegion };
}

/**
 * Returns the job of a build, from the application's current settings. Secrets are decrypted and requests signed here, so that
 * the build's role needs no permission for either.
 */
async function buildJob(deps: BuildDeps, app: App, deploymentId: string): Promise<Omit<Job, 'access'>> {
  const { id: applicationId, accountId } = app;
  const [env, git, databases, account] = await Promise.all([
    deps.table.get(EnvSet, { accountId, id: applicationId }),
    deps.table.get(GitAccess, { applicationId }),
    jobDatabases(deps, applicationId, deploymentId),
    findAccount(deps, accountId),
  ]);
  if (app.repoUrl === null) throw new DeploymentError('The application has no repository.');
  const { repoUrl, branch, nodeVersion, framework, installCommand, buildCommand, startFile } = app;
  const sealed = env && env.keys.length > 0 ? env.sealed : null;
  const sealedKey = parseRepositoryAddress(repoUrl)?.scheme === 'ssh' ? (git?.privateKey ?? null) : null;
  const [variables, deployKey] = await Promise.all([
    sealed ? deps.secrets.unseal(envContext(deps, applicationId), sealed) : '{}',
    sealedKey ? deps.secrets.unseal({ deployKey: applicationId }, sealedKey) : null,
    sealed ? deps.builds.writeEnvironment(applicationId, deploymentId, sealed) : undefined,
  ]);
  return {
    applicationId,
    deploymentId,
    repoUrl,
    branch,
    nodeVersion,
    framework,
    installCommand,
    buildCommand,
    startFile,
    ...databases,
    deployKey,
    startCommand: app.startCommand ?? null,
    rootDirectory: app.rootDirectory ?? null,
    branchByDefault: app.branchByDefault ?? false,
    nodeVersionByDefault: app.nodeVersionByDefault ?? false,
    logKibPerMinute: limitOf(account, 'runtimeLogKibPerMinute'),
    variables: Object.fromEntries(parseVariables(variables)),
    ...(await variablesFor(deps, app, sealed, variables)),
  };
}

/** Stores the job of a build and returns its address, which contains the key that decrypts it. */
async function writeJob(deps: BuildDeps, app: App, deploymentId: string): Promise<string> {
  const [job, { readJob, access }] = await Promise.all([
    buildJob(deps, app, deploymentId),
    deps.buildAccess.grant(app.id, deploymentId),
  ]);
  return `${readJob.url}#${await deps.builds.writeJob({ ...job, access })}`;
}

/**
 * Marks the deployment as running and stores the job of its build; a rollback has no build. Repeating it changes nothing.
 * @returns the job's address, for the build's environment. It is useless once the builder has read and deleted the job
 */
export async function beginDeployment(deps: BuildDeps, ids: DeploymentIds): Promise<{ jobUrl: string } | undefined> {
  const { deploymentId } = ids;
  const { deployment, app } = await readUnfinished(deps, ids);
  const build = deployment.trigger === 'ROLLBACK' ? undefined : { jobUrl: await writeJob(deps, app, deploymentId) };
  try {
    // When this step is repeated, the deployment may have ended since it was read.
    if (deployment.status === 'QUEUED') await markRunning(deps, deployment, build !== undefined);
    else await readUnfinished(deps, ids);
  } catch (error) {
    // The deployment was stopped meanwhile, and `discardBuild` may have run before this job was stored.
    if (build) await deps.builds.removeJob(deploymentId);
    throw error;
  }
  return build;
}

async function markRunning(deps: Deps, deployment: Deployment, hasBuild: boolean): Promise<void> {
  const { accountId, id } = deployment;
  const began = hasBuild ? { beganAt: deps.now().toISOString() } : {};
  const set = { status: 'RUNNING', ...began, ...scheduleCheck(deps) };
  await deps.table.transact([
    change(Deployment, { accountId, id }, { set, when: { status: { is: 'QUEUED' } } }, alreadyEnded),
    emit(deps, accountId, 'deployment.started', deploymentEventData(deployment)),
  ]);
}
