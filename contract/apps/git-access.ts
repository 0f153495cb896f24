import * as z from 'zod/mini';
import { Id, single } from '../envelope.ts';
import { route } from '../route.ts';

const tag = 'Applications';
const DeployKey = () => single(z.object({ publicKey: z.string() }));
const GitHook = () => single(z.object({ url: z.string(), secret: z.string() }));

export const getDeployKey = /* @__PURE__ */ route({
  id: 'getDeployKey',
  method: 'GET',
  path: '/dashboard/v1/apps/{id}/deploy-key',
  access: 'login',
  right: 'member',
  summary: 'Read the deploy key of an application, with which builds clone a private repository over SSH',
  tag,
  params: Id,
  response: DeployKey,
});

export const getGitHook = /* @__PURE__ */ route({
  id: 'getGitHook',
  method: 'GET',
  path: '/dashboard/v1/apps/{id}/git-hook',
  access: 'login',
  right: 'develop',
  summary: 'Read the URL and the secret of the push webhook',
  tag,
  params: Id,
  response: GitHook,
  uses: ['hooks'],
});

export const rotateDeployKey = /* @__PURE__ */ route({
  id: 'rotateDeployKey',
  method: 'POST',
  path: '/dashboard/v1/apps/{id}/deploy-key/rotate',
  access: 'login',
  right: 'develop',
  audit: 'deploy-key.rotated',
  summary: 'Replace the deploy key of an application; builds that start later use only the new key',
  tag,
  params: Id,
  response: DeployKey,
  uses: ['new-deploy-key'],
});

export const rotateGitHook = /* @__PURE__ */ route({
  id: 'rotateGitHook',
  method: 'POST',
  path: '/dashboard/v1/apps/{id}/git-hook/rotate',
  access: 'login',
  right: 'develop',
  audit: 'git-hook.rotated',
  summary: 'Replace the push webhook’s secret; pushes signed with the old secret are refused immediately',
  tag,
  params: Id,
  response: GitHook,
  uses: ['new-hook-secret'],
});
