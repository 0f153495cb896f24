import type * as z from 'zod/mini';
import type { AppHost } from '../../providers/app-host/app-host.ts';
import type { AppLogs } from '../../providers/app-host/logs.ts';
import type { Builds } from '../../providers/builds/builds.ts';
import type { Databases } from '../../providers/databases/databases.ts';
import type { HostRoutes } from '../../providers/edge/host-routes.ts';
import { App, Deployment, EnvSet, Host } from '../../table/entities.ts';
import { GitAccess } from '../../table/git-entities.ts';
import { joinKey } from '../../table/keys.ts';
import { erase } from '../../table/writes.ts';
import { removeDatabases } from '../databases/provisioning.ts';
import type { Deps } from '../deps.ts';
import { closeDoor } from '../door-keeping.ts';
import type { TeardownInput } from '../workflow.ts';

/** Deletes at most this many items in one transaction. */
const CHUNK = 50;

/**
 * Takes an application down for good: its addresses, its function, its databases, its builds, its variables, and last itself. Every
 * step may be repeated; what is gone already is no error.
 *
 * @param deploymentId the one that was under way: its build may have left something after all was taken down
 */
export async function teardownApp(
  deps: Deps & {
    appHost: AppHost;
    appLogs: AppLogs;
    builds: Pick<Builds, 'remove' | 'removeCaches'>;
    databases: Databases;
    hostRoutes: HostRoutes;
  },
  { accountId, applicationId, deploymentId }: z.output<typeof TeardownInput>,
): Promise<void> {
  const of = { accountId, id: applicationId };
  const app = await deps.table.get(App, of);
  if (!app) {
    if (deploymentId) await deps.builds.remove(applicationId, deploymentId);
    return await deps.builds.removeCaches(applicationId);
  }
  // The claim of a domain with a door ends with the door, which takes minutes to close.
  const { customDomain } = app;
  const own =
    customDomain && !(await closeDoor(deps, customDomain)) ? await heldStill(deps, app, customDomain.host) : [];
  const hosts = [...app.hosts, ...own];
  await deps.hostRoutes.remove(hosts);
  await deps.appHost.remove(applicationId);
  await deps.appLogs.remove(applicationId);
  await removeDatabases(deps, applicationId);
  await deps.builds.removeCaches(applicationId);
  const list = joinKey('APP', applicationId, 'DEPLOYMENTS');
  for (;;) {
    const { items } = await deps.table.list(Deployment, list, { limit: CHUNK, offset: 0 });
    if (items.length === 0) break;
    await Promise.all(items.map(({ id }) => deps.builds.remove(applicationId, id)));
    await deps.table.transact(items.map(({ id }) => erase(Deployment, { accountId, id })));
  }
  // The list is some milliseconds behind: what is newest may not be in it yet.
  const newest = [app.activeDeploymentId, app.nextDeploymentId].filter((id) => id !== undefined);
  await deps.table.transact([
    ...newest.map((id) => erase(Deployment, { accountId, id })),
    ...hosts.map((host) => erase(Host, { host }, { applicationId: { is: applicationId } })),
    erase(EnvSet, of),
    erase(GitAccess, { applicationId }),
    erase(App, of),
  ]);
}

/** The host, while it is this application's: a door that closed before may have left it to somebody else. */
async function heldStill(deps: Deps, { id }: App, host: string): Promise<string[]> {
  const claim = await deps.table.get(Host, { host });
  return claim?.applicationId === id ? [host] : [];
}
