import { DatabaseQuotaReached, type Databases } from '../../providers/databases/databases.ts';
import { Account } from '../../table/entities/accounts.ts';
import { Database, DeletedDatabase, databasesOf } from '../../table/entities/databases.ts';
import { change, create, remove } from '../../table/writes.ts';
import { concurrentUpdate, tryTransact } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { OrphanedCluster, requestCluster } from './provisioning.ts';
import { measureSoon } from './use.ts';

/**
 * Returns the id of a database's cluster; undefined if there is none. If the request for the cluster is still running, or its response
 * was lost, it is repeated and returns the same cluster.
 */
async function findCluster(deps: Deps & { databases: Databases }, database: Database): Promise<string | undefined> {
  // Without an id, the cluster may exist nevertheless: only `unmade` means that it was never created.
  if (database.clusterId !== undefined || database.unmade) return database.clusterId;
  try {
    return (await requestCluster(deps, database)).id;
  } catch (error) {
    // The quota applies to new clusters only, so the cluster does not exist.
    if (error instanceof DatabaseQuotaReached) return undefined;
    throw error;
  }
}

/** Removes a database with its data. Throws while its cluster is being created. May be repeated. */
async function removeDatabase(deps: Deps & { databases: Databases }, database: Database): Promise<void> {
  const clusterId = await findCluster(deps, database);
  if (clusterId) await deps.databases.remove(clusterId);
  const uncounted = database.counted
    ? [change(Account, { id: database.accountId }, { add: { databaseCount: -1 } })]
    : [];
  const { accountId } = database;
  // Its DPUs count until the end of the month; its storage no longer does.
  const deleted = clusterId
    ? [
        create(DeletedDatabase, { accountId, clusterId, at: deps.now().toISOString() }, undefined, {}),
        measureSoon(deps, accountId),
      ]
    : [];
  const isUnchanged = { id: { is: database.id }, counted: database.counted ? { is: true } : 'absent' } as const;
  // On a conflict, another run has removed the database and changed the counter.
  await tryTransact(deps, [remove(Database, database, isUnchanged, concurrentUpdate), ...uncounted, ...deleted]);
}

/**
 * Removes a database that its owner deleted, once its cluster can be deleted.
 * @returns true once the database is removed
 */
export async function removeDeleted(deps: Deps & { databases: Databases }, database: Database): Promise<boolean> {
  const clusterId = await findCluster(deps, database);
  // DSQL cannot delete a cluster while it is being created.
  if (clusterId && (await deps.databases.find(clusterId)).status === 'PENDING') return false;
  await removeDatabase(deps, clusterId ? { ...database, clusterId } : database);
  return true;
}

/** Removes all databases of an application with their data. May be repeated. */
export async function removeDatabases(deps: Deps & { databases: Databases }, applicationId: string): Promise<void> {
  for (const database of await deps.table.all(Database, databasesOf(applicationId)))
    try {
      await removeDatabase(deps, database);
    } catch (error) {
      if (error instanceof OrphanedCluster) await deps.databases.remove(error.clusterId);
      throw error;
    }
}
