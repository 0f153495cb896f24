import { expect, test } from 'vitest';
import { Database } from '../../table/entities/databases.ts';
import { create } from '../../table/writes.ts';
import { simulation } from '../../test/simulation/simulation.ts';
import { jobDatabases } from './release.ts';

const applicationId = 'app_1';

test('a build receives the databases that are available, oldest first, their passwords, and the names of those in creation', async () => {
  const { deps } = simulation().steady;
  const signed: unknown[] = [];
  const databasePasswords = {
    create: async (...asked: unknown[]) => `password ${signed.push(asked)}`,
  };
  const add = (id: string, fields: Partial<Database>) => {
    const [region, createdAt] = ['eu-west-1', deps.now().toISOString()];
    const prefix = `DATABASE_${id.toUpperCase()}`;
    const made = { id, applicationId, accountId: 'acc_1', name: id, prefix, region, host: `${id}.on.aws`, createdAt };
    return deps.table.transact([create(Database, { ...made, status: 'AVAILABLE', clusterId: `c-${id}`, ...fields })]);
  };
  await add('b', { generation: 2 });
  await add('a', { port: 14000, access: 'ALL' });
  await add('c', { access: 'OWNER' });
  await add('d', { status: 'PROVISIONING', host: null });
  await add('e', { status: 'DELETING' });
  expect(await jobDatabases({ ...deps, databasePasswords }, applicationId, 'dep_1')).toEqual({
    databases: [
      { prefix: 'DATABASE_A', host: 'a.on.aws', port: 14000, region: 'eu-west-1' },
      { prefix: 'DATABASE_B', host: 'b.on.aws', region: 'eu-west-1' },
      { prefix: 'DATABASE_C', host: 'c.on.aws', region: 'eu-west-1' },
    ],
    databasePasswords: { DATABASE_A: 'password 1', DATABASE_B: 'password 2' },
    pendingDatabases: ['d'],
  });
  const session = { name: 'dep_1', seconds: 3600 };
  expect(signed).toEqual([
    [{ clusterId: 'c-a', host: 'a.on.aws', region: 'eu-west-1', generation: 0 }, session],
    [{ clusterId: 'c-b', host: 'b.on.aws', region: 'eu-west-1', generation: 2 }, session],
  ]);
  expect(await jobDatabases({ ...deps, databasePasswords }, 'app_2', 'dep_2')).toEqual({ databases: [] });
});
