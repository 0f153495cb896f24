import * as z from 'zod/mini';
import { one } from '../envelope.ts';
import { route } from '../route.ts';

/**
 * The largest payload that is read, in bytes. More than the 1 MiB of other requests: GitHub describes up to 2,048 commits in
 * one. Less than the 6 MB that a function can be handed.
 */
export const HOOK_LIMIT = 4 * 1024 * 1024;

/** What became of a push: the deployment that it started or that waits for its turn, or why it was passed over. */
const Pushed = () => one(z.union([z.object({ deploymentId: z.string() }), z.object({ ignored: z.string() })]));

export const receivePush = route({
  id: 'receivePush',
  method: 'POST',
  path: '/hooks/git/{appId}',
  access: 'hook',
  summary: 'Tell of a push to the repository: GitHub, GitLab and Bitbucket do',
  tag: 'Deployments',
  params: () => z.object({ appId: z.string().check(z.minLength(1), z.maxLength(64)) }),
  status: 202,
  response: Pushed,
  uses: ['hooks'],
});
