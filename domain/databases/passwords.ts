import {
  type createDatabasePassword as CreateRoute,
  PASSWORD_SECONDS,
  type resetDatabasePasswords as ResetRoute,
} from '../../contract/databases/databases.ts';
import { ApiError } from '../../contract/errors.ts';
import type { Input, Output } from '../../contract/route.ts';
import type { Databases } from '../../providers/databases/databases.ts';
import type { DatabasePasswords } from '../../providers/databases/passwords.ts';
import { connectionUrl, DATABASE_NAME, DATABASE_PORT, DATABASE_USER } from '../../providers/databases/token.ts';
import { Database } from '../../table/entities/databases.ts';
import { type Condition, unchanged } from '../../table/expressions.ts';
import { unschedule } from '../../table/schedule.ts';
import { change, check } from '../../table/writes.ts';
import { concurrentUpdate } from '../conflict.ts';
import type { Caller, Deps } from '../deps.ts';
import { timestampAfter } from '../time.ts';
import { findDatabase, scheduleCheck, viewDatabase } from './databases.ts';

const isBeingReset = ({ generation, appliedGeneration }: Database) => generation !== appliedGeneration;

/** Holds while the database is the same one and available, and its passwords are those of this generation. */
const asRead = ({ id, generation }: Database): Record<string, Condition> => ({
  id: { is: id },
  status: { is: 'AVAILABLE' },
  generation: unchanged(generation),
});

const changed = () =>
  new ApiError('conflict', 'The database was changed by another request at the same time. Repeat the request.');

async function findAvailable(deps: Deps, caller: Caller, id: string) {
  const database = await findDatabase(deps, caller, id);
  const { status, host, clusterId } = database;
  if (status !== 'AVAILABLE' || host === null || clusterId === undefined)
    throw new ApiError('conflict', 'The database is not available.');
  return { ...database, host, clusterId };
}

/**
 * POST /v1/databases/{id}/password: as many as are asked for, each valid for an hour. Throws 404, and 409 for a database that
 * is not available or whose passwords are being revoked.
 */
export async function createDatabasePassword(
  deps: Deps & { databasePasswords: DatabasePasswords },
  caller: Caller,
  { id }: Input<typeof CreateRoute>,
): Promise<Output<typeof CreateRoute>> {
  const database = await findAvailable(deps, caller, id);
  if (isBeingReset(database))
    throw new ApiError('conflict', 'The passwords of the database are being revoked. Try again in a few seconds.');
  const { host, port = DATABASE_PORT, clusterId, region, generation = 0 } = database;
  const expiresAt = timestampAfter(deps.now(), PASSWORD_SECONDS * 1000);
  const target = { clusterId, host, region, generation };
  const password = await deps.databasePasswords.create(target, { name: id, seconds: PASSWORD_SECONDS });
  const connection = {
    host,
    port,
    database: DATABASE_NAME,
    user: DATABASE_USER,
    password,
    sslMode: 'require' as const,
    url: connectionUrl({ host, port }, password),
    expiresAt,
  };
  return await deps.commit([check(Database, database, asRead(database), changed)], { data: connection });
}

/**
 * POST /v1/databases/{id}/reset-passwords: the stream has the cluster refuse every password that was created so far. Open
 * connections stay, an hour at most. Throws 404, and 409 for a database that is not available.
 */
export async function resetDatabasePasswords(
  deps: Deps,
  caller: Caller,
  { id }: Input<typeof ResetRoute>,
): Promise<Output<typeof ResetRoute>> {
  const database = await findAvailable(deps, caller, id);
  const set = { generation: (database.generation ?? 0) + 1, ...scheduleCheck(deps) };
  const write = change(Database, database, { set, when: asRead(database) }, changed);
  return await deps.commit([write], { data: viewDatabase(database) }, { after: { name: database.name } });
}

/** Has the cluster refuse the passwords of earlier generations. May be repeated. */
export async function applyReset(deps: Deps & { databases: Databases }, database: Database): Promise<void> {
  const { clusterId, generation } = database;
  if (clusterId === undefined || generation === undefined) return;
  // Also where it was applied: a run with an earlier generation, whose write then failed, may have set that one last.
  await deps.databases.setGeneration(clusterId, generation);
  if (!isBeingReset(database)) return;
  const applied = {
    set: { appliedGeneration: generation },
    remove: unschedule(Database),
    when: asRead(database),
  };
  await deps.table.write(Database, change(Database, database, applied, concurrentUpdate));
}
