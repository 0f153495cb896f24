import { Database } from '../table/entities/databases.ts';
import { type HandOverDeps, handOverTo } from './hand-over.ts';
import { on, type Rules } from './on.ts';

/** Rules about databases. */
export const databaseRules = (deps: HandOverDeps): Rules => {
  const start = handOverTo(deps, 'workflows', Database);
  return {
    'database.provision': on(Database).created(start('database.start-work', ({ id }) => id)),
    'database.revoke-passwords': on(Database).changes(
      'generation',
      start('database.start-work', ({ id, generation }) => `${id}-reset-${generation}`),
    ),
    'database.delete': on(Database).becomes(
      { status: 'DELETING' },
      start('database.start-work', ({ id }) => `${id}-deletion`),
    ),
  };
};
