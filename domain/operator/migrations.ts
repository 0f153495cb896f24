import type { listMigrations as Route } from '../../contract/operator/migrations.ts';
import type { Output } from '../../contract/route.ts';
import { MIGRATIONS } from '../../table/migrations/migrations.ts';
import type { Deps } from '../deps.ts';
import { readMigrations } from '../processes/migrate.ts';

/** GET /operator/v1/migrations. Lists the newest migration first, including this version's migrations that have not started. */
export async function listMigrations(deps: Pick<Deps, 'table'>): Promise<Output<typeof Route>> {
  const { runs } = await readMigrations(deps);
  const started = runs.map(({ name, status, scanned, changed, failed, failures, startedAt, finishedAt = null }) => ({
    name,
    status,
    scanned,
    changed,
    failed,
    startedAt,
    finishedAt,
    failures: failures.map(({ pk, sk, error }) => ({ pk, sk, error })),
  }));
  const pending = MIGRATIONS.filter(({ name }) => runs.every((run) => run.name !== name)).map(({ name }) => ({
    name,
    status: 'PENDING',
    scanned: 0,
    changed: 0,
    failed: 0,
    failures: [],
    startedAt: null,
    finishedAt: null,
  }));
  return { data: [...started, ...pending].reverse(), has_more: false };
}
