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

const isBeingReset = ({ generation, appliedGeneration }: Database) => generation !== appliedGeneration;

/** Throws 402, naming the limit, if not even the owner may connect. */
async function assertOpen(deps: Deps, { accountId, access }: Database): Promise<void> {
  if (access !== 'NONE') return;
  const account = await findAccount(deps, accountId);
  const name = limitForOwner(account, deps.now());
  // If no limit is reached, the next measurement restores the access.
  if (name) throw limitReached(name, limitOf(account, name));
}

/** Returns the conditions that the database is still the same one, available, and in the same generation of passwords. */
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
 * POST /v1/databases/{id}/password: a password that is valid for an hour. Any number may be valid at a time. Throws 404, 409 for a
 * database that is not available or whose passwords are being revoked, and 402 if a limit keeps even the owner from connecting.
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
 * POST /v1/databases/{id}/reset-passwords: the stream makes the cluster refuse all existing passwords. Open connections end within an
 * hour. Throws 404, and 409 for a database that is not available.
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

/** Makes the cluster refuse passwords of earlier generations, and clients without access. May be repeated. */
export async function applyAccess(deps: Deps & { databases: Databases }, database: Database): Promise<void> {
  const { clusterId, generation } = database;
  if (clusterId === undefined || (generation === undefined && database.access === undefined)) return;
  // Without a stored access, a restored table may be older than the cluster's tags, so the default is applied too.
  const access = database.access ?? 'ALL';
  // Also if the values were applied before: an older run may have set earlier values since, before its write failed, and an access
  // that changed back is due nevertheless.
  await deps.databases.setAccess(clusterId, { generation, access });
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
