import { startClusterWork } from '../domain/databases/clusters.ts';
import { Database } from '../table/entities/databases.ts';
import { on, type Rules } from './on.ts';

export type DatabaseRuleDeps = Parameters<typeof startClusterWork>[0];

/** Rules about databases. */
export const databaseRules = (deps: DatabaseRuleDeps): Rules => ({
  'database.provision': on(Database).created((database) => startClusterWork(deps, database, database.id)),
  'database.revoke-passwords': on(Database).changes('generation', (database) =>
    startClusterWork(deps, database, `${database.id}-reset-${database.generation}`),
  ),
  'database.delete': on(Database).becomes({ status: 'DELETING' }, (database) =>
    startClusterWork(deps, database, `${database.id}-deletion`),
  ),
});
