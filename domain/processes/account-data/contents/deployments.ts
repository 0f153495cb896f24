import { Move } from '../../../../table/entities/cells.ts';
import {
  Database,
  DatabaseUse,
  DeletedDatabase,
  databaseListOf,
  deletedDatabasesOf,
} from '../../../../table/entities/databases.ts';
import {
  BuildQueue,
  Deployment,
  deploymentsOf,
  NextBuild,
  Push,
  QueuedBuild,
  queuedBuildsOf,
} from '../../../../table/entities/deployments.ts';
import { QueuedRelease, ReleasePace } from '../../../../table/entities/releases.ts';
import { RouteWriter } from '../../../../table/entities/routes.ts';
import { type Contents, defineContents, defineUnread } from '../contents.ts';
import { itemReader, listReader, nestedReader, partitionReader } from '../item-readers.ts';
import { accountKeyOf } from './accounts.ts';
import { readApps } from './apps.ts';

const readDeployments = nestedReader(readApps, async function* (table, { id }, after) {
  for await (const item of table.each(Deployment, deploymentsOf(id), after)) yield [item.id, item];
});

/** Contents of an account: deployments with their queues, and databases. */
export const DEPLOYMENT_CONTENTS: readonly Contents[] = [
  defineContents(
    Deployment,
    'teardown',
    {
      file: 'deployments',
      shows: [
        'id',
        'applicationId',
        'status',
        'trigger',
        'commitSha',
        'startedAt',
        'finishedAt',
        'notes',
        'beganAt',
        'builtAt',
        'buildMs',
        'release',
        'builtBy',
        'retired',
        'cancelled',
      ],
      omits: {
        accountId: 'elsewhere',
        buildId: 'internal',
        waiting: 'internal',
        movedBy: 'internal',
        admittedAt: 'internal',
        switchingAt: 'internal',
        releaseQueue: 'internal',
        dueAt: 'internal',
      },
    },
    readDeployments,
  ),
  defineUnread(Move, 'expires', 'brief'),
  defineUnread(Push, 'expires', 'brief'),
  defineContents(QueuedBuild, 'removed', 'brief', partitionReader(QueuedBuild, queuedBuildsOf)),
  defineContents(BuildQueue, 'removed', 'internal', itemReader(BuildQueue, accountKeyOf)),
  defineUnread(NextBuild, 'stays', 'platform'),
  defineUnread(QueuedRelease, 'expires', 'brief'),
  defineUnread(ReleasePace, 'stays', 'platform'),
  defineUnread(RouteWriter, 'stays', 'platform'),
  defineContents(
    Database,
    'teardown',
    {
      file: 'databases',
      shows: [
        'id',
        'applicationId',
        'name',
        'prefix',
        'status',
        'region',
        'host',
        'port',
        'failureReason',
        'access',
        'units',
        'unitsMonth',
        'storageBytes',
        'measuredAt',
        'createdAt',
      ],
      omits: {
        accountId: 'elsewhere',
        clusterId: 'internal',
        generation: 'internal',
        appliedGeneration: 'internal',
        counted: 'internal',
        appliedAccess: 'internal',
        measured: 'internal',
        unmade: 'internal',
        dueAt: 'internal',
      },
    },
    listReader(Database, databaseListOf),
  ),
  defineContents(DatabaseUse, 'removed', 'internal', itemReader(DatabaseUse, accountKeyOf)),
  defineContents(DeletedDatabase, 'removed', 'internal', partitionReader(DeletedDatabase, deletedDatabasesOf)),
];
