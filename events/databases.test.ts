import { expect, test } from 'vitest';
import { migrate } from '../domain/processes/migrate.ts';
import { Database, DatabaseUse } from '../table/entities/databases.ts';
import { changeByKey, create } from '../table/writes.ts';
import { simulation } from '../test/simulation/simulation.ts';
import { consume } from './consume.ts';
import { databaseRules } from './databases.ts';

test('databases from before their use was measured are measured after the migration, and a change of their access reaches their cluster', async () => {
  const { steady, memory } = simulation();
  const { deps } = steady;
  const key = { applicationId: 'app_1', prefix: 'A' };
  const common = { ...key, accountId: 'acc_1', name: 'a', region: 'eu-west-1', createdAt: deps.now().toISOString() };
  const old = { ...common, id: 'db_1', status: 'AVAILABLE' as const, clusterId: 'cluster_1', host: 'h' };
  await deps.table.transact([create(Database, old)]);
  const first = changeByKey(Database.key(key), { set: { entityVersion: 1 } }, () => new Error('gone'));
  await deps.table.transact([first]);
  const sent: { job: string; detail?: string | undefined }[] = [];
  const queue = { send: async (jobs: typeof sent) => void sent.push(...jobs) };
  const rules = databaseRules({ ...deps, jobs: { workflows: queue } as never });
  const follow = async () => {
    const Records = memory.records.splice(0) as never;
    await consume(rules)({ Records });
  };
  await follow();
  expect(await deps.table.get(DatabaseUse, { accountId: 'acc_1' })).toBeUndefined();
  await migrate(deps);
  await follow();
  expect(await deps.table.get(DatabaseUse, { accountId: 'acc_1' })).toMatchObject({ dueAt: deps.now().toISOString() });
  sent.length = 0;
  const set = { access: 'OWNER', measuredAt: '2026-01-10T00:00:00.000Z' };
  await deps.table.transact([changeByKey(Database.key(key), { set }, () => new Error('gone'))]);
  await follow();
  expect(sent).toMatchObject([{ job: 'database.start-work', detail: 'db_1-access-1768003200000' }]);
});
