import type {
  getDeployment as GetRoute,
  listDeployments as ListRoute,
  readDeploymentLog as LogRoute,
} from '../../contract/deployments/deployments.ts';
import type { Input, Output } from '../../contract/route.ts';
import { formatMark, toLines, toText } from '../../providers/builds/build-log.ts';
import type { Builds } from '../../providers/builds/builds.ts';
import { App } from '../../table/entities/apps.ts';
import { Deployment, deploymentsOf } from '../../table/entities/deployments.ts';
import { noSuchApp } from '../apps/apps.ts';
import type { Caller, Deps } from '../deps.ts';
import { pageBody } from '../pages.ts';
import { fitting, fittingEnd } from '../response-size.ts';
import { placeOf, readLine } from './build-line.ts';
import { noSuchDeployment } from './create.ts';
import { viewDeployment } from './deployment.ts';
import { releasePlaceOf } from './release-line.ts';

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
