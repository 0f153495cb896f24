import type { HostRoutes } from '../providers/edge/host-routes.ts';
import { PLACEHOLDER } from '../providers/edge/host-routes.ts';
import type { Executions } from '../providers/workflows/executions.ts';
import { App, Deployment } from '../table/entities.ts';
import { splitKey } from '../table/keys.ts';
import { change } from '../table/writes.ts';
import { TEARDOWN_AFTER } from './apps.ts';
import { failDeployment } from './deployments/finish.ts';
import { checkSoon } from './deployments/queue.ts';
import type { Deps } from './deps.ts';
import { overtaken, unlessOvertaken } from './overtaken.ts';

const idsOf = ({ accountId, applicationId, id }: Deployment) => ({ accountId, applicationId, deploymentId: id });

/**
 * A queued deployment starts its execution, which is named after it: starting twice is starting once. The trigger decides
 * whether there is a build.
 */
export const startDeployment = (deps: { deployments: Executions }, deployment: Deployment): Promise<void> =>
  deps.deployments.start(deployment.id, { ...idsOf(deployment), trigger: deployment.trigger });

/**
 * A new application's address answers with a placeholder until its first release. The stream may tell of it again, later:
 * then there may be a release, which stays, or nothing any more to lead to.
 */
export async function routeNewApp(
  { table, hostRoutes }: Pick<Deps, 'table'> & { hostRoutes: HostRoutes },
  { accountId, id, hosts }: App,
): Promise<void> {
  const app = await table.get(App, { accountId, id });
  if (app && app.status !== 'DELETING') await hostRoutes.open(hosts, PLACEHOLDER);
}

/**
 * A deleted application is taken down: the build under way first, then all the rest.
 * @param name of the execution: a teardown that failed is done again under another
 */
export async function startTeardown(
  deps: { deployments: Executions; teardowns: Executions },
  app: App,
  name: string = app.id,
): Promise<void> {
  const { accountId, id: applicationId, activeDeploymentId: deploymentId } = app;
  if (deploymentId) await deps.deployments.stop(deploymentId, 'The application was deleted.');
  await deps.teardowns.start(name, { accountId, applicationId, ...(deploymentId ? { deploymentId } : {}) });
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
    const when = { status: { oneOf: ['QUEUED', 'RUNNING'] } };
    const set = checkSoon(deps);
    await unlessOvertaken(
      deps.table.write(Deployment, change(Deployment, { accountId, id }, { set, when }, overtaken)),
    );
  }
  return overdue.length;
}

/** Takes deleted applications down again that are still there long after. @returns how many it looked at */
export async function reconcileTeardowns(
  deps: Deps & { deployments: Executions; teardowns: Executions },
): Promise<number> {
  const now = deps.now();
  const overdue = await deps.table.due('TEARDOWN', now.toISOString(), BATCH);
  for (const { pk, sk, dueAt } of overdue) {
    const [, accountId = ''] = splitKey(pk);
    const [, id = ''] = splitKey(sk);
    const app = await deps.table.get(App, { accountId, id });
    if (!app) continue;
    await startTeardown(deps, app, `${id}-${Date.parse(dueAt)}`);
    const set = { dueAt: new Date(now.getTime() + TEARDOWN_AFTER).toISOString() };
    await unlessOvertaken(
      deps.table.write(App, change(App, { accountId, id }, { set, when: { dueAt: { is: dueAt } } }, overtaken)),
    );
  }
  return overdue.length;
}
