import { getAccount } from './account.ts';
import { listModels } from './ai.ts';
import { buyAiCredits, deleteProviderKey, getAiCredits, listProviderKeys, putProviderKey } from './ai-control.ts';
import { readAppLogs } from './app-logs.ts';
import { createApp, deleteApp, getApp, listApps, updateApp } from './apps.ts';
import { createChatCompletion } from './chat.ts';
import { checkCustomDomain, getCustomDomain, removeCustomDomain, setCustomDomain } from './custom-domains.ts';
import { createDatabase, listDatabases } from './databases.ts';
import { createDeployment, getDeployment, listDeployments, readDeploymentLog } from './deployments.ts';
import { addDnsRecord, deleteDnsRecord, listDnsRecords } from './dns.ts';
import { getDocs, getOpenApi } from './docs.ts';
import { checkDomain, listDomainPrices } from './domain-catalogue.ts';
import { orderDomain } from './domain-orders.ts';
import { getDomain, listDomains } from './domains.ts';
import { listEnvKeys, replaceEnv } from './env.ts';
import { getDeployKey, getGitHook, rotateDeployKey, rotateGitHook } from './git-access.ts';
import { receivePush } from './hooks.ts';
import { getHosting, listHosting } from './hosting.ts';
import { getInvoice, listInvoices, payInvoice } from './invoices.ts';
import { createKey, listKeys, revokeKey } from './keys.ts';
import { getMe } from './me.ts';
import { listPlans } from './plans.ts';
import { rollBack } from './rollbacks.ts';
import type { Access, Method, Path, Uses } from './route.ts';
import { cancelSubscription, createSubscription, listSubscriptions } from './subscriptions.ts';
import { createTopUp, getAutoTopUp, getTopUp, receivePayment, setAutoTopUp } from './top-ups.ts';
import { getWallet } from './wallet.ts';
import {
  enableWebhook,
  listDeliveries,
  listEndpoints,
  pingWebhook,
  resendDelivery,
  resendSkipped,
  rotateSecret,
} from './webhook-control.ts';
import { createWebhook, deleteWebhook, listWebhooks } from './webhooks.ts';

/** What the whole API consists of, seen without the types of inputs and outputs. */
export interface AnyRoute {
  id: string;
  method: Method;
  path: Path;
  access: Access;
  uses: readonly Uses[];
  mirrored: boolean;
}

/** Every operation of the HTTP API: from this list come the HTTP routes, the Lambdas, the OpenAPI document. */
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
  listInvoices,
  getInvoice,
  getWallet,
  listPlans,
  receivePush,
  receivePayment,
  listModels,
  checkDomain,
  listDomainPrices,
  listDomains,
  orderDomain,
  getDomain,
  listDnsRecords,
  addDnsRecord,
  deleteDnsRecord,
  listWebhooks,
  createWebhook,
  deleteWebhook,
  listHosting,
  getHosting,
  getOpenApi,
  getDocs,
] as const;

/** What a login may do beyond all that a key may: operations under `/dashboard/v1` (lib/dashboard-api.ts). */
export const dashboardRoutes = [
  getMe,
  listKeys,
  createKey,
  revokeKey,
  listEnvKeys,
  getDeployKey,
  getGitHook,
  rotateDeployKey,
  rotateGitHook,
  rollBack,
  listDatabases,
  createDatabase,
  getCustomDomain,
  checkCustomDomain,
  setCustomDomain,
  removeCustomDomain,
  listEndpoints,
  enableWebhook,
  pingWebhook,
  rotateSecret,
  listDeliveries,
  resendDelivery,
  resendSkipped,
  getAiCredits,
  buyAiCredits,
  listProviderKeys,
  putProviderKey,
  deleteProviderKey,
  payInvoice,
  createTopUp,
  getTopUp,
  getAutoTopUp,
  setAutoTopUp,
  listSubscriptions,
  createSubscription,
  cancelSubscription,
  readDeploymentLog,
  readAppLogs,
] as const;

/** Operations that answer byte by byte, each from a function of its own behind the same base address (lib/ai.ts). */
export const streamedRoutes = [createChatCompletion] as const;
