import * as z from 'zod/mini';
import { DATABASE_STATUSES } from '../enums.ts';
import { list, Page, resource, single, Timestamp } from '../envelope.ts';
import { route } from '../route.ts';

/** An application's databases; the next one is 409. */
export const MAX_DATABASES = 5;

/** A database as the dashboard shows it (design, section 5). */
export const Database = resource('Database', () =>
  z.object({
    id: z.string(),
    applicationId: z.string(),
    name: z.string(),
    engine: z.literal('aurora-dsql'),
    status: z.enum(DATABASE_STATUSES),
    region: z.string(),
    host: z.nullable(z.string()).register(z.globalRegistry, { description: 'null until it is available' }),
    failureReason: z.nullable(z.string()).register(z.globalRegistry, { description: 'null unless it is FAILED' }),
    variables: z.array(z.string()).register(z.globalRegistry, {
      description: 'The environment variables that the application has from its next deployment on',
    }),
    createdAt: Timestamp(),
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
  summary: 'List the databases of your applications, newest first',
  tag,
  query: Page,
  response: () => list(Database()),
});

export const createDatabase = /* @__PURE__ */ route({
  id: 'createDatabase',
  method: 'POST',
  path: '/v1/databases',
  access: 'write',
  audit: 'database.created',
  summary: 'Have a database made for an application; `database.created` tells when it is there',
  tag,
  body: CreateDatabase,
  status: 202,
  response: () => single(Database()),
  uses: ['databases'],
});
