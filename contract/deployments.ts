import * as z from 'zod/mini';
import { DEPLOYMENT_STATUSES, TRIGGERS } from './choices.ts';
import { Id, many, one, Page, resource, Timestamp } from './envelope.ts';
import { route } from './route.ts';

/** Specification, Resources: Deployment (as lists show it: without `log`). */
export const Deployment = resource('Deployment', () =>
  z.object({
    id: z.string(),
    applicationId: z.string(),
    status: z.enum(DEPLOYMENT_STATUSES),
    trigger: z.enum(TRIGGERS),
    commitSha: z
      .string()
      .register(z.globalRegistry, { description: 'Short commit hash; empty until the repository is cloned' }),
    startedAt: Timestamp,
    finishedAt: z.nullable(Timestamp),
  }),
);

/** A deployment with its build log, which grows while the build runs. */
export const DeploymentWithLog = resource('DeploymentWithLog', () => z.extend(Deployment(), { log: z.string() }));

const tag = 'Deployments';

export const createDeployment = route({
  id: 'createDeployment',
  method: 'POST',
  path: '/v1/apps/{id}/deployments',
  access: 'deploy',
  summary: 'Deploy the configured branch',
  tag,
  params: Id,
  status: 202,
  response: () => one(Deployment()),
});

export const listDeployments = route({
  id: 'listDeployments',
  method: 'GET',
  path: '/v1/apps/{id}/deployments',
  access: 'read',
  summary: "List an application's deployments, newest first",
  tag,
  params: Id,
  query: Page,
  response: () => many(Deployment()),
});

export const getDeployment = route({
  id: 'getDeployment',
  method: 'GET',
  path: '/v1/deployments/{id}',
  access: 'read',
  summary: 'Read a deployment with its log',
  tag,
  params: Id,
  response: () => one(DeploymentWithLog()),
  uses: ['builds'],
});
