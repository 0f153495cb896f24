import * as z from 'zod/mini';
import type { Builds } from '../../providers/builds/builds.ts';
import type { Databases } from '../../providers/databases/databases.ts';
import { App, EnvSet, GitAccess, Host } from '../../table/entities/apps.ts';
import { HostClaim } from '../../table/entities/custom-domains.ts';
import { Deployment, deploymentsOf } from '../../table/entities/deployments.ts';
import { unschedule } from '../../table/schedule.ts';
import { change, remove, type Write } from '../../table/writes.ts';
import { cellsInUse, claimedHosts, edgeOf, HOME_CELL, type InCell, removeFromCell } from '../apps/cells.ts';
import { concurrentUpdate } from '../conflict.ts';
import { closeTenant } from '../custom-domains/reconciliation.ts';
import { removeDatabases } from '../databases/removal.ts';
import { failDeployment } from '../deployments/finish.ts';
import type { Deps } from '../deps.ts';

/** Most deployments that one transaction deletes. */
const BATCH_SIZE = 50;

/**
 * Removes everything that a deleted application had: its host names, function, databases, builds and variables, and finally the application
 * itself. Every step is idempotent.
 *
 * @param deploymentId the deployment that was running: its build may leave files after everything else is removed
 */
export async function teardownApp(
  deps: Deps & {
    builds: Pick<Builds, 'remove' | 'removeCaches'>;
    databases: Databases;
  } & InCell<'appHost' | 'appLogs' | 'hostRoutes'>,
  { accountId, applicationId, deploymentId, cellIds = [HOME_CELL] }: z.output<typeof TeardownInput>,
): Promise<void> {
  const key = { accountId, id: applicationId };
  const app = await deps.table.get(App, key);
  if (!app) {
    if (deploymentId) {
      await deps.builds.remove(applicationId, deploymentId);
      // A workflow step that was creating a release removes it itself, unless the step died.
      for (const cellId of cellIds) await removeFromCell(deps, { cellId }, applicationId);
    }
    return await deps.builds.removeCaches(applicationId);
  }
  const { customDomain } = app;
  const domain = customDomain ? [customDomain.host] : [];
  const owned = await releaseHosts(deps, app, [...claimedHosts(app), ...domain]);
  // The claim of a domain with a tenant ends with the tenant, whose removal takes minutes.
  const hasTenant = customDomain !== undefined && (await closeTenant(deps, customDomain));
  const { hostRoutes } = await deps.cellOf(edgeOf(app));
  // The routes are removed first: they point to a host name that others can claim soon. An older version of the platform, which may
  // write this change, does not check the claims.
  const routed = [...app.hosts, ...domain].filter((host) => owned.includes(host));
  await hostRoutes.remove(routed, app.id);
  // The names are free before the rest is removed, which takes seconds: the owner may wait for them to create the application again.
  const released = owned.filter((host) => !(hasTenant && domain.includes(host)));
  if (released.length > 0)
    await deps.table.transact(
      released.map((host) => remove(Host, { host }, { applicationId: { is: applicationId } }, concurrentUpdate)),
    );
  for (const cell of cellsInUse(app)) await removeFromCell(deps, cell, applicationId);
  await removeDatabases(deps, applicationId);
  await deps.builds.removeCaches(applicationId);
  const list = deploymentsOf(applicationId);
  // The deployment ends like any failed one, with its event and its build minutes. Otherwise deleting an application would make builds free.
  const endDeployment = (id: string) =>
    failDeployment(deps, { accountId, applicationId, deploymentId: id }, 'The application was deleted.');
  for (;;) {
    const { items } = await deps.table.list(Deployment, list, { limit: BATCH_SIZE, offset: 0 });
    if (items.length === 0) break;
    await Promise.all(items.map(({ id }) => deps.builds.remove(applicationId, id)));
    for (const { id, finishedAt } of items) if (finishedAt === null) await endDeployment(id);
    await deps.table.transact(items.map(({ id }) => remove(Deployment, { accountId, id })));
  }
  // The list lags some milliseconds behind the table: the newest deployments may not be in it yet.
  const newest = [app.activeDeploymentId, app.nextDeploymentId].filter((id) => id !== undefined);
  for (const id of newest) await endDeployment(id);
  await deps.table.transact([
    ...newest.map((id) => remove(Deployment, { accountId, id })),
    ...(await claimRemoval(deps, app)),
    remove(EnvSet, key),
    remove(GitAccess, { applicationId }),
    remove(App, key),
  ]);
}

/**
 * Returns the hosts that still belong to this application. Another one may have claimed them since they were released. Marks those that
 * are not being released: a custom domain that was verified during the deletion.
 */
async function releaseHosts(deps: Deps, { id }: App, hosts: readonly string[]): Promise<string[]> {
  const claims = await Promise.all(hosts.map((host) => deps.table.get(Host, { host })));
  const owned = claims.flatMap((claim) => (claim?.applicationId === id ? [claim] : []));
  const releasing = { set: { releasing: true }, remove: unschedule(Host), when: { applicationId: { is: id } } };
  for (const { host, releasing: isMarked } of owned)
    if (!isMarked) await deps.table.write(Host, change(Host, { host }, releasing, concurrentUpdate));
  return owned.map(({ host }) => host);
}

/** Returns the write that removes the application's unverified claim of its custom domain, if it has one. */
async function claimRemoval(deps: Deps, { id, accountId, customDomain }: App): Promise<Write[]> {
  if (!customDomain) return [];
  const key = { host: customDomain.host, accountId };
  const claim = await deps.table.get(HostClaim, key);
  return claim?.applicationId === id ? [remove(HostClaim, key, { applicationId: { is: id } })] : [];
}

export const TeardownInput = z.object({
  accountId: z.string(),
  applicationId: z.string(),
  /** The deployment that was running. */
  deploymentId: z.optional(z.string()),
  /** The cells that the application was in. Its item is deleted when the step runs again. */
  cellIds: z.optional(z.array(z.string())),
});
