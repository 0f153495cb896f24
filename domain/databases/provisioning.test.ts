import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { AWS_LIMITS } from '../../contract/limits/aws-limits.ts';
import { startDsql } from '../../local/emulators/dsql/dsql.ts';
import type { Emulator } from '../../local/emulators/wire.ts';
import { createDatabases, type Databases } from '../../providers/databases/databases.ts';
import { Database } from '../../table/entities/databases.ts';
import { create } from '../../table/writes.ts';
import { deploymentSimulation } from '../../test/simulation/deployments.ts';
import { provisionDatabase, removeDatabases } from './provisioning.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'provisioning-'));
let dsql: Emulator;
let databases: Databases;

beforeAll(async () => {
  dsql = await startDsql({ dataDir, region: 'eu-west-1', accountId: '000000000000', createFor: 0, strict: true });
  for (const [name, value] of [
    ['AWS_ACCESS_KEY_ID', 'local'],
    ['AWS_SECRET_ACCESS_KEY', 'local'],
    ['AWS_ENDPOINT_URL_DSQL', dsql.url],
  ] as const)
    vi.stubEnv(name, value);
  databases = createDatabases('eu-west-1');
});
afterEach(() => {
  vi.restoreAllMocks();
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await dsql.stop();
  rmSync(dataDir, { recursive: true });
});

/** A database that is being provisioned, at a time. */
async function provisioning(id: string) {
  const { deps, ids, clock } = await deploymentSimulation();
  const settings = { ...deps.settings, hostArnOf: (of: string) => `arn:${of}` };
  const key = { applicationId: ids.applicationId, prefix: id };
  const createdAt = deps.now().toISOString();
  await deps.table.transact([
    create(Database, {
      ...{ ...key, id, accountId: ids.accountId, name: id, status: 'PROVISIONING', region: 'eu-west-1' },
      ...{ host: null, createdAt, dueAt: createdAt },
    }),
  ]);
  return {
    clock,
    provision: (from: Databases = databases) => provisionDatabase({ ...deps, settings, databases: from }, key),
    remove: (from: Databases = databases) => removeDatabases({ ...deps, settings, databases: from }, ids.applicationId),
    read: () => deps.table.get(Database, key),
  };
}

test('the database beyond the quota of clusters fails with a reason, at once, and can be removed', async () => {
  for (let number = 1; number <= AWS_LIMITS.dsqlClusters.value; number += 1)
    await databases.create(`db_${number}`, 'arn:x');
  const { provision, read, remove } = await provisioning('db_beyond');
  expect(await provision()).toEqual({ done: true });
  const failed = await read();
  expect(failed).toMatchObject({
    status: 'FAILED',
    host: null,
    failureReason: expect.stringMatching(/cannot create any more/),
  });
  expect(failed?.dueAt).toBeUndefined();
  expect(await provision()).toEqual({ done: true });
  await remove();
  expect(await read()).toBeUndefined();
  // An application that is deleted while its database meets the quota is removed too.
  const other = await provisioning('db_deleted');
  await other.remove();
  expect(await other.read()).toBeUndefined();
});

test('a database whose every request fails is late after half an hour, and not provisioning for ever', async () => {
  const failing = { ...databases, create: () => Promise.reject(new Error('unreachable')) };
  const { provision, read, clock } = await provisioning('db_late');
  await expect(provision(failing)).rejects.toThrow('unreachable');
  expect(await read()).toMatchObject({ status: 'PROVISIONING' });
  clock.now += 31 * 60_000;
  expect(await provision(failing)).toEqual({ done: true });
  expect(await read()).toMatchObject({ status: 'FAILED', failureReason: expect.stringMatching(/after 30 minutes/) });
});
