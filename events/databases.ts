import { startProvisioning } from '../domain/databases/provisioning.ts';
import { Database } from '../table/entities/databases.ts';
import { on, type Rules } from './on.ts';

export type DatabaseRuleDeps = Parameters<typeof startProvisioning>[0];

/** Rules about databases. */
export const databaseRules = (deps: DatabaseRuleDeps): Rules => ({
  'database.provision': on(Database).created((database) => startProvisioning(deps, database, database.id)),
});
