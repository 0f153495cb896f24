import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { eq, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { pgTable, timestamp, uuid, varchar } from 'drizzle-orm/pg-core';
import { Client, Pool } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../../processes/ports.ts';
import { selfSigned } from '../../certificates.ts';
import { createDatabase, type Database, DatabaseStopped } from './database.ts';
import { openDataDirectories } from './engine.ts';
import { int32 } from './messages.ts';
import { servePostgres } from './server.ts';

const directory = mkdtempSync(join(tmpdir(), 'postgres-'));
const identity = selfSigned(['localhost'], [-1, 1]);
const directories = openDataDirectories(directory);
let database: Database;
let server: Awaited<ReturnType<typeof servePostgres>>;
let options: object;
let port: number;

beforeAll(async () => {
  port = await freePort();
  database = createDatabase({
    idleMs: 60_000,
    // Twenty inserts wait for each other on a busy machine.
    acquireTimeoutMs: 10_000,
    directory: () => directories.create('one'),
    makeRoom: async () => undefined,
  });
  server = await servePostgres({
    port,
    database,
    identity,
    version: '18',
    authenticate: (user, _, password) =>
      user === 'admin' && password === 'right' ? undefined : { code: '28000', message: 'access denied' },
  });
  options = {
    host: 'localhost',
    port,
    user: 'admin',
    database: 'postgres',
    password: 'right',
    ssl: { ca: identity.cert },
  };
});
afterAll(async () => {
  await server.stop();
  await database.stop();
  rmSync(directory, { recursive: true, force: true });
});

const withClient = async <T>(work: (client: Client) => Promise<T>, more: object = {}): Promise<T> => {
  const client = new Client({ ...options, ...more });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
};

test('serves pools and transactions, with each session’s statements and settings apart', async () => {
  const pool = new Pool({ ...options, max: 10 });
  await pool.query('CREATE TABLE visits (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), n int)');
  await Promise.all(Array.from({ length: 20 }, (_, n) => pool.query('INSERT INTO visits (n) VALUES ($1)', [n])));
  expect((await pool.query('SELECT count(*)::int AS n FROM visits')).rows).toEqual([{ n: 20 }]);
  const [a, b] = await Promise.all([pool.connect(), pool.connect()]);
  await a.query("SET search_path = 'pg_catalog'");
  expect((await b.query('SHOW search_path')).rows[0]).toEqual({ search_path: 'public' });
  expect((await a.query('SHOW search_path')).rows[0]).toEqual({ search_path: 'pg_catalog' });
  const named = (text: string) => ({ name: 'same', text });
  expect((await a.query(named('SELECT 1 AS n'))).rows).toEqual([{ n: 1 }]);
  expect((await b.query(named('SELECT 2 AS n'))).rows).toEqual([{ n: 2 }]);
  await database.stopIfUnused();
  expect((await a.query(named('SELECT 1 AS n'))).rows).toEqual([{ n: 1 }]);
  await b.query('BEGIN');
  await b.query('DELETE FROM visits');
  await expect(a.query('SELECT 1')).rejects.toMatchObject({ code: '55P03' });
  await b.query('ROLLBACK');
  expect((await b.query('SELECT count(*)::int AS n FROM visits')).rows).toEqual([{ n: 20 }]);
  a.release();
  b.release();
  await pool.end();
}, 120_000);

test.each([
  'LISTEN visits',
  'CREATE TABLE x (id serial PRIMARY KEY)',
  'CREATE TEMP TABLE x (id int)',
  'TRUNCATE visits',
  'CREATE INDEX i ON visits (n)',
  'CREATE SEQUENCE s',
  'COPY visits FROM stdin',
  'CREATE TABLE y (id int); CREATE TABLE z (id int)',
])('refuses %s', async (statement) => {
  await withClient(async (client) => {
    await expect(client.query(statement)).rejects.toMatchObject({ code: '0A000' });
    expect((await client.query('SELECT 1 AS n')).rows).toEqual([{ n: 1 }]);
  });
});

test('serves Drizzle: schema, transactions, queries and their errors', async () => {
  const pool = new Pool({ ...options, max: 3 });
  const notes = pgTable('notes', {
    id: uuid().primaryKey().defaultRandom(),
    text: varchar({ length: 20 }).notNull(),
    at: timestamp({ withTimezone: true }).notNull().defaultNow(),
  });
  const db = drizzle({ client: pool });
  await db.execute(sql`CREATE TABLE notes (id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    text varchar(20) NOT NULL, at timestamptz NOT NULL DEFAULT now())`);
  const [first] = await db
    .insert(notes)
    .values([{ text: 'one' }, { text: 'two' }])
    .returning();
  expect(first).toEqual({ id: expect.stringMatching(/^[0-9a-f-]{36}$/), text: 'one', at: expect.any(Date) });
  const failing = db.transaction(async (transaction) => {
    await transaction.delete(notes);
    throw new Error('undo');
  });
  await expect(failing).rejects.toThrow('undo');
  await db.transaction(async (transaction) => {
    await transaction.update(notes).set({ text: 'three' }).where(eq(notes.text, 'two'));
  });
  const found = await db.select({ text: notes.text }).from(notes).orderBy(notes.text);
  expect(found).toEqual([{ text: 'one' }, { text: 'three' }]);
  const refused = db.execute(sql`CREATE TABLE others (id uuid PRIMARY KEY, tags text[])`);
  await expect(refused).rejects.toMatchObject({ cause: { code: '0A000', hint: expect.stringContaining('http') } });
  await pool.end();
});

test('builds an index asynchronously, and changes at most 3,000 rows in a transaction', async () => {
  await withClient(async (client) => {
    await client.query('CREATE TABLE many (n int)');
    await client.query('CREATE INDEX ASYNC many_n ON many (n)');
    const fill = (rows: number) => client.query('INSERT INTO many SELECT generate_series(1, $1::int)', [rows]);
    await expect(fill(3001)).rejects.toMatchObject({ code: '54000' });
    expect((await fill(3000)).rowCount).toBe(3000);
    expect((await client.query('SELECT count(*)::int AS n FROM many')).rows).toEqual([{ n: 3000 }]);
  });
});

test('checks foreign keys, also those that are added and validated later', async () => {
  await withClient(async (client) => {
    await client.query('CREATE TABLE parents (id int PRIMARY KEY)');
    await client.query('CREATE TABLE children (id int PRIMARY KEY, parent int REFERENCES parents (id), friend int)');
    await expect(client.query('INSERT INTO children VALUES (1, 1, 1)')).rejects.toMatchObject({ code: '23503' });
    await client.query('INSERT INTO children VALUES (2, NULL, 2)');
    await client.query('ALTER TABLE children ADD CONSTRAINT f FOREIGN KEY (friend) REFERENCES parents (id) NOT VALID');
    const validate = 'ALTER TABLE ASYNC children VALIDATE CONSTRAINT f';
    await expect(client.query(validate)).rejects.toMatchObject({ code: '23503' });
    await client.query('INSERT INTO parents VALUES (2)');
    await client.query(validate);
  });
});

test('refuses a client that starts with a setting which DSQL does not support', async () => {
  const connecting = withClient(async () => undefined, { statement_timeout: 1000 });
  await expect(connecting).rejects.toMatchObject({
    code: '0A000',
    message: expect.stringContaining('statement_timeout'),
  });
});

/** Returns everything that the server sends after the TLS handshake, in response to the given bytes, until it closes the connection. */
async function answerTo(bytes: Buffer): Promise<string> {
  const plain = connect(port, 'localhost');
  plain.write(Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]));
  await once(plain, 'data');
  const socket = connectTls({
    socket: plain,
    ca: identity.cert,
    servername: 'localhost',
    ALPNProtocols: ['postgresql'],
  });
  socket.write(bytes);
  const answer: Buffer[] = [];
  for await (const chunk of socket) answer.push(Buffer.from(chunk));
  return Buffer.concat(answer).toString('utf8');
}

test('ends the connection of a client that does not keep to the protocol', async () => {
  const parameters = Buffer.from('user\0admin\0\0');
  const startup = Buffer.concat([int32(8 + parameters.length), int32(3 << 16), parameters]);
  for (const bytes of [
    Buffer.concat([int32(4), int32(3 << 16)]),
    Buffer.concat([int32(8), int32(80877102)]),
    Buffer.concat([startup, Buffer.from('p'), int32(-1)]),
  ])
    expect(await answerTo(bytes)).toContain('C08P01');
});

test('a cancel request ends the running query, and leaves a transaction between two queries alone', async () => {
  await withClient(async (client) => {
    const { processID, secretKey } = client as unknown as { processID: number; secretKey: number };
    const cancel = () => answerTo(Buffer.concat([int32(16), int32(80877102), int32(processID), int32(secretKey)]));
    await client.query('BEGIN');
    await cancel();
    expect((await client.query('SELECT 1 AS n')).rows).toEqual([{ n: 1 }]);
    await client.query('COMMIT');
    let code: unknown;
    const endless = client.query('SELECT count(*) FROM generate_series(1, 1000000000000)').catch((error) => {
      code = error.code;
    });
    while (code === undefined) await cancel();
    await endless;
    expect(code).toBe('57014');
    expect((await client.query('SELECT 2 AS n')).rows).toEqual([{ n: 2 }]);
  });
}, 120_000);

test('refuses a wrong password, and a client without TLS', async () => {
  await expect(withClient(async () => undefined, { password: 'wrong' })).rejects.toMatchObject({ code: '28000' });
  await expect(withClient(async () => undefined, { ssl: false })).rejects.toMatchObject({ code: '28000' });
});

test('a session that waits for the engine of a stopped database starts no other', async () => {
  const created: string[] = [];
  const removed = createDatabase({
    idleMs: 60_000,
    acquireTimeoutMs: 10_000,
    directory() {
      created.push('two');
      return directories.create('two');
    },
    makeRoom: async () => undefined,
  });
  const lease = await removed.acquire({});
  const refused = expect(removed.acquire({})).rejects.toThrow(DatabaseStopped);
  await removed.stop();
  lease.release();
  await refused;
  expect(created).toEqual(['two']);
});
