import {
  type createDatabase as CreateRoute,
  type deleteDatabase as DeleteRoute,
  type getDatabase as GetRoute,
  type listDatabases as ListRoute,
  MAX_DATABASES,
} from '../../contract/databases/databases.ts';
import { ApiError } from '../../contract/errors.ts';
import type { Input, Output } from '../../contract/route.ts';
import type { DatabaseMetrics } from '../../providers/databases/metrics.ts';
import { DATABASE_PORT } from '../../providers/databases/token.ts';
import { Account } from '../../table/entities/accounts.ts';
import { App } from '../../table/entities/apps.ts';
import { Database, databaseListOf } from '../../table/entities/databases.ts';
import { schedule } from '../../table/schedule.ts';
import { change, changeOrInspect, create } from '../../table/writes.ts';
import { noSuchApp } from '../apps/apps.ts';
import type { Caller, Deps } from '../deps.ts';
import { countTowards } from '../limits/limits.ts';
import { pageBody } from '../pages.ts';
import { monthOf, timestampAfter } from '../time.ts';
import { DATABASE_LIMITS } from './access.ts';

export const ENGINE = 'aurora-dsql' as const;

/** Time after which the reconciler restarts unfinished work on a cluster, in milliseconds. */
export const HEARTBEAT_TIMEOUT_MS = 300_000;
/** Returns the attributes that make the reconciler restart the work on a cluster. */
export const scheduleCheck = ({ now }: Pick<Deps, 'now'>) =>
  schedule(Database, timestampAfter(now(), HEARTBEAT_TIMEOUT_MS));

/** Returns the prefix of a database's variables: `my-orders` → `DATABASE_MY_ORDERS`. */
const variablePrefix = (name: string) => `DATABASE_${name.toUpperCase().replaceAll('-', '_')}`;

/**
 * Suffixes of the variables that describe a database to its application (builder/app-runtime/databases.ts sets them at
 * start).
 */
const VARIABLES = ['URL', 'HOST', 'PORT', 'NAME', 'USER', 'PASSWORD', 'REGION'];

/** Returns a database as the API shows it. */
export function viewDatabase(database: Database): Output<typeof ListRoute>['data'][number] {
  const { id, applicationId, name, prefix, status, region, host, createdAt } = database;
  const failureReason = database.failureReason ?? null;
  const port = host === null ? null : (database.port ?? DATABASE_PORT);
  const variables = VARIABLES.map((suffix) => `${prefix}_${suffix}`);
  const access = database.access ?? 'ALL';
  return {
    id,
    applicationId,
    name,
    engine: ENGINE,
    status,
    region,
    host,
    port,
    failureReason,
    access,
    variables,
    createdAt,
  };
}

const noSuchDatabase = () => new ApiError('not_found', 'Database not found.');

/** Returns a database of the caller. Throws 404. */
export async function findDatabase(
  deps: Pick<Deps, 'table'>,
  { accountId }: Pick<Caller, 'accountId'>,
  id: string,
): Promise<Database> {
  // The list is eventually consistent, so the item itself is read as well.
  const [listed] = await deps.table.since(Database, databaseListOf(accountId), id, 1);
  const database = listed?.id === id ? await deps.table.get(Database, listed) : undefined;
  if (database?.id !== id) throw noSuchDatabase();
  return database;
}

/** POST /v1/databases: the stream starts the creation of the cluster. Of two concurrent calls with one name exactly one succeeds. */
export async function createDatabase(
  deps: Deps & { databaseRegion: string },
  { accountId }: Caller,
  { applicationId, name }: Input<typeof CreateRoute>,
): Promise<Output<typeof CreateRoute>> {
  const now = deps.now();
  const database: Database = {
    id: deps.newId('db'),
    accountId,
    applicationId,
    name,
    prefix: variablePrefix(name),
    status: 'PROVISIONING',
    region: deps.databaseRegion,
    host: null,
    counted: true,
    measured: true,
    createdAt: now.toISOString(),
    dueAt: scheduleCheck(deps).dueAt,
  };
  const count = changeOrInspect(
    App,
    { accountId, id: applicationId },
    {
      add: { databaseCount: 1 },
      // DSQL admits roles of the cluster's own account only
      // (https://docs.aws.amazon.com/aurora-dsql/latest/userguide/resource-based-policies.html).
      when: {
        databaseCount: { absentOrBelow: MAX_DATABASES },
        status: { isNot: 'DELETING' },
        cellId: 'absent',
        movingTo: 'absent',
      },
    },
    (app) => {
      if (!app || app.status === 'DELETING') return noSuchApp();
      return app.cellId === undefined && app.movingTo === undefined
        ? new ApiError('conflict', `An application has at most ${MAX_DATABASES} databases. Delete one first.`)
        : new ApiError('conflict', 'Databases are not available where this application runs. Contact support.');
    },
  );
  const taken = () => new ApiError('conflict', `name: this application already has a database named ${name}`);
  const accountCounts = countTowards(deps, accountId, ['databases', ...DATABASE_LIMITS]);
  return await deps.commit([count, create(Database, database, taken), accountCounts], { data: viewDatabase(database) });
}

/** GET /v1/databases */
export async function listDatabases(
  deps: Deps,
  { accountId }: Caller,
  page: Input<typeof ListRoute>,
): Promise<Output<typeof ListRoute>> {
  return pageBody(await deps.table.list(Database, databaseListOf(accountId), page), viewDatabase);
}

/** GET /v1/databases/{id}. Throws 404. */
export async function getDatabase(
  deps: Deps & { databaseMetrics: DatabaseMetrics },
  caller: Caller,
  { id }: Input<typeof GetRoute>,
): Promise<Output<typeof GetRoute>> {
  const database = await findDatabase(deps, caller, id);
  const { clusterId, units = null, unitsMonth } = database;
  const now = deps.now();
  const sizeBytes = clusterId ? await deps.databaseMetrics.storageBytes(clusterId, now) : null;
  // At the beginning of a month, the last measurement is still that of the previous month.
  const unitsThisMonth = unitsMonth === undefined || unitsMonth === monthOf(now) ? units : 0;
  return { data: { ...viewDatabase(database), sizeBytes, unitsThisMonth } };
}

/**
 * DELETE /v1/databases/{id}: the database no longer counts towards limits. The stream then starts the deletion of its cluster, which
 * frees its name. Throws 404, also for a database that is being deleted.
 */
export async function deleteDatabase(
  deps: Deps,
  caller: Caller,
  { id }: Input<typeof DeleteRoute>,
): Promise<Output<typeof DeleteRoute>> {
  const database = await findDatabase(deps, caller, id);
  const { accountId, applicationId, counted } = database;
  const deleting = {
    set: { status: 'DELETING', ...scheduleCheck(deps) },
    remove: ['counted'],
    when: { status: { isNot: 'DELETING' }, id: { is: id } },
  } as const;
  return await deps.commit(
    [
      change(Database, database, deleting, noSuchDatabase),
      change(App, { accountId, id: applicationId }, { add: { databaseCount: -1 } }, noSuchDatabase),
      ...(counted ? [change(Account, { id: accountId }, { add: { databaseCount: -1 } })] : []),
    ],
    { data: { id, deleted: true } },
    { before: viewDatabase(database) },
  );
}
