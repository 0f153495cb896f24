import { DatabaseQuotaReached, type Databases } from '../../providers/databases/databases.ts';
import { Account } from '../../table/entities/accounts.ts';
import { Database, DeletedDatabase, databasesOf } from '../../table/entities/databases.ts';
import { change, create, remove } from '../../table/writes.ts';
import { concurrentUpdate, ignoreConflict } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { requestCluster } from './provisioning.ts';
import { measureSoon } from './use.ts';

/**
 * Returns the id of a database's cluster. One that is being requested right now, or whose answer was lost, is requested again, which is the
 * same cluster. Undefined where there is none.
 */
async function findCluster(deps: Deps & { databases: Databases }, database: Database): Promise<string | undefined> {
  // Where another reason ended the making, an answer may have been lost, and the cluster be there.
  if (database.clusterId !== undefined || database.unmade) return database.clusterId;
  try {
    return (await requestCluster(deps, database)).id;
  } catch (error) {
    // The quota holds for new clusters: there is none.
    if (error instanceof DatabaseQuotaReached) return undefined;
    throw error;
  }
}

/** Removes a database, with what is in it. Throws while its cluster is being made. May be repeated. */
async function removeDatabase(deps: Deps & { databases: Databases }, database: Database): Promise<void> {
  const clusterId = await findCluster(deps, database);
  if (clusterId) await deps.databases.remove(clusterId);
  const returned = database.counted
    ? [change(Account, { id: database.accountId }, { add: { databaseCount: -1 } })]
    : [];
  const { accountId } = database;
  // What it used counts until the month ends; its storage no longer does.
  const deleted = clusterId
    ? [
        create(DeletedDatabase, { accountId, clusterId, at: deps.now().toISOString() }, undefined, {}),
        measureSoon(deps, accountId),
      ]
    : [];
  const same = { id: { is: database.id }, counted: database.counted ? { is: true } : 'absent' } as const;
  // On a conflict another run removed it, and counted that.
  await ignoreConflict(
    deps.table.transact([remove(Database, database, same, concurrentUpdate), ...returned, ...deleted]),
  );
}

/**
 * Removes a database that its owner deleted, once its cluster can be.
 * @returns whether there is nothing left to do
 */
export async function removeDeleted(deps: Deps & { databases: Databases }, database: Database): Promise<boolean> {
  const clusterId = await findCluster(deps, database);
  // DSQL deletes no cluster that it is creating.
  if (clusterId && (await deps.databases.find(clusterId)).status === 'PENDING') return false;
  await removeDatabase(deps, clusterId ? { ...database, clusterId } : database);
  return true;
}

/** Removes all databases of an application, with what is in them. May be repeated. */
export async function removeDatabases(deps: Deps & { databases: Databases }, applicationId: string): Promise<void> {
  for (const database of await deps.table.all(Database, databasesOf(applicationId)))
    await removeDatabase(deps, database);
}
