import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getAccount } from '../../../contract/accounts/accounts.ts';
import { createApp, deleteApp, updateApp } from '../../../contract/apps/apps.ts';
import {
  createDatabase,
  createDatabasePassword,
  deleteDatabase,
  getDatabase,
  listDatabases,
  MAX_DATABASES,
  resetDatabasePasswords,
} from '../../../contract/databases/databases.ts';
import { createWebhook } from '../../../contract/webhooks/endpoints.ts';
import { artifactKey } from '../../../providers/builds/keys.ts';
import { authToken } from '../../../providers/databases/token.ts';
import { entriesOf } from '../../support/archive.ts';
import { get } from '../../support/browse.ts';
import { deployer } from '../../support/deployer.ts';
import { invokeFunction } from '../../support/functions.ts';
import { codeOf, local, newAccount, type OpenedAccount, raw, setLimits, waitFor } from '../../support/harness.ts';
import { receiver } from '../../support/receivers.ts';

/** Idle time after which the application's pool has closed a connection: `pg` closes it after ten seconds. */
const POOL_IDLE_MS = 11_000;

async function withApp(given?: OpenedAccount) {
  const account = given ?? (await newAccount());
  const { id } = (await account.call(createApp, { body: { name: 'Data', framework: 'NODE' } })).body.data;
  const create = (name: string, applicationId = id) =>
    account.dashboard.call(createDatabase, { body: { applicationId, name } });
  return { account, id, create };
}
const list = async (account: OpenedAccount) => (await account.dashboard.call(listDatabases)).body.data;
const untilAvailable = (account: OpenedAccount, id: string) =>
  waitFor(async () => (await list(account)).find((each) => each.id === id && each.status === 'AVAILABLE'));

/** Runs one query over a connection of its own; resolves with the first row. */
async function query(port: number, password: string, sql: string): Promise<Record<string, unknown>> {
  const options = { host: 'localhost', port, user: 'admin', database: 'postgres', password };
  const client = new Client({ ...options, ssl: { rejectUnauthorized: false } });
  // A database that is deleted meanwhile resets its connections: between two calls there is no promise to reject.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(sql)).rows[0];
  } finally {
    await client.end();
  }
}

/** Connects to a database as the administrator of the local run; resolves with the name of its role. */
async function roleAt(port: number): Promise<unknown> {
  const administrator = { accessKeyId: 'local', secretAccessKey: 'local' };
  const password = authToken({ host: 'localhost', region: 'eu-west-1' }, administrator, 3600);
  return (await query(port, password, 'SELECT current_user AS name')).name;
}

test('a database is created, its event sent once, its variables named, and it is deleted with its application', async () => {
  const { account, id, create } = await withApp();
  const receiving = await receiver();
  await account.call(createWebhook, { body: { url: receiving.url, events: ['database.created'] } });
  const { data } = (await create('Main-db')).body;
  expect(data).toEqual({
    id: expect.stringMatching(/^db_/),
    applicationId: id,
    name: 'Main-db',
    engine: 'aurora-dsql',
    status: 'PROVISIONING',
    region: 'eu-west-1',
    host: null,
    port: null,
    failureReason: null,
    access: 'ALL',
    variables: ['URL', 'HOST', 'PORT', 'NAME', 'USER', 'PASSWORD', 'REGION'].map((each) => `DATABASE_MAIN_DB_${each}`),
    createdAt: expect.any(String),
  });
  const { host } = await untilAvailable(account, data.id);
  expect(host).toBe('localhost');
  const event = await waitFor(async () => receiving.received[0], 20);
  expect(JSON.parse(event?.body ?? '')).toMatchObject({
    type: 'database.created',
    data: { databaseId: data.id, name: 'Main-db', engine: 'aurora-dsql' },
  });
  await account.call(deleteApp, { params: { id } });
  await waitFor(async () => (await list(account)).length === 0);
  expect(receiving.received).toHaveLength(1);
  await receiving.stop();
});

/** A build that connects to the database, and prints its address. */
const CONNECT = [
  "const db = new (require('pg').Client)(process.env.DATABASE_URL);",
  "db.connect().then(() => db.query('SELECT current_user AS name'))",
  ".then(({ rows: [{ name }] }) => console.log('connected as', name, process.env.DATABASE_URL)).finally(() => db.end())",
].join('');

test('the next deployment receives the available databases, oldest first, and counts its visits in the first', async () => {
  const account = await newAccount();
  const { deploy } = deployer(() => account);
  const repoUrl = 'https://git.localhost/hello-database.git';
  const body = {
    name: 'Deployed',
    framework: 'NODE' as const,
    repoUrl,
    healthCheckPath: '/health',
    deployNow: false,
    buildCommand: `node -e "${CONNECT}"`,
  };
  const { id, primaryDomain } = (await account.call(createApp, { body })).body.data;
  const create = async (name: string) =>
    (await account.dashboard.call(createDatabase, { body: { applicationId: id, name } })).body.data.id;
  const made = [await create('first'), await create('second')];
  const [first, second] = await Promise.all(made.map((each) => untilAvailable(account, each)));
  const deployment = await deploy(id);
  expect(deployment.status, deployment.log).toBe('SUCCEEDED');
  expect(deployment.log).toMatch(/connected as admin postgres:\/\/admin:\[redacted\]@localhost:\d+\/postgres/);
  await account.call(updateApp, { params: { id }, body: { buildCommand: 'env > .env.production' } });
  const refused = await deploy(id);
  expect(refused.status, refused.log).toBe('FAILED');
  expect(refused.log).toMatch(/failed: The build wrote the password of a database, .* into \.env\.production\./);
  const visits = [];
  for (let visit = 1; visit <= 2; visit += 1) visits.push((await get(local.baseUrl, primaryDomain)).body);
  expect(visits).toEqual(['Visit 1\n', 'Visit 2\n']);
  Object.assign(process.env, local.environment);
  const [{ bucket }, { getObject }] = await Promise.all([
    import('../../../runtime/bindings/builds.ts'),
    import('../../../runtime/aws/objects.ts'),
  ]);
  const files = await entriesOf(await getObject(bucket, artifactKey(id, deployment.id)));
  const known = JSON.parse(files.get('.service/databases.json') ?? '');
  expect(known).toEqual([
    { prefix: 'DATABASE_FIRST', host: first?.host, port: expect.any(Number), region: 'eu-west-1' },
    { prefix: 'DATABASE_SECOND', host: second?.host, port: expect.any(Number), region: 'eu-west-1' },
  ]);
  const [{ port }] = known;
  expect(await roleAt(port)).toBe('admin');
  await account.call(deleteApp, { params: { id } });
  await waitFor(() =>
    roleAt(port).then(
      () => false,
      (error) => error.code === 'ECONNREFUSED' || error.name === 'AggregateError',
    ),
  );
});

test('an application deleted while its database is being created leaves no database behind', async () => {
  const { account, id, create } = await withApp();
  await create('short-lived');
  await account.call(deleteApp, { params: { id } });
  await waitFor(async () => (await list(account)).length === 0);
});

test('lists newest first; racing creates of one name succeed once, and names with equal variables are the same name', async () => {
  const { account, create } = await withApp();
  const first = (await create('one')).body.data.id;
  const racing = await Promise.all(['same-name', 'same-name', 'SAME_NAME'].map((name) => create(name)));
  expect(racing.map(({ status }) => status).sort()).toEqual([202, 409, 409]);
  expect(racing.map(codeOf).filter(Boolean)).toEqual(['conflict', 'conflict']);
  const ids = (await list(account)).map(({ id }) => id);
  expect(ids).toHaveLength(2);
  expect(ids[1]).toBe(first);
  const { create: elsewhere } = await withApp(account);
  expect((await elsewhere('one')).status).toBe(202);
});

test('a password opens only its database until passwords are reset; the size is measured; a deleted database is gone', async () => {
  const { account, create } = await withApp();
  const { dashboard } = account;
  const { id } = (await create('own')).body.data;
  const at = { params: { id } };
  // At once: it is created within a second or two.
  const [early, reset, read] = await Promise.all([
    dashboard.call(createDatabasePassword, at),
    dashboard.call(resetDatabasePasswords, at),
    account.call(getDatabase, at),
  ]);
  expect([codeOf(early), codeOf(reset)]).toEqual(['conflict', 'conflict']);
  expect(read.body.data).toMatchObject({ id, status: 'PROVISIONING', sizeBytes: null, unitsThisMonth: null });
  const other = (await create('other')).body.data;
  const [{ port }, { port: otherPort }] = await Promise.all([
    untilAvailable(account, id),
    untilAvailable(account, other.id),
  ]);

  const createPassword = () => account.call(createDatabasePassword, at);
  const created = await createPassword();
  expect(created.status).toBe(201);
  const { password, url, ...connection } = created.body.data;
  expect(connection).toEqual({
    host: 'localhost',
    port,
    database: 'postgres',
    user: 'admin',
    sslMode: 'require',
    expiresAt: expect.any(String),
  });
  expect(Date.parse(connection.expiresAt) - Date.now()).toBeLessThanOrEqual(3_600_000);
  expect(decodeURIComponent(new URL(url).password)).toBe(password);
  await query(port ?? 0, password, 'CREATE TABLE things (id int PRIMARY KEY)');
  await query(port ?? 0, password, 'INSERT INTO things SELECT generate_series(1, 1000)');
  expect((await account.call(getDatabase, at)).body.data.sizeBytes).toBeGreaterThan(8192);
  await expect(query(otherPort ?? 0, password, 'SELECT 1')).rejects.toMatchObject({ code: '28000' });

  expect((await account.call(resetDatabasePasswords, at)).status).toBe(202);
  const renewed = await waitFor(async () => {
    const answer = await createPassword();
    return answer.status === 201 && answer.body.data.password;
  });
  await expect(query(port ?? 0, password, 'SELECT 1')).rejects.toMatchObject({ code: '28000' });
  expect(await query(port ?? 0, renewed, 'SELECT count(*)::int AS n FROM things')).toEqual({ n: 1000 });

  expect((await account.call(deleteDatabase, at)).body.data).toEqual({ id, deleted: true });
  expect(codeOf(await account.call(createDatabasePassword, at))).toBe('conflict');
  await waitFor(async () => (await list(account)).every((each) => each.id !== id));
  for (const route of [getDatabase, createDatabasePassword, resetDatabasePasswords, deleteDatabase])
    expect([route.id, codeOf(await account.call(route as typeof getDatabase, at))]).toEqual([route.id, 'not_found']);
  await expect(query(port ?? 0, renewed, 'SELECT 1')).rejects.toThrow();
  expect((await create('own')).status).toBe(202);
});

test('racing creates beyond the limit succeed exactly up to the limit', async () => {
  const { create } = await withApp();
  const answers = await Promise.all(Array.from({ length: MAX_DATABASES + 2 }, (_, index) => create(`d${index}`)));
  expect(answers.filter(({ status }) => status === 202)).toHaveLength(MAX_DATABASES);
  expect(answers.map(codeOf).filter(Boolean)).toEqual(['conflict', 'conflict']);
});

test('at a limit of databases, applications and later their owner are refused until use falls; other accounts keep connecting', async () => {
  const [customer, other] = [await newAccount(), await newAccount()];
  const { deploy } = deployer(() => customer);
  const repoUrl = 'https://git.localhost/hello-database.git';
  const body = { name: 'Limited', framework: 'NODE' as const, repoUrl, healthCheckPath: '/health', deployNow: false };
  const { id: appId, primaryDomain } = (await customer.call(createApp, { body })).body.data;
  const create = async (account: OpenedAccount, applicationId: string) => {
    const made = await account.dashboard.call(createDatabase, { body: { applicationId, name: 'main' } });
    const { id } = made.body.data;
    return { id, port: (await untilAvailable(account, id)).port ?? 0 };
  };
  const { id, port } = await create(customer, appId);
  const elsewhere = await create(other, (await withApp(other)).id);
  const deployment = await deploy(appId);
  expect(deployment.status, deployment.log).toBe('SUCCEEDED');
  const visit = async () => (await get(local.baseUrl, primaryDomain)).status;
  const password = async (account: OpenedAccount, of: string) =>
    await account.call(createDatabasePassword, { params: { id: of } });
  const kept = (await password(customer, id)).body.data.password;
  await query(port, kept, 'CREATE TABLE kept (id int PRIMARY KEY)');
  await query(port, kept, 'SELECT count(*) FROM generate_series(1, 1000000)');
  const measured = async () => {
    await invokeFunction(local, 'schedule-reconcile');
    return (await customer.call(getDatabase, { params: { id } })).body.data;
  };
  const until = async (access: string) => await waitFor(async () => (await measured()).access === access, 20);
  /** Waits until the cluster has its tags. */
  const untilRefused = (open: () => Promise<unknown>) =>
    waitFor(() =>
      open().then(
        () => false,
        (error) => error.code === '28000',
      ),
    );

  // A changed limit is compared with a new measurement.
  await setLimits(customer.id, { databaseUnitsPerMonth: 1_000_000 });
  // The limit is the known use in whole units, which further queries reach: that use may include the earlier ones already.
  const used = await waitFor(async () => {
    const { access, unitsThisMonth } = await measured();
    const units = Math.ceil(unitsThisMonth ?? 0);
    if (access === 'OWNER') return units;
    if (units > 0) await setLimits(customer.id, { databaseUnitsPerMonth: units });
    if (access === 'ALL') await query(port, kept, 'SELECT count(*) FROM generate_series(1, 100000)');
    return undefined;
  }, 20);
  expect((await customer.call(getAccount)).body.data.usage?.databaseUnitsPerMonth).toBe(used);
  // Between the limit and a quarter more its owner exports and deletes. A visit before the cluster has its tags opens a connection, which
  // each further visit would keep open.
  while ((await visit()) !== 500) await sleep(POOL_IDLE_MS);
  expect(await query(port, kept, 'SELECT count(*)::int AS n FROM kept')).toEqual({ n: 0 });
  expect((await password(customer, id)).status).toBe(201);
  await setLimits(customer.id, { databaseUnitsPerMonth: 1 });
  await until('NONE');
  await untilRefused(() => query(port, kept, 'SELECT 1'));
  const beyond = await password(customer, id);
  expect([beyond.status, codeOf(beyond)]).toEqual([402, 'plan_limit']);
  expect(beyond.error?.message).toContain('(databaseUnitsPerMonth)');
  const another = await customer.dashboard.call(createDatabase, { body: { applicationId: appId, name: 'another' } });
  expect([another.status, codeOf(another)]).toEqual([402, 'plan_limit']);
  const stranger = (await password(other, elsewhere.id)).body.data.password;
  expect(await query(elsewhere.port, stranger, 'SELECT 1 AS one')).toEqual({ one: 1 });

  await setLimits(customer.id, { databaseUnitsPerMonth: null });
  await until('ALL');
  const renewed = await waitFor(() => query(port, kept, 'SELECT count(*)::int AS n FROM kept').catch(() => undefined));
  expect(renewed).toEqual({ n: 0 });
  expect(await visit()).toBe(200);
}, 120_000);

let shared: Awaited<ReturnType<typeof withApp>>;
beforeAll(async () => {
  shared = await withApp();
});

test.each<[string, unknown]>([
  ['name', {}],
  ['name', { name: '' }],
  ['name', { name: 7 }],
  ['name', { name: '1st' }],
  ['name', { name: 'with space' }],
  ['name', { name: 'semi;colon' }],
  ['name', { name: 'é' }],
  ['name', { name: 'a'.repeat(41) }],
  ['applicationId', { name: 'fine', applicationId: '' }],
  ['applicationId', { name: 'fine', applicationId: null }],
])('400 names %s in %j', async (field, given) => {
  const body = { applicationId: shared.id, ...(given as { name: string }) };
  const answer = await shared.account.dashboard.call(createDatabase, { body });
  expect([answer.status, codeOf(answer)]).toEqual([400, 'invalid_request']);
  expect(answer.error?.message.startsWith(`${field}: `)).toBe(true);
});

test('other accounts’, deleted and unknown applications are 404', async () => {
  const stranger = await newAccount();
  const gone = await withApp(stranger);
  await stranger.call(deleteApp, { params: { id: gone.id } });
  for (const applicationId of [shared.id, gone.id, 'app_none']) {
    const answer = await stranger.dashboard.call(createDatabase, { body: { applicationId, name: 'x' } });
    expect([answer.status, codeOf(answer)]).toEqual([404, 'not_found']);
  }
  expect(await list(stranger)).toEqual([]);
});

test('keys read databases at the API, and are rejected at the dashboard’s path', async () => {
  const headers = { authorization: `Bearer ${shared.account.secretKey}` };
  expect((await raw('/dashboard/v1/databases', { headers })).status).toBe(401);
  expect((await raw('/v1/databases', { headers })).status).toBe(200);
  expect((await raw('/v1/databases')).status).toBe(401);
});

afterAll(async () => {
  await shared.account.call(deleteApp, { params: { id: shared.id } });
});
