import * as z from 'zod/mini';
import {
  CUSTOM_DOMAIN_STATUSES,
  DEFAULT_NODE_VERSION,
  FRAMEWORKS,
  NODE_VERSIONS,
  SUSPENSION_CAUSES,
} from '../enums.ts';
import { Deleted, describe, Id, line, list, oneLine, Page, resource, single, Timestamp } from '../envelope.ts';
import { HostName } from '../host-names/host-names.ts';
import { route } from '../route.ts';
import { Branch, RepositoryUrl } from './repositories.ts';

const BUILD_COMMAND =
  'The build command. Null: the build script of package.json, if there is one. An empty string: no build.';
const START_COMMAND =
  'Addition: the command that starts the application, in place of startFile. "serve dist" serves the files in dist, "serve -s dist" a single-page application. Null: as package.json and the framework define it.';
const ROOT_DIRECTORY =
  'Addition: the directory of the application in a monorepo, e.g. apps/web. Null: the root of the repository.';
const HEALTH_CHECK_PATH =
  'Addition: the path of the health check. A release goes live once it returns a status below 500. Default: /';

/** An application (specification, Resources: Application). */
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
    /** The fields from here to `detected` are additions to the specification (docs/decisions/0039-any-node-project.md). */
    startCommand: describe(z.nullable(z.string()), START_COMMAND),
    rootDirectory: describe(z.nullable(z.string()), ROOT_DIRECTORY),
    healthCheckPath: describe(z.string(), HEALTH_CHECK_PATH),
    /** Settings that the last build detected in the repository; absent before the first build. */
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
    /** Additions: the default address, and the status of the custom domain, which is null without one. */
    defaultDomain: z.string(),
    customDomainStatus: z.nullable(z.enum(CUSTOM_DOMAIN_STATUSES)),
    status: z.enum(['RUNNING', 'SUSPENDED', 'DELETING']),
    /** Additions: the deployment that is live, the deployment in progress, and the status of the last finished one. */
    liveDeploymentId: z.nullable(z.string()),
    activeDeploymentId: z.nullable(z.string()),
    lastDeploymentStatus: z.nullable(z.enum(['SUCCEEDED', 'FAILED'])),
    /** The reasons for the suspension, oldest first. Present while the application is suspended. */
    suspensions: z.optional(
      z.array(z.object({ cause: z.enum(SUSPENSION_CAUSES), reason: z.string(), since: Timestamp() })),
    ),
    autoDeploy: z.boolean(),
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
  }),
);

const Name = () => line(60, 2);
const Command = () => line(1000);
/** A build command; an empty one means no build. */
const BuildCommand = () => z.string().check(...oneLine(), z.trim(), z.maxLength(1000));
const insideRepository = (example: string) =>
  z.refine<string>(
    (path) => !/^[-/]|\\|(^|\/)\.\.(\/|$)/.test(path),
    `must be a path inside the repository, e.g. ${example}`,
  );
const RootDirectory = () => line(255).check(insideRepository('apps/web'));
const StartFile = () => line(255).check(insideRepository('server.js'));

/** A path with an optional query, in the form of a request line. */
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
    branch: describe(
      z.optional(Branch()),
      'Default: main, or the default branch of a repository that has no branch main',
    ),
    nodeVersion: describe(
      z.optional(z.enum(NODE_VERSIONS)),
      `Default: the version in engines of package.json or in .nvmrc, otherwise ${DEFAULT_NODE_VERSION}`,
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

/** The fields that a key may change: those of the specification, and the additions among the settings for the start. */
const UPDATABLE = () => ({
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

const UpdateApplication = () => z.object(UPDATABLE());

const EditApplication = () =>
  z.object({
    name: describe(z.optional(Name()), 'Changes the name. The slug and the addresses stay the same.'),
    framework: describe(
      z.optional(z.enum(FRAMEWORKS)),
      'Changes the framework. Default commands and files become those of the new framework.',
    ),
    repoUrl: z.optional(RepositoryUrl()),
    ...UPDATABLE(),
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
  audit: 'app.updated',
  summary: 'Update an application’s build, start and deployment settings',
  tag,
  params: Id,
  body: UpdateApplication,
  response: () => single(Application()),
  // The dashboard's path also changes the name, framework and repository (editApp).
  alsoOnDashboard: false,
});

/** For the dashboard only: the specification defines the fields that `PATCH /v1/apps/{id}` changes. */
export const editApp = /* @__PURE__ */ route({
  id: 'editApp',
  method: 'PATCH',
  path: '/dashboard/v1/apps/{id}',
  access: 'login',
  right: 'develop',
  audit: 'app.updated',
  summary: 'Change an application’s name, framework, repository and settings',
  tag,
  params: Id,
  body: EditApplication,
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
