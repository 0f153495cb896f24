import * as z from 'zod/mini';
import { Id, one } from './envelope.ts';
import { route } from './route.ts';

const tag = 'Applications';

export const getDeployKey = route({
  id: 'getDeployKey',
  method: 'GET',
  path: '/dashboard/v1/apps/{id}/deploy-key',
  access: 'login',
  summary: 'Read the public key that lets builds of an application clone a private repository over SSH',
  tag,
  params: Id,
  response: () => one(z.object({ publicKey: z.string() })),
});

export const getGitHook = route({
  id: 'getGitHook',
  method: 'GET',
  path: '/dashboard/v1/apps/{id}/git-hook',
  access: 'login',
  summary: 'Read where a Git host is to tell of pushes, and the secret that it signs with',
  tag,
  params: Id,
  response: () => one(z.object({ url: z.string(), secret: z.string() })),
  uses: ['hooks'],
});
