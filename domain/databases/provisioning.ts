import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { type Cluster, DatabaseQuotaReached, type Databases } from '../../providers/databases/databases.ts';
import { Database } from '../../table/entities/databases.ts';
import { unschedule } from '../../table/schedule.ts';
import { change } from '../../table/writes.ts';
import { ConcurrentUpdateError, concurrentUpdate } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import { emit } from '../webhooks/events.ts';
import { ENGINE } from './databases.ts';
import { measureSoon } from './use.ts';

/** Time after which the creation of a database counts as failed, in milliseconds. */
const MAX_PROVISIONING_MS = TIMEOUTS_S.database.provisioning * 1000;

const QUOTA_REACHED =
  'The platform cannot create any more databases at the moment. Try again tomorrow under another name, or contact support.';
const NOT_CREATED = 'The database could not be created. Create another one, or contact support.';
const NOT_IN_TIME = `The database was not available after ${TIMEOUTS_S.database.provisioning / 60} minutes. Create another one, or contact support.`;

/** A cluster was created whose database was removed meanwhile. It must be removed, which DSQL refuses until its creation has ended. */
export class OrphanedCluster extends ConcurrentUpdateError {
  readonly clusterId: string;
  constructor(clusterId: string) {
    super(`the database of cluster ${clusterId} was removed`);
    this.clusterId = clusterId;
  }
}

/** Requests the cluster, once, and stores its id. Throws {@link OrphanedCluster}. */
export async function requestCluster(deps: Deps & { databases: Databases }, database: Database): Promise<Cluster> {
  const cluster = await deps.databases.create(database.id, deps.settings.hostArnOf(database.applicationId));
  // By now another database may have the name, and therefore the key.
  const storeId = { set: { clusterId: cluster.id }, when: { id: { is: database.id } } };
  await deps.table.write(
    Database,
    change(Database, database, storeId, () => new OrphanedCluster(cluster.id)),
  );
  return cluster;
}

type Outcome = Pick<Database, 'status' | 'host' | 'port' | 'failureReason' | 'unmade'>;

/** Ends the provisioning, once: stores the outcome, and in the same transaction the event of a success or the audit entry of a failure. */
async function endProvisioning(deps: Deps, database: Database, outcome: Outcome): Promise<void> {
  const { id: databaseId, accountId, applicationId, name } = database;
  const when = { status: { is: 'PROVISIONING' }, id: { is: databaseId } };
  const finished = { set: outcome, remove: unschedule(Database), when };
  const end = change(Database, database, finished, concurrentUpdate);
  if (outcome.status === 'FAILED') {
    const after = { applicationId, name, reason: outcome.failureReason };
    return await deps.commit([end], undefined, { action: 'database.failed', accountId, subjectId: databaseId, after });
  }
  await deps.table.transact([
    end,
    emit(deps, accountId, 'database.created', { databaseId, name, engine: ENGINE }),
    // The stream starts the measurement at the creation. Its attempt may be lost.
    measureSoon(deps, accountId),
  ]);
}

const failed = (failureReason: string): Outcome => ({ status: 'FAILED', host: null, failureReason });

/**
 * Returns the outcome of the provisioning; undefined while the cluster is pending. The first call requests the cluster. Throws errors
 * that a retry may resolve.
 */
async function findOutcome(
  deps: Deps & { databases: Databases },
  database: Database,
  isLate: boolean,
): Promise<Outcome | undefined> {
  try {
    const { clusterId } = database;
    const { status, host, port } = clusterId
      ? await deps.databases.find(clusterId)
      : await requestCluster(deps, database);
    if (status === 'READY') return { status: 'AVAILABLE', host, ...(port ? { port } : {}) };
    if (status !== 'PENDING') return failed(NOT_CREATED);
    return isLate ? failed(NOT_IN_TIME) : undefined;
  } catch (error) {
    if (error instanceof DatabaseQuotaReached) return { ...failed(QUOTA_REACHED), unmade: true };
    // Otherwise a request that always fails would keep the database in PROVISIONING forever.
    if (isLate && !(error instanceof ConcurrentUpdateError)) return failed(NOT_IN_TIME);
    throw error;
  }
}

/**
 * Checks a database that is being provisioned: requests its cluster the first time, and ends the provisioning once the cluster is ready
 * or has failed. May be repeated.
 * @returns true once the provisioning has ended
 */
export async function provisionDatabase(deps: Deps & { databases: Databases }, database: Database): Promise<boolean> {
  const isLate = deps.now().getTime() - Date.parse(database.createdAt) > MAX_PROVISIONING_MS;
  const outcome = await findOutcome(deps, database, isLate);
  if (outcome) await endProvisioning(deps, database, outcome);
  return outcome !== undefined;
}
