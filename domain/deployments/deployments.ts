import { SECTION } from '../../contract/deployments/build-log.ts';
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
import { findApp } from '../apps/apps.ts';
import type { Caller, Deps } from '../deps.ts';
import { pageBody } from '../pages.ts';
import { endThatFits, itemsThatFit } from '../response-size.ts';
import { buildQueuePosition, readBuildQueue } from './build-queue.ts';
import { noSuchDeployment } from './create.ts';
import { viewDeployment } from './deployment.ts';
import { releaseQueuePosition } from './release-queue.ts';

/** GET /v1/apps/{id}/deployments */
export async function listDeployments(
  deps: Deps,
  caller: Caller,
  { id, ...page }: Input<typeof ListRoute>,
): Promise<Output<typeof ListRoute>> {
  const [, found] = await Promise.all([
    findApp(deps, caller, id),
    deps.table.list(Deployment, deploymentsOf(id), page),
  ]);
  return pageBody(found, viewDeployment);
}

/** Throws 404 for a deployment of an application that is being deleted: the teardown removes its deployments shortly afterwards. */
async function assertAppExists(deps: Deps, { accountId, applicationId }: Deployment): Promise<void> {
  const app = await deps.table.get(App, { accountId, id: applicationId });
  if (!app || app.status === 'DELETING') throw noSuchDeployment();
}

/** GET /v1/deployments/{id}: with the build's log so far, followed by the platform's notes. */
export async function getDeployment(
  deps: Deps & { builds: Pick<Builds, 'readLog'> },
  { accountId }: Caller,
  { id }: Input<typeof GetRoute>,
): Promise<Output<typeof GetRoute>> {
  const [deployment, buildQueue] = await Promise.all([
    deps.table.get(Deployment, { accountId, id }),
    readBuildQueue(deps, accountId),
  ]);
  if (!deployment) throw noSuchDeployment();
  const [log, releaseQueue] = await Promise.all([
    storedLog(deps, deployment),
    releaseQueuePosition(deps, deployment),
    assertAppExists(deps, deployment),
  ]);
  const queue = buildQueuePosition(deployment, buildQueue) ?? releaseQueue;
  return { data: { ...viewDeployment(deployment), log: endThatFits(toText(log)), queue } };
}

/** GET /v1/deployments/{id}/log: the same log as numbered lines, complete lines only. */
export async function readDeploymentLog(
  deps: Deps & { builds: Pick<Builds, 'readLog'> },
  { accountId }: Caller,
  { id, after, limit }: Input<typeof LogRoute>,
): Promise<Output<typeof LogRoute>> {
  const deployment = await deps.table.get(Deployment, { accountId, id });
  if (!deployment) throw noSuchDeployment();
  const [log] = await Promise.all([storedLog(deps, deployment), assertAppExists(deps, deployment)]);
  // The platform adds its notes once the build is over, so the log's last line is complete then.
  const isBuildOver = deployment.finishedAt !== null || deployment.notes.length > 0;
  const lines = toLines(log, isBuildOver).filter(({ n }) => n > after);
  const data = itemsThatFit(lines, limit);
  return { data, has_more: lines.length > data.length };
}

/**
 * Returns a deployment's log with its time marks. The log of a build begins with a line about the wait for a builder. That line
 * stays once the build prints output, so that line numbers never change.
 */
async function storedLog(deps: { builds: Pick<Builds, 'readLog'> }, { id, status, notes, beganAt }: Deployment) {
  const waiting = beganAt ? `${formatMark(Date.parse(beganAt))}${SECTION}Waiting for a free builder\n` : '';
  const built = waiting + (status === 'QUEUED' ? '' : await deps.builds.readLog(id));
  const separator = notes.length > 0 && built !== '' && !built.endsWith('\n') ? '\n' : '';
  return built + separator + notes.map((line) => `${line}\n`).join('');
}
