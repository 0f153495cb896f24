import * as z from 'zod';
import { Deleted, Id, many, one, Page, Timestamp } from './envelope.ts';
import { Branch, RepositoryUrl } from './git.ts';
import { route } from './route.ts';

export const FRAMEWORKS = ['NEXTJS', 'NODE', 'EXPRESS', 'NUXT'] as const;
export const NODE_VERSIONS = ['24', '22', '20'] as const;

/** What an application needs when its creator does not say (design, Applications). */
export const FRAMEWORK_DEFAULTS = {
  NEXTJS: { buildCommand: 'npm run build', startFile: '.next/standalone/server.js' },
  NUXT: { buildCommand: 'npm run build', startFile: '.output/server/index.mjs' },
  EXPRESS: { buildCommand: null, startFile: 'server.js' },
  NODE: { buildCommand: null, startFile: 'server.js' },
} as const satisfies Record<(typeof FRAMEWORKS)[number], { buildCommand: string | null; startFile: string }>;

/** Specification, Resources: Application. */
export const Application = z
  .object({
    id: z.string(),
    name: z.string(),
    slug: z.string(),
    framework: z.enum(FRAMEWORKS),
    nodeVersion: z.enum(NODE_VERSIONS),
    repoUrl: z.string().nullable(),
    branch: z.string(),
    installCommand: z.string(),
    buildCommand: z.string().nullable(),
    startFile: z.string(),
    primaryDomain: z.string(),
    status: z.enum(['RUNNING', 'SUSPENDED', 'DELETING']),
    autoDeploy: z.boolean(),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  })
  .meta({ id: 'Application' });

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
const oneLine = z.string().regex(/^[^\x00-\x1f\x7f]*$/, 'must be one line without control characters');

const Command = oneLine.trim().min(1).max(1000);
const StartFile = oneLine
  .min(1)
  .max(255)
  .refine((path) => !/^[-/]|\\|(^|\/)\.\.(\/|$)/.test(path), 'must be a path inside the repository, e.g. server.js');

/** A host name of at least two labels. Stored and compared in lower case. */
export const HostName = z
  .string()
  .trim()
  .toLowerCase()
  .max(253)
  .regex(/^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])$/, 'must be a domain name');

const CreateApplication = z.object({
  name: oneLine.trim().min(2).max(60),
  framework: z.enum(FRAMEWORKS).default('NEXTJS'),
  repoUrl: RepositoryUrl.optional(),
  branch: Branch.default('main'),
  nodeVersion: z.enum(NODE_VERSIONS).default('22'),
  customDomain: HostName.optional(),
  deployNow: z.boolean().default(true),
  installCommand: Command.default('npm ci'),
  buildCommand: Command.nullable().optional(),
  startFile: StartFile.optional(),
});

const UpdateApplication = z.object({
  branch: Branch.optional(),
  nodeVersion: z.enum(NODE_VERSIONS).optional(),
  installCommand: Command.optional(),
  buildCommand: Command.nullable().optional(),
  startFile: StartFile.optional(),
  autoDeploy: z.boolean().optional(),
});

const tag = 'Applications';

export const listApps = route({
  id: 'listApps',
  method: 'GET',
  path: '/v1/apps',
  access: 'read',
  summary: 'List your applications, newest first',
  tag,
  query: Page,
  response: many(Application),
});

export const createApp = route({
  id: 'createApp',
  method: 'POST',
  path: '/v1/apps',
  access: 'write',
  summary: 'Create an application; its first deployment starts unless deployNow is false',
  tag,
  body: CreateApplication,
  status: 201,
  response: one(Application),
});

export const getApp = route({
  id: 'getApp',
  method: 'GET',
  path: '/v1/apps/{id}',
  access: 'read',
  summary: 'Read an application',
  tag,
  params: Id,
  response: one(Application),
});

export const updateApp = route({
  id: 'updateApp',
  method: 'PATCH',
  path: '/v1/apps/{id}',
  access: 'write',
  summary: 'Change how an application is built and started',
  tag,
  params: Id,
  body: UpdateApplication,
  response: one(Application),
});

export const deleteApp = route({
  id: 'deleteApp',
  method: 'DELETE',
  path: '/v1/apps/{id}',
  access: 'write',
  summary: 'Delete an application with its site and files; this cannot be undone',
  tag,
  params: Id,
  response: Deleted,
});
