import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { AWS_LIMITS } from '../../contract/limits/aws-limits.ts';
import { type Dsql, startDsql } from '../../local/emulators/dsql/dsql.ts';
import { createDatabases, type Databases } from '../../providers/databases/databases.ts';
import { Account } from '../../table/entities/accounts.ts';
import { App } from '../../table/entities/apps.ts';
import { AuditEntry } from '../../table/entities/audit.ts';
import { Database, DatabaseUse } from '../../table/entities/databases.ts';
import { change, create, remove } from '../../table/writes.ts';
import { deploymentSimulation } from '../../test/simulation/deployments.ts';
import { incidentsOfEntry } from '../processes/incidents.ts';
import { advanceDatabase } from './clusters.ts';
import { deleteDatabase } from './databases.ts';
import { createDatabasePassword, resetDatabasePasswords } from './passwords.ts';
import { removeDatabases } from './removal.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'provisioning-'));
const ARN_PREFIX = 'arn:aws:dsql:eu-west-1:000000000000:cluster/';
let dsql: Dsql;
let databases: Databases;

beforeAll(async () => {
  dsql = await startDsql({ dataDir, region: 'eu-west-1', accountId: '000000000000', createFor: 0, strict: true });
  for (const [name, value] of [
    ['AWS_ACCESS_KEY_ID', 'local'],
    ['AWS_SECRET_ACCESS_KEY', 'local'],
    ['AWS_ENDPOINT_URL_DSQL', dsql.url],
  ] as const)
    vi.stubEnv(name, value);
  databases = createDatabases('eu-west-1', ARN_PREFIX);
});
afterEach(() => {
  vi.restoreAllMocks();
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await dsql.stop();
  rmSync(dataDir, { recursive: true });
});

/** Creates a cluster that takes its time. */
const createPending: Databases['create'] = async (...given) => ({
  ...(await databases.create(...given)),
  status: 'PENDING',
});

/** A database that is being provisioned, at a time. */
async function provisioning(id: string) {
  const { deps, ids, clock, memory } = await deploymentSimulation();
  await deps.table.write(
    App,
    change(App, { accountId: ids.accountId, id: ids.applicationId }, { set: { databaseCount: 1 } }),
  );
  const settings = { ...deps.settings, hostArnOf: (of: string) => `arn:${of}` };
  const key = { applicationId: ids.applicationId, prefix: id };
  const createdAt = deps.now().toISOString();
  await deps.table.transact([
    create(Database, {
      ...key,
      id,
      accountId: ids.accountId,
      name: id,
      status: 'PROVISIONING',
      region: 'eu-west-1',
      host: null,
      createdAt,
      dueAt: createdAt,
    }),
  ]);
  return {
    clock,
    /** The notifications of the owner, as the stream derives them from the audit log. */
    incidents: async () => {
      const entries = memory.items(AuditEntry.type).map((item) => AuditEntry.parse(item));
      return (await Promise.all(entries.map((entry) => incidentsOfEntry(deps, entry)))).flat();
    },
    provision: (from: Databases = databases, look?: { orphan?: string }) =>
      advanceDatabase({ ...deps, settings, databases: from }, { ...key, ...(look ? { look } : {}) }),
    remove: (from: Databases = databases) => removeDatabases({ ...deps, settings, databases: from }, ids.applicationId),
    deps,
    caller: { accountId: ids.accountId, keyId: '' },
    read: () => deps.table.get(Database, key),
  };
}

test('a database beyond the quota of clusters fails immediately with a reason, and can be removed', async () => {
  const others: string[] = [];
  for (let number = 1; number <= AWS_LIMITS.dsqlClusters.value; number += 1)
    others.push((await databases.create(`db_${number}`, 'arn:x')).id);
  const { provision, read, remove, deps } = await provisioning('db_beyond');
  expect(await provision()).toEqual({ done: true });
  const failed = await read();
  expect(failed).toMatchObject({
    status: 'FAILED',
    host: null,
    failureReason: expect.stringMatching(/cannot create any more/),
  });
  expect(failed?.dueAt).toBeUndefined();
  expect(await provision()).toEqual({ done: true });
  // The reason is for people: other words change nothing.
  if (failed) await deps.table.write(Database, change(Database, failed, { set: { failureReason: 'Too many.' } }));
  await remove({ ...databases, create: () => expect.unreachable() });
  expect(await read()).toBeUndefined();
  // An application that is deleted while its database meets the quota is removed too.
  const other = await provisioning('db_deleted');
  await other.remove();
  expect(await other.read()).toBeUndefined();
  for (const id of others) await databases.remove(id);
});

test('a database is measured from the end of its provisioning on, although the stream has lost its creation', async () => {
  const { provision, deps, caller } = await provisioning('db_measured');
  const { accountId } = caller;
  expect(await deps.table.get(DatabaseUse, { accountId })).toBeUndefined();
  await provision();
  expect(await deps.table.get(DatabaseUse, { accountId })).toMatchObject({ dueAt: deps.now().toISOString() });
});

test.each(['deleted', 'removed', 'deleted and removed'])(
  'a database that is %s counts towards the limit of its account no more, once',
  async (how) => {
    const { provision, read, remove, deps, caller } = await provisioning('db_counted');
    await provision();
    const database = await read();
    if (!database) throw new Error('no database');
    const account = { id: caller.accountId };
    await deps.table.transact([
      change(Database, database, { set: { counted: true } }),
      change(Account, account, { set: { databaseCount: 2 } }),
    ]);
    if (how.includes('deleted')) await deleteDatabase(deps, caller, { id: database.id });
    const app = await deps.table.get(App, { accountId: caller.accountId, id: database.applicationId });
    expect(app?.databaseCount, 'of the application').toBe(how.includes('deleted') ? 0 : 1);
    if (how.includes('removed')) await remove();
    expect(await deps.table.get(Account, account)).toMatchObject({ databaseCount: 1 });
    await remove();
    expect([await read(), (await deps.table.get(Account, account))?.databaseCount]).toEqual([undefined, 1]);
  },
);

test('a database whose requests all fail is FAILED after half an hour', async () => {
  const failing = { ...databases, create: () => Promise.reject(new Error('unreachable')) };
  const { provision, read, clock } = await provisioning('db_late');
  await expect(provision(failing)).rejects.toThrow('unreachable');
  expect(await read()).toMatchObject({ status: 'PROVISIONING' });
  clock.now += 31 * 60_000;
  expect(await provision(failing)).toEqual({ done: true });
  expect(await read()).toMatchObject({ status: 'FAILED', failureReason: expect.stringMatching(/after 30 minutes/) });
});

test('a database that failed notifies its owner once, and one that is available does not', async () => {
  const failing: Databases = { ...databases, create: async () => ({ id: 'c', status: 'FAILED', host: '' }) };
  const { provision, incidents, caller, read } = await provisioning('orders');
  await provision(failing);
  await provision(failing);
  const path = `/apps/${(await read())?.applicationId}/databases`;
  const title = 'The database orders could not be created.';
  expect(await incidents()).toMatchObject([
    { accountId: caller.accountId, kind: 'database-failed', subjectId: 'orders', title, path },
  ]);
  const available = await provisioning('db_available');
  await available.provision();
  expect(await available.incidents()).toEqual([]);
});

test('a cluster whose id was lost is removed with its database, even after the database has failed', async () => {
  const made: string[] = [];
  const answerless = {
    ...databases,
    async create(...of: Parameters<Databases['create']>): Promise<never> {
      made.push((await databases.create(...of)).id);
      throw new Error('the answer was lost');
    },
  };
  const { provision, read, remove, clock } = await provisioning('db_unknown');
  await expect(provision(answerless)).rejects.toThrow('lost');
  clock.now += 31 * 60_000;
  await provision(answerless);
  expect(await read()).toMatchObject({ status: 'FAILED' });
  expect((await read())?.clusterId).toBeUndefined();
  const [id = ''] = made;
  expect((await databases.find(id)).status).toBe('READY');
  await remove();
  expect([(await databases.find(id)).status, await read()]).toEqual(['GONE', undefined]);
});

/** A provider of passwords that shows which generation they are of. */
const databasePasswords = { create: async ({ generation }: { generation: number }) => `generation ${generation}` };

test('a reset gives the cluster the next generation of passwords, and no password is created before that', async () => {
  const { provision, read, deps, caller } = await provisioning('db_reset');
  const id = 'db_reset';
  await provision();
  const database = await read();
  const create = async () => (await createDatabasePassword({ ...deps, databasePasswords }, caller, { id })).data;
  expect(await create()).toMatchObject({ password: 'generation 0', port: database?.port });
  await resetDatabasePasswords(deps, caller, { id });
  await resetDatabasePasswords(deps, caller, { id });
  expect(await read()).toMatchObject({ generation: 2, dueAt: expect.any(String) });
  await expect(create()).rejects.toThrow(/being revoked/);
  const failing = { ...databases, setAccess: () => Promise.reject(new Error('unreachable')) };
  await expect(provision(failing)).rejects.toThrow('unreachable');
  await expect(create()).rejects.toThrow(/being revoked/);
  expect(await provision()).toEqual({ done: true });
  expect(dsql.tagsOf(`${ARN_PREFIX}${database?.clusterId}`)).toMatchObject({ passwords: '2' });
  expect((await read())?.dueAt).toBeUndefined();
  expect(await create()).toMatchObject({ password: 'generation 2' });
});

test('after two concurrent resets the cluster has the later generation, in whatever order the requests arrive', async () => {
  const { provision, read, deps, caller } = await provisioning('db_twice');
  await provision();
  const reset = () => resetDatabasePasswords(deps, caller, { id: 'db_twice' });
  await reset();
  const late: Databases = {
    ...databases,
    async setAccess(clusterId, to) {
      if (to.generation === 1) {
        await reset();
        await provision();
      }
      await databases.setAccess(clusterId, to);
    },
  };
  await expect(provision(late)).rejects.toThrow();
  // The state machine repeats the step.
  expect(await provision()).toEqual({ done: true });
  const database = await read();
  expect(dsql.tagsOf(`${ARN_PREFIX}${database?.clusterId}`)).toMatchObject({ passwords: '2' });
  expect(database).toMatchObject({ generation: 2, appliedGeneration: 2 });
});

test('a deleted database is removed with its cluster once that can be deleted, however often the deletion fails', async () => {
  const { provision, read, deps, caller } = await provisioning('db_gone');
  await provision();
  const { clusterId = '' } = (await read()) ?? {};
  await deleteDatabase(deps, caller, { id: 'db_gone' });
  expect(await read()).toMatchObject({ status: 'DELETING', dueAt: expect.any(String) });
  await expect(deleteDatabase(deps, caller, { id: 'db_gone' })).rejects.toMatchObject({ code: 'not_found' });
  const pending = { ...databases, find: async (id: string) => ({ id, status: 'PENDING' as const, host: '' }) };
  expect(await provision(pending)).toEqual({ done: false });
  const failing = { ...databases, remove: () => Promise.reject(new Error('unreachable')) };
  await expect(provision(failing)).rejects.toThrow('unreachable');
  expect((await databases.find(clusterId)).status).toBe('READY');
  expect(await provision()).toEqual({ done: true });
  expect(await read()).toBeUndefined();
  expect((await databases.find(clusterId)).status).toBe('GONE');
  expect(await provision()).toEqual({ done: true });
});

test.each(['create', 'find'] as const)(
  'a database of the same name that was made during the call %s keeps a cluster of its own',
  async (call) => {
    const { provision, read, deps } = await provisioning(`db_former-${call}`);
    if (call === 'find') await provision({ ...databases, create: createPending });
    const former = (await read()) ?? expect.unreachable();
    const replace = async () => {
      const { clusterId: _, ...own } = former;
      await deps.table.transact([remove(Database, former)]);
      await deps.table.transact([create(Database, { ...own, id: `db_new-${call}` })]);
    };
    const slow: Databases = {
      ...databases,
      create: (...given) => databases.create(...given).finally(replace),
      find: (id) => databases.find(id).finally(replace),
    };
    if (call === 'find') await expect(provision(slow)).rejects.toThrow();
    else expect(await provision(slow)).toEqual({ done: false, orphan: expect.any(String) });
    expect(await read()).toMatchObject({ status: 'PROVISIONING', host: null });
    expect(await read()).not.toHaveProperty('clusterId');
    expect(await provision()).toEqual({ done: true });
  },
);

test('a database that is deleted before its cluster was requested leaves no cluster behind', async () => {
  const { provision, read, deps, caller } = await provisioning('db_early');
  await deleteDatabase(deps, caller, { id: 'db_early' });
  const created: string[] = [];
  const observed = {
    ...databases,
    async create(token: string, owner: string) {
      const cluster = await databases.create(token, owner);
      created.push(cluster.id);
      return cluster;
    },
  };
  expect(await provision(observed)).toEqual({ done: true });
  expect(await read()).toBeUndefined();
  for (const id of created) expect((await databases.find(id)).status).toBe('GONE');
});

test('a cluster that is created after its database was removed is deleted once it can be', async () => {
  const { provision, remove } = await provisioning('db_late');
  let [clusterId, isPending] = ['', true];
  const late: Databases = {
    ...databases,
    // The request arrives after the teardown has removed the database and its cluster. DSQL then creates another cluster.
    create: async (token, owner) => {
      await remove();
      const cluster = await databases.create(`${token} again`, owner);
      clusterId = cluster.id;
      return { ...cluster, status: 'PENDING' };
    },
    find: async (id) => ({ ...(await databases.find(id)), ...(isPending ? { status: 'PENDING' as const } : {}) }),
    remove: async (id) => {
      if (isPending) throw Object.assign(new Error('it is being created'), { name: 'ConflictException' });
      await databases.remove(id);
    },
  };
  // Each step has the result of the one before.
  let look = await provision(late);
  for (let polls = 0; polls < 3; polls += 1) {
    expect(look.done).toBe(false);
    look = await provision(late, look);
  }
  isPending = false;
  expect((await provision(late, look)).done).toBe(true);
  expect((await databases.find(clusterId)).status).toBe('GONE');
});
