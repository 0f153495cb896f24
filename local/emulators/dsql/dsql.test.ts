import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabases, type Databases } from '../../../providers/databases/databases.ts';
import { clusterPortsOf, type Dsql, startDsql } from './dsql.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'databases-'));
const options = { dataDir, region: 'eu-west-1', accountId: '000000000000', createFor: 2000 };
const CREDENTIALS = { AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' };
let standIn: Dsql;
let databases: Databases;

beforeAll(async () => {
  standIn = await startDsql(options);
  Object.assign(process.env, CREDENTIALS, { AWS_ENDPOINT_URL_DSQL: standIn.url });
  databases = createDatabases('eu-west-1', 'arn:aws:dsql:eu-west-1:000000000000:cluster/');
});
afterAll(async () => {
  for (const name of [...Object.keys(CREDENTIALS), 'AWS_ENDPOINT_URL_DSQL']) delete process.env[name];
  await standIn.stop();
  rmSync(dataDir, { recursive: true });
});

test('lets an unmodified SDK client create a cluster once per token, watch it become active and delete it', async () => {
  const made = await databases.create('db_1', 'arn:aws:lambda:eu-west-1:000000000000:function:app');
  expect(made).toEqual({
    id: expect.stringMatching(/^[a-z2-7]{26}$/),
    status: 'PENDING',
    host: 'localhost',
    port: expect.any(Number),
  });
  expect((await databases.create('db_1', 'x')).id).toBe(made.id);
  await expect(databases.remove(made.id)).rejects.toMatchObject({ name: 'ConflictException' });
  await expect.poll(async () => (await databases.find(made.id)).status, { timeout: 60_000 }).toBe('READY');
  const { port } = standIn;
  await standIn.stop();
  standIn = await startDsql({ ...options, port });
  const found = await fetch(`${standIn.url}/cluster/${made.id}`).then((answer) => answer.json());
  expect(found).toMatchObject({ status: 'ACTIVE', tags: { application: expect.stringContaining(':function:app') } });
  await databases.setAccess(made.id, { generation: 1, access: 'OWNER' });
  expect(standIn.tagsOf(`arn:aws:dsql:eu-west-1:000000000000:cluster/${made.id}`)).toEqual({
    application: expect.stringContaining(':function:app'),
    passwords: '1',
    access: 'OWNER',
  });
  await databases.remove(made.id);
  await databases.remove(made.id);
  expect((await databases.find(made.id)).status).toBe('GONE');
  await databases.setAccess(made.id, { generation: 2, access: 'ALL' });
  expect((await databases.find('nothing')).status).toBe('GONE');
});

test('a port that another program has taken is reported to the user with its number', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'databases-'));
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const { port: taken } = other.address() as AddressInfo;
  const cluster = { token: 't', tags: {}, createdAt: 0, deletionProtection: false, port: taken };
  writeFileSync(join(folder, 'databases.json'), JSON.stringify({ a: cluster, b: { ...cluster, deletedAt: 1 } }));
  try {
    expect(clusterPortsOf(folder)).toEqual([taken]);
    await expect(startDsql({ ...options, dataDir: folder })).rejects.toThrow(`Port ${taken}, at which`);
  } finally {
    other.close();
    rmSync(folder, { recursive: true });
  }
});
