import { startMeasuring } from '../domain/databases/use.ts';
import type { Deps } from '../domain/deps.ts';
import { Database } from '../table/entities/databases.ts';
import { type HandOverDeps, handOverTo } from './hand-over.ts';
import { on, type Rules } from './on.ts';

/** Rules about databases. */
export const databaseRules = (deps: Pick<Deps, 'table' | 'now'> & HandOverDeps): Rules => {
  const start = handOverTo(deps, 'workflows', Database);
  return {
    'database.provision': on(Database).created(start('database.start-work', ({ id }) => id)),
    'database.revoke-passwords': on(Database).changes(
      'generation',
      start('database.start-work', ({ id, generation }) => `${id}-reset-${generation}`),
    ),
    'database.apply-access': on(Database).changes(
      'access',
      start('database.start-work', ({ id, measuredAt = '' }) => `${id}-access-${Date.parse(measuredAt)}`),
    ),
    'database.measure-use': on(Database).sets('measured', ({ accountId }) => startMeasuring(deps, accountId)),
    'database.delete': on(Database).becomes(
      { status: 'DELETING' },
      start('database.start-work', ({ id }) => `${id}-deletion`),
    ),
  };
};
