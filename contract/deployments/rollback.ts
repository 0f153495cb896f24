import * as z from 'zod/mini';
import { Id, one } from '../envelope.ts';
import { route } from '../route.ts';
import { Deployment } from './deployments.ts';

export const rollBack = route({
  id: 'rollBack',
  method: 'POST',
  path: '/dashboard/v1/apps/{id}/rollback',
  access: 'login',
  summary: 'Let an earlier release serve again, code and variables together, without a build',
  tag: 'Deployments',
  params: Id,
  body: () => z.object({ deploymentId: z.string().check(z.minLength(1), z.maxLength(64)) }),
  status: 202,
  response: () => one(Deployment()),
});
