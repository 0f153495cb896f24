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
import { type Contents, contents, unread } from '../contents.ts';
import { inPartition, listed, one, under } from '../readers.ts';
import { ofAccount } from './accounts.ts';
import { apps } from './apps.ts';

const deployments = under(apps, async function* (table, { id }, after) {
  for await (const item of table.each(Deployment, deploymentsOf(id), after)) yield [item.id, item];
});

/** Deployments with what waits for them, and databases. */
export const DEPLOYMENT_CONTENTS: readonly Contents[] = [
  contents(
    Deployment,
    'teardown',
    {
      file: 'deployments',
      shows: [
        ...(['id', 'applicationId', 'status', 'trigger', 'commitSha', 'startedAt', 'finishedAt', 'notes'] as const),
        ...(['beganAt', 'builtAt', 'buildMs', 'release', 'builtBy', 'retired', 'cancelled'] as const),
      ],
      omits: {
        accountId: 'elsewhere',
        buildId: 'internal',
        waiting: 'internal',
        movedBy: 'internal',
        admittedAt: 'internal',
        releaseQueue: 'internal',
        dueAt: 'internal',
      },
    },
    deployments,
  ),
  unread(Move, 'expires', 'brief'),
  unread(Push, 'expires', 'brief'),
  contents(QueuedBuild, 'removed', 'brief', inPartition(QueuedBuild, queuedBuildsOf)),
  contents(BuildQueue, 'removed', 'internal', one(BuildQueue, ofAccount)),
  unread(NextBuild, 'stays', 'platform'),
  unread(QueuedRelease, 'expires', 'brief'),
  unread(ReleasePace, 'stays', 'platform'),
  unread(RouteWriter, 'stays', 'platform'),
  contents(
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
    listed(Database, databaseListOf),
  ),
  contents(DatabaseUse, 'removed', 'internal', one(DatabaseUse, ofAccount)),
  contents(DeletedDatabase, 'removed', 'internal', inPartition(DeletedDatabase, deletedDatabasesOf)),
];
