import { startMaking } from '../domain/databases/provisioning.ts';
import { Database } from '../table/entities/databases.ts';
import { follow, type Rule } from './consume.ts';

export type DatabaseRuleDeps = Parameters<typeof startMaking>[0];

/** How databases come to be made. */
export const databaseRules = (deps: DatabaseRuleDeps): Rule[] => [
  {
    id: 'database-is-made',
    flavor: follow,
    eventType: 'database-created',
    act: ({ event }) => {
      const database = Database.parse(event.raw.new);
      return startMaking(deps, database, database.id);
    },
  },
];
