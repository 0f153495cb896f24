import * as z from 'zod/mini';
import {
  CUSTOM_DOMAIN_STATUSES,
  DEFAULT_NODE_VERSION,
  FRAMEWORKS,
  NODE_VERSIONS,
  SUSPENSION_CAUSES,
} from '../enums.ts';
import { Deleted, describe, Id, list, oneLine, Page, resource, single, Timestamp } from '../envelope.ts';
import { HostName } from '../host-names/host-names.ts';
import { route } from '../route.ts';
import { Branch, RepositoryUrl } from './repositories.ts';

const BUILD_COMMAND = 'Null: the build script of package.json, if any. Empty: no build.';
const START_COMMAND =
  'Addition: starts the application in place of startFile. "serve dist" serves the files of dist, "serve -s dist" a single-page application. Null: what package.json and the framework say.';
const ROOT_DIRECTORY = 'Addition: the directory of an application in a monorepo, e.g. apps/web. Null: the repository.';
const HEALTH_CHECK_PATH = 'Addition: a release goes live when this path answers below 500. Default: /';

/** Specification, Resources: Application. */
export const Application = resource('Application', () =>
  z.object({
    id: z.string(),
    name: z.string(),
    slug: z.string(),
    framework: z.enum(FRAMEWORKS),
    nodeVersion: z.enum(NODE_VERSIONS),
    repoUrl: z.nullable(z.string()),
    branch: z.string(),
    installCommand: z.string(),
    buildCommand: z.nullable(z.string()),
    startFile: z.string(),
    /** Additions to the specification, up to `detected` (docs/decisions/0039-any-node-project.md). */
    startCommand: describe(z.nullable(z.string()), START_COMMAND),
    rootDirectory: describe(z.nullable(z.string()), ROOT_DIRECTORY),
    healthCheckPath: describe(z.string(), HEALTH_CHECK_PATH),
    /** Findings of the last build in the repository; absent before the first. */
    detected: z.optional(
      z.object({
        framework: z.nullable(z.string()),
        packageManager: z.nullable(z.string()),
        nodeVersion: z.enum(NODE_VERSIONS),
        buildCommand: z.nullable(z.string()),
        start: z.nullable(z.string()),
      }),
    ),
    primaryDomain: z.string(),
    /** Additions: the address that always works, and whether the custom domain is verified. Null: it has none. */
    defaultDomain: z.string(),
    customDomainStatus: z.nullable(z.enum(CUSTOM_DOMAIN_STATUSES)),
    status: z.enum(['RUNNING', 'SUSPENDED', 'DELETING']),
    /** Addition: the deployment whose release serves, the one under way, and how the last one ended. Null: none. */
    liveDeploymentId: z.nullable(z.string()),
    activeDeploymentId: z.nullable(z.string()),
    lastDeploymentStatus: z.nullable(z.enum(['SUCCEEDED', 'FAILED'])),
    /** Present while the application is suspended: each reason, oldest first. */
    suspensions: z.optional(
      z.array(z.object({ cause: z.enum(SUSPENSION_CAUSES), reason: z.string(), since: Timestamp() })),
    ),
    autoDeploy: z.boolean(),
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
  }),
);

const Name = () => z.string().check(...oneLine(), z.trim(), z.minLength(2), z.maxLength(60));
const Command = () => z.string().check(...oneLine(), z.trim(), z.minLength(1), z.maxLength(1000));
/** Empty: no build. */
const BuildCommand = () => z.string().check(...oneLine(), z.trim(), z.maxLength(1000));
const insideRepository = (example: string) =>
  z.refine<string>(
    (path) => !/^[-/]|\\|(^|\/)\.\.(\/|$)/.test(path),
    `must be a path inside the repository, e.g. ${example}`,
  );
const RootDirectory = () =>
  z.string().check(...oneLine(), z.trim(), z.minLength(1), z.maxLength(255), insideRepository('apps/web'));
const StartFile = () =>
  z.string().check(...oneLine(), z.trim(), z.minLength(1), z.maxLength(255), insideRepository('server.js'));

/** A path with an optional query, as a request line has it. */
const HealthCheckPath = () =>
  z
    .string()
    .check(
      z.maxLength(255),
      z.regex(
        /^\/(?:[\w.~!$&'()*+,;=:@%?-][\w.~!$&'()*+,;=:@%/?-]*)?$/,
        'must be a path that begins with one /, e.g. /healthz',
      ),
    );

const CreateApplication = () =>
  z.object({
    name: Name(),
    framework: z._default(z.enum(FRAMEWORKS), 'NEXTJS'),
    repoUrl: z.optional(z.nullable(RepositoryUrl())),
    branch: describe(z.optional(Branch()), 'Default: main, or the repository’s default branch if it has no main'),
    nodeVersion: describe(
      z.optional(z.enum(NODE_VERSIONS)),
      `Default: as engines in package.json or .nvmrc says, else ${DEFAULT_NODE_VERSION}`,
    ),
    customDomain: z.optional(z.nullable(HostName())),
    deployNow: z._default(z.boolean(), true),
    installCommand: z._default(Command(), 'npm ci'),
    buildCommand: describe(z.optional(z.nullable(BuildCommand())), BUILD_COMMAND),
    startFile: z.optional(StartFile()),
    startCommand: describe(z.optional(z.nullable(Command())), START_COMMAND),
    rootDirectory: describe(z.optional(z.nullable(RootDirectory())), ROOT_DIRECTORY),
    healthCheckPath: describe(z.optional(HealthCheckPath()), HEALTH_CHECK_PATH),
  });

const UpdateApplication = () =>
  z.object({
    name: describe(z.optional(Name()), 'Addition: the slug and the addresses stay.'),
    framework: describe(
      z.optional(z.enum(FRAMEWORKS)),
      'Addition: default commands and files become those of this one.',
    ),
    repoUrl: z.optional(RepositoryUrl()),
    branch: z.optional(Branch()),
    nodeVersion: z.optional(z.enum(NODE_VERSIONS)),
    installCommand: z.optional(Command()),
    buildCommand: describe(z.optional(z.nullable(BuildCommand())), BUILD_COMMAND),
    startFile: z.optional(StartFile()),
    startCommand: describe(z.optional(z.nullable(Command())), START_COMMAND),
    rootDirectory: describe(z.optional(z.nullable(RootDirectory())), ROOT_DIRECTORY),
    healthCheckPath: describe(z.optional(HealthCheckPath()), HEALTH_CHECK_PATH),
    autoDeploy: z.optional(z.boolean()),
  });

const tag = 'Applications';

export const listApps = /* @__PURE__ */ route({
  id: 'listApps',
  method: 'GET',
  path: '/v1/apps',
  access: 'read',
  right: 'member',
  summary: 'List your applications, newest first',
  tag,
  query: () => Page('app'),
  response: () => list(Application()),
});

export const createApp = /* @__PURE__ */ route({
  id: 'createApp',
  method: 'POST',
  path: '/v1/apps',
  access: 'write',
  right: 'develop',
  audit: 'app.created',
  stoppedBy: ['deployments'],
  summary: 'Create an application; its first deployment starts unless deployNow is false',
  tag,
  body: CreateApplication,
  status: 201,
  response: () => single(Application()),
  uses: ['git'],
});

export const getApp = /* @__PURE__ */ route({
  id: 'getApp',
  method: 'GET',
  path: '/v1/apps/{id}',
  access: 'read',
  right: 'member',
  summary: 'Read an application',
  tag,
  params: Id,
  response: () => single(Application()),
});

export const updateApp = /* @__PURE__ */ route({
  id: 'updateApp',
  method: 'PATCH',
  path: '/v1/apps/{id}',
  access: 'write',
  right: 'develop',
  audit: 'app.updated',
  summary: 'Change an application and how it is built, started and deployed',
  tag,
  params: Id,
  body: UpdateApplication,
  response: () => single(Application()),
  uses: ['repositories'],
});

export const deleteApp = /* @__PURE__ */ route({
  id: 'deleteApp',
  method: 'DELETE',
  path: '/v1/apps/{id}',
  access: 'write',
  right: 'develop',
  audit: 'app.deleted',
  summary: 'Delete an application with its site, files and databases; this cannot be undone',
  tag,
  params: Id,
  response: Deleted,
});
