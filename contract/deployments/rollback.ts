import * as z from 'zod/mini';
import { Id, single } from '../envelope.ts';
import { route } from '../route.ts';
import { Deployment } from './deployments.ts';

export const rollBack = /* @__PURE__ */ route({
  id: 'rollBack',
  method: 'POST',
  path: '/dashboard/v1/apps/{id}/rollback',
  access: 'login',
  right: 'develop',
  audit: 'deployment.rolled-back',
  stoppedBy: ['deployments'],
  summary: 'Roll back to an earlier release, with its code and variables, without a build',
  tag: 'Deployments',
  params: Id,
  body: () => z.object({ deploymentId: z.string().check(z.minLength(1), z.maxLength(64)) }),
  status: 202,
  response: () => single(Deployment()),
});
