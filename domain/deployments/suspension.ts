import type { Executions } from '../../providers/workflows/executions.ts';
import { App } from '../../table/entities/apps.ts';
import { Deployment } from '../../table/entities/deployments.ts';
import type { AccountScopedId } from '../../table/entity.ts';
import { cellsInUse, edgeOf, type InCell } from '../apps/cells.ts';
import { viewSuspensions } from '../apps/suspension.ts';
import type { Deps } from '../deps.ts';
import { failDeployment } from './finish.ts';

export type SuspensionDeps = Deps & { deployments: Executions } & InCell<'appAccess' | 'hostRoutes'>;

/** Stops the deployment in progress, and with it its build, unless its release receives traffic already. */
async function stopDeployment(deps: SuspensionDeps, app: App): Promise<void> {
  const { accountId, id: applicationId, activeDeploymentId: deploymentId } = app;
  if (!deploymentId) return;
  const deployment = await deps.table.get(Deployment, { accountId, id: deploymentId });
  if (deployment?.switchingAt !== undefined) return;
  const reason = viewSuspensions(app)?.[0]?.reason;
  await deps.deployments.stop(deploymentId, 'The application was suspended.');
  const ids = { accountId, applicationId, deploymentId };
  await failDeployment(deps, ids, `The application was suspended${reason ? `: ${reason}` : '.'}`);
}

/**
 * Applies an application's status to its routes and functions. While it is suspended, its host names answer with the suspension page,
 * its functions refuse requests and its deployment is stopped. After it is resumed, the previous release serves again. Releases and routes
 * are kept, so that resuming takes one write.
 *
 * The stream may redeliver an old change, so the current status is applied, and read again afterwards.
 */
export async function applyAppStatus(deps: SuspensionDeps, { accountId, id }: AccountScopedId): Promise<void> {
  const read = () => deps.table.get(App, { accountId, id });
  for (let app = await read(); app && app.status !== 'DELETING'; ) {
    const { hostRoutes } = await deps.cellOf(edgeOf(app));
    const inUse = await Promise.all(cellsInUse(app).map(deps.cellOf));
    if (app.status === 'SUSPENDED') {
      await hostRoutes.suspend(app.hosts, id);
      for (const { appAccess } of inUse) await appAccess.close(id);
      await stopDeployment(deps, app);
    } else {
      for (const { appAccess } of inUse) await appAccess.open(id);
      await hostRoutes.resume(app.hosts, id);
    }
    const after = await read();
    if (after?.status === app.status) return;
    app = after;
  }
}
