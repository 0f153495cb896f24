import type { Cluster, Databases } from '../../providers/databases/databases.ts';
import type { Executions } from '../../providers/workflows/executions.ts';
import { Database, type DatabaseKey, databasesOf } from '../../table/entities/databases.ts';
import { splitKey } from '../../table/keys.ts';
import { change, erase } from '../../table/writes.ts';
import type { Deps } from '../deps.ts';
import { Overtaken, overtaken, unlessOvertaken } from '../overtaken.ts';
import { emit } from '../webhooks/events.ts';
import { CHECK_AFTER, ENGINE } from './databases.ts';

/** What is not there after this long will not be, in milliseconds. */
const GIVEN_UP_AFTER = 1800_000;

const NO_CHECKS = ['checkAt', 'duePk', 'dueAt'];

/** Has a database made. @param name of the execution: a making that was lost is done again under another */
export const startMaking = (
  deps: { databaseMaking: Executions },
  { applicationId, prefix }: DatabaseKey,
  name: string,
): Promise<void> => deps.databaseMaking.start(name, { applicationId, prefix });

/** Asks for the cluster, once, and keeps its id. A database that went with its application meanwhile takes it along. */
async function askFor(deps: Deps & { databases: Databases }, database: Database): Promise<Cluster> {
  const cluster = await deps.databases.create(database.id, deps.settings.hostArnOf(database.applicationId));
  try {
    await deps.table.write(Database, change(Database, database, { set: { clusterId: cluster.id } }, overtaken));
  } catch (error) {
    if (error instanceof Overtaken) await deps.databases.remove(cluster.id);
    throw error;
  }
  return cluster;
}

/** Ends the making, once: status and event in one transaction. */
async function end(deps: Deps, database: Database, ended: Pick<Database, 'status' | 'host'>): Promise<void> {
  const { id: databaseId, accountId, name } = database;
  const finished = { set: ended, remove: NO_CHECKS, when: { status: { is: 'PROVISIONING' } } };
  await deps.table.transact([
    change(Database, database, finished, overtaken),
    ...(ended.status === 'AVAILABLE'
      ? [emit(deps, accountId, 'database.created', { databaseId, name, engine: ENGINE })]
      : []),
  ]);
}

/**
 * One look at a database that is being made: asks for it the first time, and ends its making when it is there, or when it
 * cannot be any more. Repeating it changes nothing.
 * @returns whether there is nothing left to do
 */
export async function makeDatabase(deps: Deps & { databases: Databases }, of: DatabaseKey): Promise<{ done: boolean }> {
  const database = await deps.table.get(Database, of);
  if (database?.status !== 'PROVISIONING') return { done: true };
  const { clusterId, createdAt } = database;
  const cluster = clusterId ? await deps.databases.find(clusterId) : await askFor(deps, database);
  const late = deps.now().getTime() - Date.parse(createdAt) > GIVEN_UP_AFTER;
  if (cluster.status === 'PENDING' && !late) return { done: false };
  const ready = cluster.status === 'READY';
  await end(deps, database, ready ? { status: 'AVAILABLE', host: cluster.host } : { status: 'FAILED', host: null });
  return { done: true };
}

/** How many overdue databases one run of the reconciler looks after. */
const BATCH = 100;

/** Has databases seen to whose making was lost. @returns how many */
export async function reconcileDatabases(deps: Deps & { databaseMaking: Executions }): Promise<number> {
  const now = deps.now();
  const overdue = await deps.table.due('DATABASE', now.toISOString(), BATCH);
  for (const { pk, sk: prefix, dueAt } of overdue) {
    const [, applicationId = ''] = splitKey(pk);
    const of = { applicationId, prefix };
    const database = await deps.table.get(Database, of);
    if (!database) continue;
    await startMaking(deps, of, `${database.id}-${Date.parse(dueAt)}`);
    const next = new Date(now.getTime() + CHECK_AFTER).toISOString();
    const moved = { set: { checkAt: next, dueAt: next }, when: { dueAt: { is: dueAt } } };
    await unlessOvertaken(deps.table.write(Database, change(Database, of, moved, overtaken)));
  }
  return overdue.length;
}

/** Removes all databases of an application, with what is in them. May be repeated. */
export async function removeDatabases(deps: Deps & { databases: Databases }, applicationId: string): Promise<void> {
  for (const database of await deps.table.all(Database, databasesOf(applicationId))) {
    // One that is being asked for right now is asked for again: the same token is the same cluster.
    const { status, clusterId = status === 'PROVISIONING' ? (await askFor(deps, database)).id : undefined } = database;
    if (clusterId) await deps.databases.remove(clusterId);
    await deps.table.transact([erase(Database, database)]);
  }
}
