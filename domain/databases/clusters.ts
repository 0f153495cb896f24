import * as z from 'zod/mini';
import type { Databases } from '../../providers/databases/databases.ts';
import type { Executions } from '../../providers/workflows/executions.ts';
import { Database, type DatabaseKey } from '../../table/entities/databases.ts';
import type { Deps } from '../deps.ts';
import { restartQueue } from '../sweep/restart-queue.ts';
import { HEARTBEAT_TIMEOUT_MS } from './databases.ts';
import { applyAccess } from './passwords.ts';
import { OrphanedCluster, provisionDatabase } from './provisioning.ts';
import { removeDeleted } from './removal.ts';

/**
 * Starts the work on a database's cluster.
 * @param name the name of the execution. A lost execution is repeated under another name
 */
export const startClusterWork = (
  deps: { databaseWork: Executions },
  { applicationId, prefix }: DatabaseKey,
  name: string,
): Promise<void> => deps.databaseWork.start(name, { applicationId, prefix });

/** Progress of the work on a cluster. */
interface Progress {
  done: boolean;
  /** The id of a cluster whose database was removed. The next step removes the cluster, because the table no longer names it. */
  orphan?: string;
}

/**
 * Makes one step of the work on a database's cluster: creates it, deletes it, or changes who may connect, depending on the database's
 * status. May be repeated.
 * @param input.look the result of the previous step
 * @returns `done` once the work is complete
 */
export async function advanceDatabase(
  deps: Deps & { databases: Databases },
  { look, ...key }: z.output<typeof DatabaseInput>,
): Promise<Progress> {
  const orphan = look?.orphan;
  if (orphan !== undefined) {
    // DSQL cannot delete a cluster while it is being created.
    if ((await deps.databases.find(orphan)).status === 'PENDING') return { done: false, orphan };
    await deps.databases.remove(orphan);
  }
  try {
    return await advance(deps, key);
  } catch (error) {
    if (error instanceof OrphanedCluster) return { done: false, orphan: error.clusterId };
    throw error;
  }
}

async function advance(deps: Deps & { databases: Databases }, key: DatabaseKey): Promise<Progress> {
  const database = await deps.table.get(Database, key);
  switch (database?.status) {
    case 'PROVISIONING':
      return { done: await provisionDatabase(deps, database) };
    case 'DELETING':
      return { done: await removeDeleted(deps, database) };
    case 'AVAILABLE':
      await applyAccess(deps, database);
      return { done: true };
    default:
      return { done: true };
  }
}

/** Databases whose execution was lost: another one starts. */
export const databaseQueue = restartQueue({
  queue: 'DATABASE',
  entity: Database,
  afterMs: HEARTBEAT_TIMEOUT_MS,
  start: (deps: { databaseWork: Executions }, database, attempt) =>
    startClusterWork(deps, database, `${database.id}-${attempt}`),
});

export const DatabaseInput = z.object({
  applicationId: z.string(),
  prefix: z.string(),
  look: z.optional(z.object({ orphan: z.optional(z.string()) })),
});
