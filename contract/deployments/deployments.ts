import * as z from 'zod/mini';
import { DEPLOYMENT_STATUSES, TRIGGERS } from '../enums.ts';
import { describe, Id, list, Page, resource, single, Timestamp, wholeNumber } from '../envelope.ts';
import { route } from '../route.ts';

/** A deployment in a list, without `log` (specification, Resources: Deployment). */
export const Deployment = resource('Deployment', () =>
  z.object({
    id: z.string(),
    applicationId: z.string(),
    status: z.enum(DEPLOYMENT_STATUSES),
    trigger: z.enum(TRIGGERS),
    commitSha: describe(z.string(), 'Short commit hash; empty until the repository is cloned'),
    startedAt: Timestamp(),
    finishedAt: z.nullable(Timestamp()),
    /** Addition: true while the deployment's release is kept and the application can be rolled back to it. */
    canRollBack: z.boolean(),
  }),
);

/** A deployment with its build log, which grows while the build runs. */
const DeploymentWithLog = resource('DeploymentWithLog', () =>
  z.extend(Deployment(), {
    log: z.string(),
    /** An addition to the specification. */
    queue: describe(
      z.nullable(
        z.object({
          position: describe(z.int(), 'Position among the waiting deployments of the account, from 1'),
          reason: z.string(),
        }),
      ),
      'Position in the queue for the build or the release, and the reason for the wait; null while the deployment is not waiting',
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

/** A line of a build log. */
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
  summary: 'Read the log of a deployment in lines, after the last line that you have',
  tag,
  params: Id,
  query: () =>
    z.object({
      after: wholeNumber('The number of the last line that you have', 0, 1_000_000_000, 0),
      limit: wholeNumber('Maximum number of items to return', 1, 1000, 500),
    }),
  response: () => list(LogLine()),
  uses: ['builds'],
});
