import type * as z from 'zod/mini';
import { repositoryAddress } from '../contract/git.ts';
import type { AppHost, Trial } from '../providers/app-host.ts';
import { artifactKey, type Builds } from '../providers/builds.ts';
import type { HostRoutes } from '../providers/host-routes.ts';
import { App, Deployment, EnvSet } from '../table/entities.ts';
import { GitAccess } from '../table/git-entities.ts';
import { change, type Write } from '../table/writes.ts';
import { releaseDatabases } from './databases.ts';
import { checkSoon } from './deployment-queue.ts';
import { noSuchDeployment } from './deployments.ts';
import type { Deps } from './deps.ts';
import { emit } from './events.ts';
import type { DeploymentInput } from './workflow.ts';

/** The one thing that travels through the state machine. */
export type DeploymentIds = z.output<typeof DeploymentInput>;

/** A reason to fail that the application's owner is meant to read; anything else is the platform's own fault. */
export class DeploymentError extends Error {
  override readonly name = 'DeploymentError';
}

const UNFINISHED = ['QUEUED', 'RUNNING'] as const;
const isUnfinished = (deployment: Deployment) => (UNFINISHED as readonly string[]).includes(deployment.status);

async function read(deps: Deps, { accountId, applicationId, deploymentId }: DeploymentIds) {
  const [deployment, app] = await Promise.all([
    deps.table.get(Deployment, { accountId, id: deploymentId }),
    deps.table.get(App, { accountId, id: applicationId }),
  ]);
  if (!deployment) throw noSuchDeployment();
  if (!app || app.status === 'DELETING') throw new DeploymentError('The application was deleted.');
  return { deployment, app };
}

const eventData = ({ applicationId, id, commitSha }: Deployment) => ({ applicationId, deploymentId: id, commitSha });

/** Marks the deployment running and writes down what the build is to do. Repeating it changes nothing. */
export async function beginDeployment(deps: Deps & { builds: Builds }, ids: DeploymentIds): Promise<void> {
  const { accountId, deploymentId, applicationId } = ids;
  const [{ deployment, app }, env, access] = await Promise.all([
    read(deps, ids),
    deps.table.get(EnvSet, { accountId, id: applicationId }),
    deps.table.get(GitAccess, { applicationId }),
  ]);
  if (app.repoUrl === null) throw new DeploymentError('The application has no repository.');
  const { repoUrl, branch, nodeVersion, framework, installCommand, buildCommand, startFile } = app;
  const settings = { repoUrl, branch, nodeVersion, framework, installCommand, buildCommand, startFile };
  const hostArn = deps.settings.hostArnOf(applicationId);
  const job = {
    applicationId,
    deploymentId,
    ...settings,
    env: env && env.keys.length > 0 ? env.sealed : null,
    hostArn,
    databases: await releaseDatabases(deps, applicationId),
    deployKey: repositoryAddress(repoUrl)?.scheme === 'ssh' ? (access?.privateKey ?? null) : null,
  };
  await deps.builds.writeJob(job);
  if (deployment.status !== 'QUEUED') return; // this step is being repeated
  const set = { status: 'RUNNING', ...checkSoon(deps) };
  const of = { accountId, id: deploymentId };
  await deps.table.transact([
    change(Deployment, of, { set, when: { status: { is: 'QUEUED' } } }, () => new DeploymentError('It ended already.')),
    emit(deps, accountId, 'deployment.started', eventData(deployment)),
  ]);
}

/** Makes a release of what was built; it takes no traffic yet. */
export async function releaseDeployment(
  deps: Deps & { builds: Builds; appHost: AppHost; bucket: string },
  ids: DeploymentIds,
): Promise<void> {
  const { accountId, applicationId, deploymentId } = ids;
  const [{ app }, { commitSha = '' }] = await Promise.all([read(deps, ids), deps.builds.readResult(deploymentId)]);
  const artifact = { bucket: deps.bucket, key: artifactKey(applicationId, deploymentId) };
  const release = await deps.appHost.release({ applicationId, nodeVersion: app.nodeVersion }, artifact);
  const set = { release, commitSha, ...checkSoon(deps) };
  const write = change(Deployment, { accountId, id: deploymentId }, { set, append: { notes: ['==> Release'] } });
  await deps.table.write(Deployment, write);
}

/** A release takes traffic only after its front page answered this often in a row. */
const TRIALS = 3;

const lastLines = (output: string, count: number) =>
  output
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^(START|END|REPORT|INIT_START|EXTENSION|LOGS) /.test(line))
    .slice(-count);

function complaint({ status, error, output }: Trial): string {
  const printed = lastLines(output, 10);
  const why =
    status === undefined
      ? `The new release did not answer: ${error}.`
      : `The new release answered ${status} on /; a status of 2xx or 3xx is needed.`;
  return [`${why} The previous release goes on serving.`, ...printed.map((line) => `    ${line}`)].join('\n');
}

/** Tries the release before it takes traffic: 2xx or 3xx on `/`, several times. Throws what the owner should know. */
export async function checkRelease(deps: Deps & { appHost: AppHost }, ids: DeploymentIds): Promise<void> {
  const { deployment } = await read(deps, ids);
  if (!deployment.release) throw new Error('there is no release to check');
  for (let count = 0; count < TRIALS; count += 1) {
    const trial = await deps.appHost.try(ids.applicationId, deployment.release);
    const good = trial.status !== undefined && trial.status >= 200 && trial.status < 400;
    if (!good) throw new DeploymentError(complaint(trial));
  }
}

/** Sends the traffic to the release, and the application's host names to its function. */
export async function switchRelease(
  deps: Deps & { appHost: AppHost; hostRoutes: HostRoutes },
  ids: DeploymentIds,
): Promise<void> {
  const { deployment, app } = await read(deps, ids);
  if (!deployment.release) throw new Error('there is no release to switch to');
  const target = await deps.appHost.switchTo(ids.applicationId, deployment.release);
  await deps.hostRoutes.point(app.hosts, target);
}

/** The application was given other work between reading it and writing to it. */
class Overtaken extends Error {}
const overtaken = () => new Overtaken();
const ATTEMPTS = 8;

/** The application's slot goes to the deployment that waits for it, or is free. */
function passOn(deps: Deps, app: App, deploymentId: string): Write[] {
  if (app.activeDeploymentId !== deploymentId) return [];
  const { accountId, id, nextDeploymentId: next } = app;
  const ours = { activeDeploymentId: { is: deploymentId } };
  if (!next || app.status === 'DELETING') {
    const when = next ? ours : ({ ...ours, nextDeploymentId: 'absent' } as const);
    return [change(App, { accountId, id }, { remove: ['activeDeploymentId'], when }, overtaken)];
  }
  const set = { activeDeploymentId: next };
  const when = { ...ours, nextDeploymentId: { is: next } };
  return [
    change(App, { accountId, id }, { set, remove: ['nextDeploymentId'], when }, overtaken),
    change(Deployment, { accountId, id: next }, { set: checkSoon(deps), remove: ['waiting'] }, overtaken),
  ];
}

/** Ends a deployment, once: status, the application's slot and the event in one transaction. */
async function finish(
  deps: Deps,
  { accountId, applicationId, deploymentId }: DeploymentIds,
  status: 'SUCCEEDED' | 'FAILED',
  note: string,
): Promise<void> {
  const of = { accountId, id: deploymentId };
  const change_ = {
    set: { status, finishedAt: deps.now().toISOString() },
    append: { notes: [note] },
    remove: ['checkAt', 'duePk', 'dueAt'],
    when: { status: { oneOf: UNFINISHED } },
  };
  const event = status === 'SUCCEEDED' ? 'deployment.succeeded' : 'deployment.failed';
  for (let attempt = 1; ; attempt += 1) {
    const [deployment, app] = await Promise.all([
      deps.table.get(Deployment, of),
      deps.table.get(App, { accountId, id: applicationId }),
    ]);
    if (!deployment || !isUnfinished(deployment)) return;
    try {
      return await deps.table.transact([
        change(Deployment, of, change_, overtaken),
        ...(app ? passOn(deps, app, deploymentId) : []),
        emit(deps, accountId, event, eventData(deployment)),
      ]);
    } catch (error) {
      if (!(error instanceof Overtaken) || attempt === ATTEMPTS) throw error;
    }
  }
}

export const succeedDeployment = (deps: Deps, ids: DeploymentIds): Promise<void> =>
  finish(deps, ids, 'SUCCEEDED', '==> The new release is live');

/** @param reason what the application's owner reads at the end of the log */
export const failDeployment = (deps: Deps, ids: DeploymentIds, reason: string): Promise<void> =>
  finish(deps, ids, 'FAILED', `==> Deployment failed: ${reason}`);
