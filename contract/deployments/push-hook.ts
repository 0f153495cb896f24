import * as z from 'zod/mini';
import { single } from '../envelope.ts';
import { route } from '../route.ts';

/**
 * The maximum size of a payload in bytes. It is larger than the 1 MiB of other requests, because a payload from GitHub describes up
 * to 2,048 commits, and smaller than the 6 MB that Lambda passes to a function.
 */
export const MAX_HOOK_BYTES = 4 * 1024 * 1024;

/** The result of a push: the deployment that it started or queued, or the reason why it was ignored. */
const PushResult = () => single(z.union([z.object({ deploymentId: z.string() }), z.object({ ignored: z.string() })]));

export const receivePush = /* @__PURE__ */ route({
  id: 'receivePush',
  method: 'POST',
  path: '/hooks/git/{appId}',
  access: 'hook',
  audit: { because: 'the platform records the deployment that a push starts' },
  stoppedBy: ['deployments'],
  summary: 'Push webhook: receives pushes from GitHub, GitLab and Bitbucket',
  tag: 'Deployments',
  params: () => z.object({ appId: z.string().check(z.minLength(1), z.maxLength(64)) }),
  status: 202,
  response: PushResult,
  uses: ['hooks'],
});
