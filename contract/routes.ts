import { getAccount } from './account.ts';
import { createApp, deleteApp, getApp, listApps, updateApp } from './apps.ts';
import { createDeployment, getDeployment, listDeployments } from './deployments.ts';
import { getDocs, getOpenApi } from './docs.ts';
import { replaceEnv } from './env.ts';
import type { Access, Method, Uses } from './route.ts';
import { createWebhook, deleteWebhook, listWebhooks } from './webhooks.ts';

/** What the whole API consists of, seen without the types of inputs and outputs. */
export interface AnyRoute {
  id: string;
  method: Method;
  path: `/${string}`;
  access: Access;
  uses: readonly Uses[];
}

/** Every operation there is: from this list come the HTTP routes, the Lambdas, the OpenAPI document. */
export const routes = [
  getAccount,
  listApps,
  createApp,
  getApp,
  updateApp,
  deleteApp,
  createDeployment,
  listDeployments,
  getDeployment,
  replaceEnv,
  listWebhooks,
  createWebhook,
  deleteWebhook,
  getOpenApi,
  getDocs,
] as const;
