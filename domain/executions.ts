import type { Executions } from '../providers/executions.ts';
import type { HostRoutes } from '../providers/host-routes.ts';
import { PLACEHOLDER } from '../providers/host-routes.ts';
import { type App, Deployment } from '../table/entities.ts';
import { splitKey } from '../table/keys.ts';
import { change } from '../table/writes.ts';
import { CHECK_AFTER } from './deployment-queue.ts';
import type { Deps } from './deps.ts';
import { failDeployment } from './releases.ts';

const idsOf = ({ accountId, applicationId, id }: Deployment) => ({ accountId, applicationId, deploymentId: id });

/** A queued deployment starts its execution, which is named after it: starting twice is starting once. */
export const startDeployment = (deps: { deployments: Executions }, deployment: Deployment): Promise<void> =>
  deps.deployments.start(deployment.id, idsOf(deployment));

/** A new application's address answers with a placeholder until its first release. */
export const routeNewApp = (deps: { hostRoutes: HostRoutes }, app: App): Promise<void> =>
  deps.hostRoutes.point(app.hosts, PLACEHOLDER);

/** A deleted application is taken down: the build under way first, then all the rest. */
export async function startTeardown(deps: { deployments: Executions; teardowns: Executions }, app: App): Promise<void> {
  if (app.activeDeploymentId) await deps.deployments.stop(app.activeDeploymentId, 'The application was deleted.');
  await deps.teardowns.start(app.id, { accountId: app.accountId, applicationId: app.id });
}

/** How many overdue deployments one run of the reconciler looks after. */
const BATCH = 100;

/**
 * Looks after deployments without a sign of life: one never started is started, one whose execution is gone or ended is
 * failed, one that is under way is left alone.
 * @returns how many it looked at
 */
export async function reconcileDeployments(deps: Deps & { deployments: Executions }): Promise<number> {
  const now = deps.now();
  const overdue = await deps.table.due('DEPLOYMENT', now.toISOString(), BATCH);
  for (const { pk, sk } of overdue) {
    const [, accountId = ''] = splitKey(pk);
    const [, id = ''] = splitKey(sk);
    const deployment = await deps.table.get(Deployment, { accountId, id });
    if (!deployment || deployment.finishedAt) continue;
    const status = await deps.deployments.status(id);
    if (status === 'ENDED') {
      await failDeployment(deps, idsOf(deployment), 'It was interrupted on our side. Deploying again is safe.');
      continue;
    }
    if (status === 'MISSING') await startDeployment(deps, deployment);
    const checkAt = new Date(now.getTime() + CHECK_AFTER).toISOString();
    const when = { status: { oneOf: ['QUEUED', 'RUNNING'] } };
    await deps.table.write(
      Deployment,
      change(Deployment, { accountId, id }, { set: { checkAt, dueAt: checkAt }, when }),
    );
  }
  return overdue.length;
}
