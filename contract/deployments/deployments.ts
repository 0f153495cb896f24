import * as z from 'zod/mini';
import { DEPLOYMENT_STATUSES, TRIGGERS } from '../enums.ts';
import { describe, Id, list, Page, resource, single, Timestamp, wholeNumber } from '../envelope.ts';
import { route } from '../route.ts';

/** Specification, Resources: Deployment (as lists show it: without `log`). */
export const Deployment = resource('Deployment', () =>
  z.object({
    id: z.string(),
    applicationId: z.string(),
    status: z.enum(DEPLOYMENT_STATUSES),
    trigger: z.enum(TRIGGERS),
    commitSha: describe(z.string(), 'Short commit hash; empty until the repository is cloned'),
    startedAt: Timestamp(),
    finishedAt: z.nullable(Timestamp()),
    /** Addition: true while its release is kept, so that it can be rolled back to. */
    canRollBack: z.boolean(),
  }),
);

/** A deployment with its build log, which grows while the build runs. */
export const DeploymentWithLog = resource('DeploymentWithLog', () =>
  z.extend(Deployment(), {
    log: z.string(),
    /** Addition. */
    queue: describe(
      z.nullable(
        z.object({
          position: describe(z.int(), "Place among the account's own deployments, from 1"),
          reason: z.string(),
        }),
      ),
      'Place in line before the build or the release, and the reason; null while it goes on',
    ),
  }),
);

const tag = 'Deployments';

export const createDeployment = /* @__PURE__ */ route({
  id: 'createDeployment',
  method: 'POST',
  path: '/v1/apps/{id}/deployments',
  access: 'deploy',
  right: 'develop',
  audit: 'deployment.created',
  stoppedBy: ['deployments'],
  summary: 'Deploy the configured branch',
  tag,
  params: Id,
  status: 202,
  response: () => single(Deployment()),
});

export const listDeployments = /* @__PURE__ */ route({
  id: 'listDeployments',
  method: 'GET',
  path: '/v1/apps/{id}/deployments',
  access: 'read',
  right: 'member',
  summary: "List an application's deployments, newest first",
  tag,
  params: Id,
  query: () => Page('dep'),
  response: () => list(Deployment()),
});

export const getDeployment = /* @__PURE__ */ route({
  id: 'getDeployment',
  method: 'GET',
  path: '/v1/deployments/{id}',
  access: 'read',
  right: 'member',
  summary: 'Read a deployment with its log',
  tag,
  params: Id,
  response: () => single(DeploymentWithLog()),
  uses: ['builds'],
});

/** A line of a build's log (design, section 5). */
const LogLine = resource('LogLine', () =>
  z.object({
    n: describe(z.int(), 'The number of the line, from 1'),
    at: Timestamp(),
    text: z.string(),
  }),
);

export const readDeploymentLog = /* @__PURE__ */ route({
  id: 'readDeploymentLog',
  method: 'GET',
  path: '/v1/deployments/{id}/log',
  access: 'read',
  right: 'member',
  summary: 'Read the log of a deployment line by line, from where the last answer ended',
  tag,
  params: Id,
  query: () =>
    z.object({
      after: wholeNumber('The number of the last line that is known', 0, 1_000_000_000, 0),
      limit: wholeNumber('Maximum number of items to return', 1, 1000, 500),
    }),
  response: () => list(LogLine()),
  uses: ['builds'],
});
