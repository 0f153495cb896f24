import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { type Cluster, DatabaseQuotaReached, type Databases } from '../../providers/databases/databases.ts';
import { Database } from '../../table/entities/databases.ts';
import { unschedule } from '../../table/schedule.ts';
import { change } from '../../table/writes.ts';
import { ConcurrentUpdateError, concurrentUpdate } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { emit } from '../webhooks/events.ts';
import { ENGINE } from './databases.ts';

/** Time after which the creation of a database counts as failed, in milliseconds. */
const MAX_PROVISIONING_MS = TIMEOUTS_S.database.provisioning * 1000;

const QUOTA_REACHED =
  'The platform cannot create any more databases at the moment. Try again tomorrow under another name, or contact support.';
const NOT_CREATED = 'The database could not be created. Create another one, or contact support.';
const NOT_IN_TIME = `The database was not available after ${TIMEOUTS_S.database.provisioning / 60} minutes. Create another one, or contact support.`;

/** Asks for the cluster, once, and keeps its id. A database that went with its application meanwhile takes it along. */
export async function requestCluster(deps: Deps & { databases: Databases }, database: Database): Promise<Cluster> {
  const cluster = await deps.databases.create(database.id, deps.settings.hostArnOf(database.applicationId));
  // Another may have its name, and so its key, by now.
  const kept = { set: { clusterId: cluster.id }, when: { id: { is: database.id } } };
  try {
    await deps.table.write(Database, change(Database, database, kept, concurrentUpdate));
  } catch (error) {
    if (error instanceof ConcurrentUpdateError) await deps.databases.remove(cluster.id);
    throw error;
  }
  return cluster;
}

type Outcome = Pick<Database, 'status' | 'host' | 'port' | 'failureReason' | 'unmade'>;

/** Ends the making, once: status and event in one transaction. */
async function endProvisioning(deps: Deps, database: Database, ended: Outcome): Promise<void> {
  const { id: databaseId, accountId, name } = database;
  const when = { status: { is: 'PROVISIONING' }, id: { is: databaseId } };
  const finished = { set: ended, remove: unschedule(Database), when };
  await deps.table.transact([
    change(Database, database, finished, concurrentUpdate),
    ...(ended.status === 'AVAILABLE'
      ? [emit(deps, accountId, 'database.created', { databaseId, name, engine: ENGINE })]
      : []),
  ]);
}

const failed = (failureReason: string): Outcome => ({ status: 'FAILED', host: null, failureReason });

/**
 * Returns the end of the making; undefined while the cluster is pending. Requests the cluster the first time. Throws
 * where trying again may help.
 */
async function outcomeOf(
  deps: Deps & { databases: Databases },
  database: Database,
  late: boolean,
): Promise<Outcome | undefined> {
  try {
    const { clusterId } = database;
    const { status, host, port } = clusterId
      ? await deps.databases.find(clusterId)
      : await requestCluster(deps, database);
    if (status === 'READY') return { status: 'AVAILABLE', host, ...(port ? { port } : {}) };
    if (status !== 'PENDING') return failed(NOT_CREATED);
    return late ? failed(NOT_IN_TIME) : undefined;
  } catch (error) {
    if (error instanceof DatabaseQuotaReached) return { ...failed(QUOTA_REACHED), unmade: true };
    // Without this, a request that fails each time would keep the database in PROVISIONING for ever.
    if (late && !(error instanceof ConcurrentUpdateError)) return failed(NOT_IN_TIME);
    throw error;
  }
}

/**
 * One look at a database that is being made: asks for it the first time, and ends its making when it is there, or when it
 * cannot be any more. Repeating it changes nothing.
 * @returns whether there is nothing left to do
 */
export async function provisionDatabase(deps: Deps & { databases: Databases }, database: Database): Promise<boolean> {
  const late = deps.now().getTime() - Date.parse(database.createdAt) > MAX_PROVISIONING_MS;
  const outcome = await outcomeOf(deps, database, late);
  if (outcome) await endProvisioning(deps, database, outcome);
  return outcome !== undefined;
}
