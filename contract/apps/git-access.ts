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
  summary: 'Read the public key that lets builds of an application clone a private repository over SSH',
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
  summary: 'Read the address and secret of the push webhook',
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
  summary: 'Give an application a new deploy key; builds that begin from now on use it and no other',
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
  summary: 'Give an application a new hook secret; hooks signed with the old one are refused at once',
  tag,
  params: Id,
  response: GitHook,
  uses: ['new-hook-secret'],
});
