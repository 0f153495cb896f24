import {
  type createDatabase as CreateRoute,
  type listDatabases as ListRoute,
  MAX_DATABASES,
} from '../../contract/databases/databases.ts';
import { ApiError } from '../../contract/errors.ts';
import type { Input, Output } from '../../contract/route.ts';
import { App } from '../../table/entities/apps.ts';
import { Database, databaseListOf, databasesOf } from '../../table/entities/databases.ts';
import { schedule } from '../../table/schedule.ts';
import { changeOrInspect, create } from '../../table/writes.ts';
import { noSuchApp } from '../apps/apps.ts';
import type { Caller, Deps } from '../deps.ts';
import { countTowards } from '../limits/limits.ts';

export const ENGINE = 'aurora-dsql' as const;

/** Time without progress after which the reconciler takes over the creation of a database, in milliseconds. */
const HEARTBEAT_TIMEOUT_MS = 300_000;
/** Returns the attributes that have the reconciler start the provisioning of a database again. */
export const scheduleCheck = ({ now }: Pick<Deps, 'now'>) =>
  schedule(Database, new Date(now().getTime() + HEARTBEAT_TIMEOUT_MS));

/** `my-orders` → `DATABASE_MY_ORDERS`: what the names of its variables begin with. */
const variablePrefix = (name: string) => `DATABASE_${name.toUpperCase().replaceAll('-', '_')}`;

/**
 * Suffixes of the variables that describe a database to its application (builder/package/databases.ts sets them at
 * start).
 */
const VARIABLES = ['URL', 'HOST', 'PORT', 'NAME', 'USER', 'REGION'];

/** A database as the dashboard shows it. */
function view(database: Database) {
  const { id, applicationId, name, prefix, status, region, host, createdAt } = database;
  const failureReason = database.failureReason ?? null;
  const variables = VARIABLES.map((each) => `${prefix}_${each}`);
  return { id, applicationId, name, engine: ENGINE, status, region, host, failureReason, variables, createdAt };
}

/** POST /v1/databases: the stream has it made. Of two racing calls with one name exactly one gets it. */
export async function createDatabase(
  deps: Deps & { databaseRegion: string },
  { accountId }: Caller,
  { applicationId, name }: Input<typeof CreateRoute>,
): Promise<Output<typeof CreateRoute>> {
  const now = deps.now();
  const database: Database = {
    ...{ id: deps.newId('db'), accountId, applicationId, name, prefix: variablePrefix(name) },
    ...{ status: 'PROVISIONING', region: deps.databaseRegion, host: null, counted: true, createdAt: now.toISOString() },
    dueAt: scheduleCheck(deps).dueAt,
  };
  const count = changeOrInspect(
    App,
    { accountId, id: applicationId },
    {
      add: { databaseCount: 1 },
      when: { databaseCount: { absentOrBelow: MAX_DATABASES }, status: { isNot: 'DELETING' } },
    },
    (app) =>
      app && app.status !== 'DELETING'
        ? new ApiError('conflict', `An application has at most ${MAX_DATABASES} databases.`)
        : noSuchApp(),
  );
  const taken = () => new ApiError('conflict', `name: this application has a database named ${name} already`);
  const ofAccount = countTowards(deps, accountId, ['databases']);
  return await deps.commit([count, create(Database, database, taken), ofAccount], { data: view(database) });
}

/** GET /v1/databases */
export async function listDatabases(
  deps: Deps,
  { accountId }: Caller,
  page: Input<typeof ListRoute>,
): Promise<Output<typeof ListRoute>> {
  const { items, hasMore } = await deps.table.list(Database, databaseListOf(accountId), page);
  return { data: items.map(view), has_more: hasMore };
}

/** The databases that a release of an application knows, oldest first. */
export async function releaseDatabases(
  deps: Deps,
  applicationId: string,
): Promise<{ prefix: string; host: string; port?: number; region: string }[]> {
  const all = await deps.table.all(Database, databasesOf(applicationId));
  return all
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .flatMap(({ prefix, host, port, region }) =>
      host === null ? [] : [{ prefix, host, ...(port ? { port } : {}), region }],
    );
}
