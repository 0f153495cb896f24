import { expect, test } from 'vitest';
import type { DatabaseAccess } from '../../contract/enums.ts';
import type { Databases } from '../../providers/databases/databases.ts';
import type { DatabaseUsage } from '../../providers/databases/metrics.ts';
import type { DatabasePasswords } from '../../providers/databases/passwords.ts';
import { Account } from '../../table/entities/accounts.ts';
import { App } from '../../table/entities/apps.ts';
import { Database, DatabaseUse } from '../../table/entities/databases.ts';
import { bringForward } from '../../table/migrations/migration.ts';
import { MIGRATIONS } from '../../table/migrations/migrations.ts';
import { create } from '../../table/writes.ts';
import { newSimulatedAccount } from '../../test/simulation/account.ts';
import { simulatedApp } from '../../test/simulation/app.ts';
import { interruptEach, simulation } from '../../test/simulation/simulation.ts';
import { overrideLimits } from '../limits/overrides.ts';
import { sweep } from '../sweep/sweep.ts';
import { advanceDatabase } from './clusters.ts';
import { deleteDatabase } from './databases.ts';
import { createDatabasePassword } from './passwords.ts';
import { databaseUseQueue, reviewLimits, startMeasuring } from './use.ts';

const MIB = 1024 ** 2;
const accountId = 'acc_1';
const caller = { accountId, keyId: '' };
const HOUR = 3_600_000;

/** An account with two databases, limits of 100 MiB and 1,000 DPUs, and clusters whose use a test decides. */
async function world(startAt = '2026-01-10T00:00:00Z') {
  const { steady, clock, memory, startProcess } = simulation({ startAt: Date.parse(startAt) });
  const { deps } = steady;
  const usage = new Map<string, DatabaseUsage>();
  const reads: (readonly string[])[] = [];
  const clusters = new Map<string, DatabaseAccess>();
  const databaseMetrics = {
    async readUsage(ids: readonly string[]) {
      reads.push(ids);
      return new Map(ids.flatMap((id) => (usage.has(id) ? [[id, usage.get(id) as DatabaseUsage] as const] : [])));
    },
  };
  const databases = {
    setAccess: async (id, { access }) => void clusters.set(id, access),
    find: async (id) => ({ id, status: 'READY', host: 'h' }),
    remove: async () => undefined,
  } as Partial<Databases> as Databases;
  const keys = ['a', 'b'].map((name) => ({ applicationId: 'app_1', prefix: name }));
  const common = { accountId, region: 'eu-west-1', status: 'AVAILABLE' as const, createdAt: deps.now().toISOString() };
  await deps.table.transact([
    newSimulatedAccount(accountId, { limits: { databaseStorageMib: 100, databaseUnitsPerMonth: 1000 } }),
    create(App, simulatedApp({ id: 'app_1', accountId, databaseCount: 2 })),
    ...keys.map((key) =>
      create(Database, {
        ...common,
        ...key,
        id: `db_${key.prefix}`,
        name: key.prefix,
        host: 'h',
        clusterId: `cluster_${key.prefix}`,
      }),
    ),
  ]);
  await startMeasuring(deps, accountId);
  const measure = async (by = deps) => (await sweep({ ...by, databaseMetrics }, databaseUseQueue)).results;
  return {
    deps,
    clock,
    memory,
    startProcess,
    reads,
    clusters,
    measure,
    use: (units: number, mib = 1, name = 'a') => void usage.set(`cluster_${name}`, { units, storageBytes: mib * MIB }),
    account: () => deps.table.get(Account, { id: accountId }),
    read: (name: string) => deps.table.get(Database, { applicationId: 'app_1', prefix: name }),
    due: async () => (await deps.table.get(DatabaseUse, { accountId }))?.dueAt,
    /** Runs the step of the state machine for both databases. */
    async apply() {
      for (const key of keys) await advanceDatabase({ ...deps, databases }, key);
      return [...clusters.values()];
    },
    createPassword: () =>
      createDatabasePassword(
        { ...deps, databasePasswords: { create: async () => 'secret' } satisfies DatabasePasswords },
        caller,
        { id: 'db_a' },
      ),
    async remove(name: string) {
      await deleteDatabase(deps, caller, { id: `db_${name}` });
      await advanceDatabase({ ...deps, databases }, { applicationId: 'app_1', prefix: name });
    },
  };
}

test('the use is stored on the account and on each database, and below the limits everyone may connect', async () => {
  const { use, measure, account, read, apply, reads, clusters, due, clock } = await world();
  use(300, 20, 'a');
  use(99.5, 29.5, 'b');
  expect(await measure()).toEqual([{ accountId, databases: 2, mib: 50, units: 400, newUnits: 400 }]);
  expect(await account()).toMatchObject({ databaseMib: 50, databaseMonth: '2026-01', databaseUnits: 400 });
  expect(await read('b')).toMatchObject({ units: 99.5, unitsMonth: '2026-01', storageBytes: 29.5 * MIB });
  expect((await read('a'))?.access).toBeUndefined();
  expect(await apply()).toEqual([]);
  expect(clusters.size).toBe(0);
  // Half of a limit is used: the next measurement comes sooner.
  expect(await due()).toBe('2026-01-10T01:00:00.000Z');
  expect(reads).toEqual([['cluster_a', 'cluster_b']]);
  use(450, 1, 'a');
  use(0, 1, 'b');
  clock.now += HOUR;
  expect(await measure()).toMatchObject([{ units: 450, newUnits: 50 }]);
  expect(await due()).toBe('2026-01-10T04:00:00.000Z');
});

test.each([
  ['processing', { units: 1000, mib: 0 }, 1.25],
  ['storage', { units: 0, mib: 100 }, 512],
] as const)(
  'at the limit of %s applications are refused, far beyond it their owner too, and both are let in below it again',
  async (_, limit, factor) => {
    const run = await world();
    const steps: [number, DatabaseAccess][] = [
      [0.99, 'ALL'],
      [1, 'OWNER'],
      [factor - 0.01, 'OWNER'],
      [factor, 'NONE'],
      [1, 'OWNER'],
      [0.5, 'ALL'],
    ];
    for (const [share, access] of steps) {
      run.use(limit.units * share, limit.mib * share);
      await run.measure();
      const applied = await run.apply();
      expect([share, (await run.read('a'))?.access ?? 'ALL', ...applied]).toEqual([
        share,
        access,
        ...(share === 0.99 ? [] : [access, access]),
      ]);
      expect((await run.read('b'))?.dueAt).toBeUndefined();
      const password = run.createPassword();
      if (access === 'NONE')
        await expect(password).rejects.toMatchObject({
          code: 'plan_limit',
          message: expect.stringMatching(/\(database/),
        });
      else expect((await password).data.password).toBe('secret');
      run.clock.now += HOUR;
    }
  },
);

test('an access that changed back before it was applied leaves nothing pending once it is applied', async () => {
  const { use, measure, read, apply, clock } = await world();
  for (const [units, access] of [
    [1000, 'OWNER'],
    [1, 'ALL'],
  ] as const) {
    use(units);
    await measure();
    expect(await read('a')).toMatchObject({ access, dueAt: expect.any(String) });
    clock.now += HOUR;
  }
  expect(await apply()).toEqual(['ALL', 'ALL']);
  expect((await read('a'))?.dueAt).toBeUndefined();
});

test('an owner who changes to a much smaller plan can still connect to delete or export data', async () => {
  const { use, measure, read, deps } = await world();
  await overrideLimits(deps, accountId, { databaseStorageMib: null });
  // As much as the largest plan allows.
  use(0, 25_600);
  await measure();
  expect(await read('a')).toMatchObject({ access: 'OWNER' });
  await overrideLimits(deps, accountId, { databaseStorageMib: 40_000 });
  use(0, 79_999);
  await startMeasuring(deps, accountId);
  await measure();
  expect(await read('a')).toMatchObject({ access: 'OWNER' });
  use(0, 80_000);
  await startMeasuring(deps, accountId);
  await measure();
  expect(await read('a')).toMatchObject({ access: 'NONE' });
});

test('a month begins with no use, and its first measurement lets applications connect again', async () => {
  const { use, measure, read, account, due, clock, apply } = await world('2026-01-31T23:30:00Z');
  use(2000);
  await measure();
  expect(await read('a')).toMatchObject({ access: 'NONE' });
  expect(await due()).toBe('2026-02-01T00:05:00.000Z');
  clock.now = Date.parse('2026-02-01T00:05:00Z');
  use(3);
  expect(await measure()).toMatchObject([{ units: 3, newUnits: 3 }]);
  expect(await account()).toMatchObject({ databaseMonth: '2026-02', databaseUnits: 3 });
  expect(await apply()).toEqual(['ALL', 'ALL']);
});

test('only accounts that have reached a limit are due at the end of a month', async () => {
  const { use, measure, due } = await world('2026-01-31T23:30:00Z');
  use(999);
  await measure();
  expect(await due()).toBe('2026-02-01T00:30:00.000Z');
});

test('a month that begins during a measurement begins with no use', async () => {
  const { use, deps, clock, measure, account, read, remove } = await world('2026-01-31T22:30:00Z');
  use(900, 1, 'a');
  await remove('a');
  await measure();
  clock.now = Date.parse('2026-01-31T23:59:59Z');
  const databaseMetrics = {
    async readUsage() {
      clock.now = Date.parse('2026-02-01T00:00:01Z');
      return new Map(['a', 'b'].map((name) => [`cluster_${name}`, { units: 900, storageBytes: undefined }]));
    },
  };
  await startMeasuring(deps, accountId);
  await sweep({ ...deps, databaseMetrics }, databaseUseQueue);
  expect(await read('b')).toMatchObject({ units: 900, unitsMonth: '2026-01' });
  expect(await deps.table.get(DatabaseUse, { accountId })).toMatchObject({
    settledMonth: '2026-01',
    settledUnits: 900,
  });
  clock.now = Date.parse('2026-02-01T02:59:59Z');
  use(0, 1, 'b');
  expect(await measure()).toMatchObject([{ units: 0 }]);
  expect(await account()).toMatchObject({ databaseMonth: '2026-02', databaseUnits: 0 });
  expect(await read('b')).toMatchObject({ access: 'ALL', unitsMonth: '2026-02' });
});

test('two measurements at once record one change of the access of each database', async () => {
  await interruptEach(async ({ by }) => {
    const { use, measure, read, memory, startProcess } = await world();
    use(1000);
    await measure(startProcess({ faults: by(() => measure()) }).deps);
    expect(await read('a')).toMatchObject({ access: 'OWNER', units: 1000 });
    expect(
      memory
        .items('AUDIT')
        .map(({ subjectId }) => subjectId)
        .toSorted(),
    ).toEqual(['db_a', 'db_b']);
  });
});

test('a raised limit starts a measurement immediately and lets applications connect', async () => {
  const { use, measure, read, account, deps, apply, memory } = await world();
  use(1000);
  await measure();
  expect(await read('a')).toMatchObject({ access: 'OWNER' });
  expect(memory.items('AUDIT')).toMatchObject(
    ['a', 'b'].map((name) => ({
      action: 'database.access-changed',
      actor: { kind: 'PLATFORM' },
      subjectId: `db_${name}`,
    })),
  );
  expect(await measure()).toEqual([]);
  await overrideLimits(deps, accountId, { databaseUnitsPerMonth: 2000 });
  await reviewLimits(deps, (await account()) ?? expect.unreachable());
  await measure();
  expect(await apply()).toEqual(['ALL', 'ALL']);
});

test('the DPUs of a deleted database count until the month ends, and its storage does not', async () => {
  const { use, measure, account, remove, due, reads, clock, deps } = await world();
  use(900, 80, 'a');
  use(50, 1, 'b');
  await measure();
  await remove('a');
  await measure();
  expect(await account()).toMatchObject({ databaseUnits: 950, databaseMib: 1 });
  await remove('b');
  await measure();
  expect(await account()).toMatchObject({ databaseUnits: 950, databaseMib: 0 });
  expect(reads.at(-1)?.toSorted()).toEqual(['cluster_a', 'cluster_b']);
  // An hour later nothing is missing: its clusters are not measured any more.
  for (let hours = 0; hours < 2; hours += 1) {
    clock.now += HOUR;
    await measure();
    expect(await account()).toMatchObject({ databaseUnits: 950, databaseMib: 0 });
  }
  expect(reads.at(-1)).toEqual([]);
  expect(await due()).toBeUndefined();
  clock.now = Date.parse('2026-02-01T12:00:00Z');
  await startMeasuring(deps, accountId);
  expect(await measure()).toMatchObject([{ units: 0 }]);
});

test('a database that is created during a measurement is not missed by the next', async () => {
  const { use, deps, due, read } = await world();
  use(1);
  const databaseMetrics = {
    async readUsage() {
      await startMeasuring(deps, accountId);
      return new Map<string, DatabaseUsage>();
    },
  };
  await sweep({ ...deps, databaseMetrics }, databaseUseQueue);
  expect(await due()).toBe(deps.now().toISOString());
  expect(await read('a')).toBeDefined();
});

test.each(['deleted', 'replaced'])('a database that is %s during a measurement is left as it is', async (what) => {
  const { deps, read, remove } = await world();
  const former = await read('a');
  let meanwhile: Database | undefined;
  const databaseMetrics = {
    async readUsage(ids: readonly string[]) {
      if (what === 'deleted') await deleteDatabase(deps, caller, { id: 'db_a' });
      else {
        await remove('a');
        if (former)
          await deps.table.transact([create(Database, { ...former, id: 'db_new', clusterId: 'cluster_new' })]);
      }
      meanwhile = await read('a');
      return new Map(ids.map((id) => [id, { units: 2000, storageBytes: MIB }]));
    },
  };
  await sweep({ ...deps, databaseMetrics }, databaseUseQueue);
  expect(meanwhile).toMatchObject(what === 'deleted' ? { status: 'DELETING' } : { id: 'db_new' });
  expect(await read('a')).toEqual(meanwhile);
  expect(await read('b')).toMatchObject({ access: 'NONE' });
});

test('a limit of 0 lets not even the owner connect, whatever is stored', async () => {
  const { deps, measure, read } = await world();
  await overrideLimits(deps, accountId, { databaseStorageMib: 0 });
  await measure();
  expect(await read('a')).toMatchObject({ access: 'NONE' });
});

test('without a value from CloudWatch the stored size stays, and if CloudWatch fails nothing changes', async () => {
  const { use, measure, account, deps, read, clock } = await world();
  use(10, 60);
  await measure();
  clock.now += 3 * HOUR;
  const none = { readUsage: async () => new Map([['cluster_a', { units: 11, storageBytes: undefined }]]) };
  await sweep({ ...deps, databaseMetrics: none }, databaseUseQueue);
  expect(await account()).toMatchObject({ databaseMib: 60, databaseUnits: 11 });
  expect(await read('a')).toMatchObject({ storageBytes: 60 * MIB });
  clock.now += 3 * HOUR;
  const failing = { readUsage: () => Promise.reject(new Error('throttled')) };
  const { failed } = await sweep({ ...deps, databaseMetrics: failing }, databaseUseQueue);
  expect(failed).toMatchObject([{ failures: 1 }]);
  expect(await account()).toMatchObject({ databaseMib: 60, databaseUnits: 11 });
});

test('the measurement of a deleted account ends', async () => {
  const { steady } = simulation({});
  const { deps } = steady;
  await startMeasuring(deps, 'acc_gone');
  const databaseMetrics = { readUsage: async () => expect.unreachable() };
  await sweep({ ...deps, databaseMetrics }, databaseUseQueue);
  expect(await deps.table.get(DatabaseUse, { accountId: 'acc_gone' })).toBeUndefined();
});

test('a migration marks the databases of earlier versions for measurement', () => {
  const migrations = MIGRATIONS.filter(({ entity }) => entity === 'DATABASE');
  expect(bringForward(migrations, { id: 'db_1' })).toMatchObject({ measured: true });
});
