import type {
  createDeployment as CreateRoute,
  getDeployment as GetRoute,
  listDeployments as ListRoute,
  readDeploymentLog as LogRoute,
} from '../../contract/deployments/deployments.ts';
import { ApiError } from '../../contract/errors.ts';
import type { Input, Output } from '../../contract/route.ts';
import { formatMark, toLines, toText } from '../../providers/builds/build-log.ts';
import type { Builds } from '../../providers/builds/builds.ts';
import { App } from '../../table/entities/apps.ts';
import { Deployment, deploymentsOf } from '../../table/entities/deployments.ts';
import { change, type Write } from '../../table/writes.ts';
import { findApp, noSuchApp } from '../apps/apps.ts';
import { assertNotSuspended } from '../apps/suspension.ts';
import type { Caller, Deps } from '../deps.ts';
import { assertWithin } from '../limits/limits.ts';
import { pageBody } from '../pages.ts';
import { fitting, fittingEnd } from '../response-size.ts';
import { enqueueBuild, placeOf, readLine } from './build-line.ts';
import { callerTrigger, newDeployment, viewDeployment } from './queue.ts';
import { releasePlaceOf } from './release-line.ts';

export const noSuchDeployment = () => new ApiError('not_found', 'Deployment not found.');

const alreadyDeploying = () => new ApiError('conflict', 'A deployment of this application is already under way.');

/** Throws 409 where an application is suspended or busy. */
export function assertIdle(app: App): void {
  assertNotSuspended(app);
  if (app.activeDeploymentId || (app.movingTo && app.nextDeploymentId)) throw alreadyDeploying();
}

/** The application's one slot for a deployment, of which two racing callers get one. */
export function claimSlot({ accountId, id }: App, deploymentId: string): Write {
  const set = { activeDeploymentId: deploymentId };
  const when = { activeDeploymentId: 'absent', movingTo: 'absent', status: { is: 'RUNNING' } } as const;
  return change(App, { accountId, id }, { set, when }, alreadyDeploying);
}

/** The slot of an application that is being moved to another cell (domain/moves/): the deployment begins after that. */
function claimNextSlot({ accountId, id, movingTo = '' }: App, deploymentId: string): Write {
  const set = { nextDeploymentId: deploymentId };
  const when = { movingTo: { is: movingTo }, nextDeploymentId: 'absent', status: { is: 'RUNNING' } } as const;
  return change(App, { accountId, id }, { set, when }, alreadyDeploying);
}

/** POST /v1/apps/{id}/deployments: of two racing callers exactly one gets the deployment. */
export async function createDeployment(
  deps: Deps,
  caller: Caller,
  { id }: Input<typeof CreateRoute>,
): Promise<Output<typeof CreateRoute>> {
  const app = await findApp(deps, caller, id);
  assertNotSuspended(app);
  if (app.repoUrl === null) throw new ApiError('conflict', 'This application has no repoUrl to deploy from.');
  assertIdle(app);
  const of = { accountId: caller.accountId, applicationId: id };
  const isMoving = app.movingTo !== undefined;
  const deployment = newDeployment(deps, of, callerTrigger(caller), isMoving ? { waiting: true } : {});
  const writes = [
    (isMoving ? claimNextSlot : claimSlot)(app, deployment.id),
    assertWithin(deps, caller.accountId, ['buildMinutesPerMonth']),
    deployment.write,
    ...(isMoving ? [] : enqueueBuild(deps, { ...of, id: deployment.id })),
  ];
  return await deps.commit(writes, { data: deployment.shown });
}

/** GET /v1/apps/{id}/deployments */
export async function listDeployments(
  deps: Deps,
  caller: Caller,
  { id, ...page }: Input<typeof ListRoute>,
): Promise<Output<typeof ListRoute>> {
  const [app, found] = await Promise.all([
    deps.table.get(App, { accountId: caller.accountId, id }),
    deps.table.list(Deployment, deploymentsOf(id), page),
  ]);
  if (!app || app.status === 'DELETING') throw noSuchApp();
  return pageBody(found, viewDeployment);
}

/** @throws ApiError 404 where a deployment's application is being deleted, which takes its deployments with it a little later */
async function assertAppExists(deps: Deps, { accountId, applicationId }: Deployment): Promise<void> {
  const app = await deps.table.get(App, { accountId, id: applicationId });
  if (!app || app.status === 'DELETING') throw noSuchDeployment();
}

/** GET /v1/deployments/{id}: the build's log as far as it has come, then what the platform did with the build. */
export async function getDeployment(
  deps: Deps & { builds: Pick<Builds, 'readLog'> },
  { accountId }: Caller,
  { id }: Input<typeof GetRoute>,
): Promise<Output<typeof GetRoute>> {
  const [deployment, line] = await Promise.all([
    deps.table.get(Deployment, { accountId, id }),
    readLine(deps, accountId),
  ]);
  if (!deployment) throw noSuchDeployment();
  const [log, releasePlace] = await Promise.all([
    storedLog(deps, deployment),
    releasePlaceOf(deps, deployment),
    assertAppExists(deps, deployment),
  ]);
  const queue = placeOf(deployment, line) ?? releasePlace;
  return { data: { ...viewDeployment(deployment), log: fittingEnd(toText(log)), queue } };
}

/** GET /v1/deployments/{id}/log: the same line by line, as far as the lines are whole. */
export async function readDeploymentLog(
  deps: Deps & { builds: Pick<Builds, 'readLog'> },
  { accountId }: Caller,
  { id, after, limit }: Input<typeof LogRoute>,
): Promise<Output<typeof LogRoute>> {
  const deployment = await deps.table.get(Deployment, { accountId, id });
  if (!deployment) throw noSuchDeployment();
  const [log] = await Promise.all([storedLog(deps, deployment), assertAppExists(deps, deployment)]);
  // What the platform has to say comes when the build is over.
  const built = deployment.finishedAt !== null || deployment.notes.length > 0;
  const lines = toLines(log, built).filter(({ n }) => n > after);
  const data = fitting(lines, limit);
  return { data, has_more: lines.length > data.length };
}

/**
 * Returns a deployment's log with its marks. That of a build begins with the wait for a builder, which may be all there
 * is for a while; the line stays, so that the numbers of the lines never change.
 */
async function storedLog(deps: { builds: Pick<Builds, 'readLog'> }, { id, status, notes, beganAt }: Deployment) {
  const waiting = beganAt ? `${formatMark(Date.parse(beganAt))}==> Waiting for a free builder\n` : '';
  const built = waiting + (status === 'QUEUED' ? '' : await deps.builds.readLog(id));
  const end = notes.length > 0 && built !== '' && !built.endsWith('\n') ? '\n' : '';
  return built + end + notes.map((line) => `${line}\n`).join('');
}
