import * as z from 'zod/mini';
import type { Builds } from '../../providers/builds/builds.ts';
import type { Databases } from '../../providers/databases/databases.ts';
import { App, EnvSet, GitAccess, Host } from '../../table/entities/apps.ts';
import { HostClaim } from '../../table/entities/custom-domains.ts';
import { Deployment, deploymentsOf } from '../../table/entities/deployments.ts';
import { remove, type Write } from '../../table/writes.ts';
import { cellsInUse, claimedHosts, edgeOf, HOME_CELL, type InCell } from '../apps/cells.ts';
import { closeTenant } from '../custom-domains/reconciliation.ts';
import { removeDatabases } from '../databases/removal.ts';
import { failDeployment } from '../deployments/finish.ts';
import type { Deps } from '../deps.ts';

/** Deletes at most this many items in one transaction. */
const BATCH_SIZE = 50;

/**
 * Takes an application down for good: its addresses, its function, its databases, its builds, its variables, and last itself. Every
 * step may be repeated; what is gone already is no error.
 *
 * @param deploymentId the one that was under way: its build may have left something after all was taken down
 */
export async function teardownApp(
  deps: Deps & {
    builds: Pick<Builds, 'remove' | 'removeCaches'>;
    databases: Databases;
  } & InCell<'appHost' | 'appLogs' | 'hostRoutes'>,
  { accountId, applicationId, deploymentId, cellIds = [HOME_CELL] }: z.output<typeof TeardownInput>,
): Promise<void> {
  const of = { accountId, id: applicationId };
  const app = await deps.table.get(App, of);
  if (!app) {
    if (deploymentId) {
      await deps.builds.remove(applicationId, deploymentId);
      // A step that was making a release takes it down itself, unless it died.
      await removeFunctions(deps, applicationId, cellIds);
    }
    return await deps.builds.removeCaches(applicationId);
  }
  // The claim of a domain with a tenant ends with the tenant, whose removal takes minutes.
  const { customDomain } = app;
  const hasTenant = customDomain !== undefined && (await closeTenant(deps, customDomain));
  const domain = customDomain ? await stillOwnedHost(deps, app, customDomain.host) : [];
  const own = hasTenant ? [] : domain;
  const { hostRoutes } = await deps.cellOf(edgeOf(app));
  // Its route ends at once: its target is a name that is free for others in a moment.
  await hostRoutes.remove([...app.hosts, ...domain]);
  await removeFunctions(
    deps,
    applicationId,
    cellsInUse(app).map(({ cellId }) => cellId),
  );
  await removeDatabases(deps, applicationId);
  await deps.builds.removeCaches(applicationId);
  const list = deploymentsOf(applicationId);
  // As any that fails: its event follows, and its build's minutes count, otherwise deleting an application would make builds free.
  const endDeployment = (id: string) =>
    failDeployment(deps, { accountId, applicationId, deploymentId: id }, 'The application was deleted.');
  for (;;) {
    const { items } = await deps.table.list(Deployment, list, { limit: BATCH_SIZE, offset: 0 });
    if (items.length === 0) break;
    await Promise.all(items.map(({ id }) => deps.builds.remove(applicationId, id)));
    for (const { id, finishedAt } of items) if (finishedAt === null) await endDeployment(id);
    await deps.table.transact(items.map(({ id }) => remove(Deployment, { accountId, id })));
  }
  // The list is some milliseconds behind: what is newest may not be in it yet.
  const newest = [app.activeDeploymentId, app.nextDeploymentId].filter((id) => id !== undefined);
  for (const id of newest) await endDeployment(id);
  await deps.table.transact([
    ...newest.map((id) => remove(Deployment, { accountId, id })),
    ...[...claimedHosts(app), ...own].map((host) => remove(Host, { host }, { applicationId: { is: applicationId } })),
    ...(await claimRemoval(deps, app)),
    remove(EnvSet, of),
    remove(GitAccess, { applicationId }),
    remove(App, of),
  ]);
}

/** Removes an application's function and its log in some cells. */
async function removeFunctions(
  deps: InCell<'appHost' | 'appLogs'>,
  applicationId: string,
  cellIds: readonly string[],
): Promise<void> {
  for (const cellId of cellIds) {
    const { appHost, appLogs } = await deps.cellOf({ cellId });
    await appHost.remove(applicationId);
    await appLogs.remove(applicationId);
  }
}

/**
 * Returns the host while it still belongs to this application: after the removal of its tenant another application may
 * have claimed it.
 */
async function stillOwnedHost(deps: Deps, { id }: App, host: string): Promise<string[]> {
  const claim = await deps.table.get(Host, { host });
  return claim?.applicationId === id ? [host] : [];
}

/** Returns the write that removes the claim of the application's domain, where it has one that was not verified. */
async function claimRemoval(deps: Deps, { id, accountId, customDomain }: App): Promise<Write[]> {
  if (!customDomain) return [];
  const of = { host: customDomain.host, accountId };
  const claim = await deps.table.get(HostClaim, of);
  return claim?.applicationId === id ? [remove(HostClaim, of, { applicationId: { is: id } })] : [];
}

export const TeardownInput = z.object({
  accountId: z.string(),
  applicationId: z.string(),
  /** The deployment that was under way. */
  deploymentId: z.optional(z.string()),
  /** The cells that the application was in, which its item says no more when the step runs again. */
  cellIds: z.optional(z.array(z.string())),
});
