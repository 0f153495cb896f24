import {
  type createDatabasePassword as CreateRoute,
  PASSWORD_SECONDS,
  type resetDatabasePasswords as ResetRoute,
} from '../../contract/databases/databases.ts';
import { ApiError } from '../../contract/errors.ts';
import { limitOf } from '../../contract/limits/limits.ts';
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
import { findAccount, limitReached } from '../limits/limits.ts';
import { timestampAfter } from '../time.ts';
import { limitForOwner } from './access.ts';
import { findDatabase, scheduleCheck, viewDatabase } from './databases.ts';

const isApplied = ({ generation, appliedGeneration, access = 'ALL', appliedAccess = 'ALL' }: Database) =>
  generation === appliedGeneration && access === appliedAccess;
const isBeingReset = ({ generation, appliedGeneration }: Database) => generation !== appliedGeneration;

/** Throws 402 with the limit that is reached where not even the owner may connect. */
async function assertOpen(deps: Deps, { accountId, access }: Database): Promise<void> {
  if (access !== 'NONE') return;
  const account = await findAccount(deps, accountId);
  const name = limitForOwner(account, deps.now());
  // Otherwise there is room again, and the next measurement opens it.
  if (name) throw limitReached(name, limitOf(account, name));
}

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
 * is not available or whose passwords are being revoked, and 402 far beyond a limit of databases.
 */
export async function createDatabasePassword(
  deps: Deps & { databasePasswords: DatabasePasswords },
  caller: Caller,
  { id }: Input<typeof CreateRoute>,
): Promise<Output<typeof CreateRoute>> {
  const database = await findAvailable(deps, caller, id);
  await assertOpen(deps, database);
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

/** Has the cluster refuse the passwords of earlier generations, and clients without access. May be repeated. */
export async function applyAccess(deps: Deps & { databases: Databases }, database: Database): Promise<void> {
  const { clusterId, generation } = database;
  if (clusterId === undefined || (generation === undefined && database.access === undefined)) return;
  // A restored table may be older than the cluster's tags.
  const access = database.access ?? 'ALL';
  // Also where it was applied: a run with earlier values, whose write then failed, may have set those last.
  await deps.databases.setAccess(clusterId, { generation, access });
  if (isApplied(database)) return;
  const applied = {
    set: {
      ...(generation === undefined ? {} : { appliedGeneration: generation }),
      appliedAccess: access,
    },
    remove: unschedule(Database),
    when: { ...asRead(database), access: unchanged(database.access) },
  };
  await deps.table.write(Database, change(Database, database, applied, concurrentUpdate));
}
