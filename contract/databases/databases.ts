import * as z from 'zod/mini';
import { DATABASE_ACCESS, DATABASE_STATUSES } from '../enums.ts';
import { Deleted, describe, Id, list, Page, resource, single, Timestamp } from '../envelope.ts';
import { route } from '../route.ts';

/** The maximum number of databases of an application. Creating another fails with 409. */
export const MAX_DATABASES = 5;

/** The validity of a password in seconds: the longest session that STS allows for role chaining. */
export const PASSWORD_SECONDS = 3600;

const fields = () => ({
  id: z.string(),
  applicationId: z.string(),
  name: z.string(),
  engine: z.literal('aurora-dsql'),
  status: z.enum(DATABASE_STATUSES),
  region: z.string(),
  host: describe(z.nullable(z.string()), 'Null until the database is available'),
  port: describe(z.nullable(z.int()), 'Null until the database is available'),
  failureReason: describe(z.nullable(z.string()), 'Null unless the status is `FAILED`'),
  access: describe(
    z.enum(DATABASE_ACCESS),
    'The clients that may open connections: the application and the owner, only the owner while a database limit is reached, or neither when it is far exceeded',
  ),
  variables: describe(
    z.array(z.string()),
    'The environment variables that the application receives with its next deployment',
  ),
  createdAt: Timestamp(),
});

/** A database of an application (an addition to the specification). */
const Database = resource('Database', () => z.object(fields()));

/** A database with its measured usage. */
const DatabaseDetails = resource('DatabaseDetails', () =>
  z.object({
    ...fields(),
    sizeBytes: describe(
      z.nullable(z.number()),
      'Storage in bytes, as measured a few minutes ago; null before the first measurement',
    ),
    unitsThisMonth: describe(
      z.nullable(z.number()),
      'DPUs (distributed processing units) used in this calendar month (UTC), measured every few hours; null before the first measurement',
    ),
  }),
);

/** A password, and the other settings that a PostgreSQL client needs to connect. */
const DatabaseConnection = resource('DatabaseConnection', () =>
  z.object({
    host: z.string(),
    port: z.int(),
    database: z.string(),
    user: z.string(),
    password: describe(z.string(), 'Opens connections until `expiresAt`, unless the passwords are revoked earlier'),
    sslMode: z.literal('require'),
    url: describe(z.string(), 'The whole connection as one URL, for `psql` and drivers'),
    expiresAt: Timestamp(),
  }),
);

const CreateDatabase = () =>
  z.object({
    applicationId: z.string().check(z.minLength(1), z.maxLength(64)),
    name: z
      .string()
      .check(
        z.maxLength(40),
        z.regex(/^[A-Za-z][A-Za-z0-9_-]*$/, 'must be letters, digits, _ and -, beginning with a letter'),
      )
      .register(z.globalRegistry, { examples: ['main', 'orders'] }),
  });

const tag = 'Databases';

export const listDatabases = /* @__PURE__ */ route({
  id: 'listDatabases',
  method: 'GET',
  path: '/v1/databases',
  access: 'read',
  right: 'member',
  summary: 'List the databases of your applications, newest first',
  tag,
  query: () => Page('db'),
  response: () => list(Database()),
});

export const createDatabase = /* @__PURE__ */ route({
  id: 'createDatabase',
  method: 'POST',
  path: '/v1/databases',
  access: 'write',
  right: 'develop',
  audit: 'database.created',
  summary: 'Create a database for an application; `database.created` follows when it is available',
  tag,
  body: CreateDatabase,
  status: 202,
  response: () => single(Database()),
  uses: ['databases'],
});

export const getDatabase = /* @__PURE__ */ route({
  id: 'getDatabase',
  method: 'GET',
  path: '/v1/databases/{id}',
  access: 'read',
  right: 'member',
  summary: 'Read a database with its usage',
  tag,
  params: Id,
  response: () => single(DatabaseDetails()),
  uses: ['database-size'],
});

export const createDatabasePassword = /* @__PURE__ */ route({
  id: 'createDatabasePassword',
  method: 'POST',
  path: '/v1/databases/{id}/password',
  access: 'write',
  right: 'develop',
  audit: 'database.password-created',
  summary: 'Create a database password, valid for an hour; the response has everything a client needs to connect',
  tag,
  params: Id,
  status: 201,
  response: () => single(DatabaseConnection()),
  uses: ['database-passwords'],
});

export const resetDatabasePasswords = /* @__PURE__ */ route({
  id: 'resetDatabasePasswords',
  method: 'POST',
  path: '/v1/databases/{id}/reset-passwords',
  access: 'write',
  right: 'develop',
  audit: 'database.passwords-reset',
  summary: 'Revoke all existing passwords of a database; the application keeps its access',
  tag,
  params: Id,
  status: 202,
  response: () => single(Database()),
});

export const deleteDatabase = /* @__PURE__ */ route({
  id: 'deleteDatabase',
  method: 'DELETE',
  path: '/v1/databases/{id}',
  access: 'write',
  right: 'develop',
  audit: 'database.deleted',
  summary: 'Delete a database and all its data permanently; the next deployment removes its variables',
  tag,
  params: Id,
  response: Deleted,
});
