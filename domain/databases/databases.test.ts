import { expect, test } from 'vitest';
import { MAX_DATABASES } from '../../contract/databases/databases.ts';
import { Account } from '../../table/entities/accounts.ts';
import { App } from '../../table/entities/apps.ts';
import { Database } from '../../table/entities/databases.ts';
import { change, create, remove } from '../../table/writes.ts';
import { newSimulatedAccount } from '../../test/simulation/account.ts';
import { simulatedApp } from '../../test/simulation/app.ts';
import { simulation } from '../../test/simulation/simulation.ts';
import { createDatabase, deleteDatabase, getDatabase } from './databases.ts';

const accountId = 'acc_1';
const applicationId = 'app_1';
const caller = { accountId, keyId: '' };

/** An application without databases. */
async function world(fields: Partial<App> = {}) {
  const { steady, clock } = simulation({ startAt: Date.parse('2026-01-31T23:00:00Z') });
  const { deps } = steady;
  await deps.table.transact([
    newSimulatedAccount(accountId),
    create(App, simulatedApp({ id: applicationId, accountId, ...fields })),
  ]);
  return {
    deps,
    clock,
    create: async (name = 'main', id = applicationId) =>
      (await createDatabase({ ...deps, databaseRegion: 'eu-west-1' }, caller, { applicationId: id, name })).data,
    counts: async () => [
      (await deps.table.get(App, { accountId, id: applicationId }))?.databaseCount,
      (await deps.table.get(Account, { id: accountId }))?.databaseCount,
    ],
  };
}

const elsewhere = { code: 'conflict', message: expect.stringMatching(/not available where this application runs/) };
test.each([
  ['in another cell', { cellId: 'b' }, elsewhere],
  ['that is being moved to another cell', { moveId: 'mov_1', movingTo: 'b' }, elsewhere],
  ['that is being deleted', { status: 'DELETING' as const }, { code: 'not_found' }],
  [
    'with as many databases as it may have',
    { databaseCount: MAX_DATABASES },
    { code: 'conflict', message: expect.stringMatching(/at most 5 databases/) },
  ],
])('an application %s gets no database', async (_, fields, error) => {
  const { create, counts } = await world(fields);
  const before = await counts();
  await expect(create()).rejects.toMatchObject(error);
  await expect(create('main', 'app_0')).rejects.toMatchObject({ code: 'not_found' });
  expect(await counts()).toEqual(before);
});

test('a database counts for its application and its account, also the last one that the application may have', async () => {
  const { create, counts } = await world({ databaseCount: MAX_DATABASES - 1, drainingFrom: 'b' });
  await create();
  expect(await counts()).toEqual([MAX_DATABASES, 1]);
});

test('the DPUs of the last measurement are those of its month, and 0 in the next', async () => {
  const { deps, clock, create } = await world();
  const { id } = await create();
  const key = { applicationId, prefix: 'DATABASE_MAIN' };
  const databaseMetrics = { storageBytes: async () => 5, readUsage: () => expect.unreachable() };
  const units = async () => (await getDatabase({ ...deps, databaseMetrics }, caller, { id })).data.unitsThisMonth;
  expect(await units()).toBeNull();
  // Earlier versions stored no month.
  for (const set of [{ units: 7 }, { unitsMonth: '2026-01' }]) {
    await deps.table.transact([change(Database, key, { set })]);
    expect(await units()).toBe(7);
  }
  clock.now = Date.parse('2026-02-01T00:00:00Z');
  expect(await units()).toBe(0);
});

test.each([false, true])(
  'a deletion that another one precedes changes nothing (a database of the same name follows: %s)',
  async (isFollowed) => {
    const { deps, create: make, counts } = await world();
    const { id } = await make();
    const key = { applicationId, prefix: 'DATABASE_MAIN' };
    let isPreceded = false;
    const get: typeof deps.table.get = async (entity, of) => {
      const found = await deps.table.get(entity, of);
      if (Object.is(entity, Database) && !isPreceded) {
        isPreceded = true;
        await deleteDatabase(deps, caller, { id });
        if (isFollowed) await deps.table.transact([remove(Database, key)]);
        if (isFollowed) await make();
      }
      return found;
    };
    const late = deleteDatabase({ ...deps, table: { ...deps.table, get } }, caller, { id });
    await expect(late).rejects.toMatchObject({ code: 'not_found' });
    const { status } = (await deps.table.get(Database, key)) ?? {};
    expect([status, await counts()]).toEqual(isFollowed ? ['PROVISIONING', [1, 1]] : ['DELETING', [0, 0]]);
  },
);
