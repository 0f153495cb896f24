import type { AppHost } from '../providers/app-host.ts';
import type { Builds } from '../providers/builds.ts';
import type { Databases } from '../providers/databases.ts';
import type { HostRoutes } from '../providers/host-routes.ts';
import { App, Deployment, EnvSet, Host } from '../table/entities.ts';
import { GitAccess } from '../table/git-entities.ts';
import { joinKey } from '../table/keys.ts';
import { erase } from '../table/writes.ts';
import { removeDatabases } from './database-making.ts';
import type { Deps } from './deps.ts';

/** Deletes at most this many items in one transaction. */
const CHUNK = 50;

/**
 * Takes an application down for good: its addresses, its function, its databases, its builds, its variables, and last itself. Every
 * step may be repeated; what is gone already is no error.
 */
export async function teardownApp(
  deps: Deps & {
    appHost: AppHost;
    builds: Pick<Builds, 'remove' | 'removeCaches'>;
    databases: Databases;
    hostRoutes: HostRoutes;
  },
  { accountId, applicationId }: { accountId: string; applicationId: string },
): Promise<void> {
  const of = { accountId, id: applicationId };
  const app = await deps.table.get(App, of);
  if (!app) return;
  await deps.hostRoutes.remove(app.hosts);
  await deps.appHost.remove(applicationId);
  await removeDatabases(deps, applicationId);
  await deps.builds.removeCaches(applicationId);
  const list = joinKey('APP', applicationId, 'DEPLOYMENTS');
  for (;;) {
    const { items } = await deps.table.list(Deployment, list, { limit: CHUNK, offset: 0 });
    if (items.length === 0) break;
    await Promise.all(items.map(({ id }) => deps.builds.remove(applicationId, id)));
    await deps.table.transact(items.map(({ id }) => erase(Deployment, { accountId, id })));
  }
  await deps.table.transact([
    ...app.hosts.map((host) => erase(Host, { host })),
    erase(EnvSet, of),
    erase(GitAccess, { applicationId }),
    erase(App, of),
  ]);
}
