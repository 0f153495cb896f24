import { getAccount } from './accounts/accounts.ts';
import { createKey, listKeys, revokeKey, updateKey } from './accounts/api-keys.ts';
import { cancelDeletion, requestDeletion } from './accounts/deletion.ts';
import { createExportLink, listExports, startExport } from './accounts/export.ts';
import { getMe } from './accounts/me.ts';
import {
  acceptInvitation,
  inviteMember,
  leaveAccount,
  listMembers,
  removeMember,
  resendInvitation,
  revokeInvitation,
  updateMember,
} from './accounts/members.ts';
import { listNotifications, readNotifications, setNotificationSettings } from './accounts/notifications.ts';
import { getOverview } from './accounts/overview.ts';
import { deleteSession } from './accounts/session.ts';
import { showUnsubscribe, unsubscribe } from './accounts/unsubscribe.ts';
import { getAiProviderStats, listAiCalls } from './ai/calls.ts';
import { createChatCompletion } from './ai/chat.ts';
import { getModel, listModels } from './ai/gateway.ts';
import {
  buyAiCredits,
  deleteProviderKey,
  getAiCredits,
  getAiUsage,
  listProviderKeys,
  putProviderKey,
} from './ai/management.ts';
import { createApp, deleteApp, editApp, getApp, listApps, updateApp } from './apps/apps.ts';
import { listEnvKeys, replaceEnv, updateEnv } from './apps/environment.ts';
import { getDeployKey, getGitHook, rotateDeployKey, rotateGitHook } from './apps/git-access.ts';
import { readAppLogs } from './apps/logs.ts';
import { getAppMetrics, getAppRequests, getAppStarts } from './apps/metrics.ts';
import { inspectRepository } from './apps/repository-inspection.ts';
import type { AuditAction } from './audit/actions.ts';
import { listAuditEntries } from './audit/audit.ts';
import { getInvoice, getInvoicePdf, getSpending, listInvoices, payInvoice } from './billing/invoices.ts';
import { listPlans } from './billing/plans.ts';
import { cancelSubscription, createSubscription, listSubscriptions } from './billing/subscriptions.ts';
import { createTopUp, getAutoTopUp, getTopUp, receivePayment, setAutoTopUp } from './billing/top-ups.ts';
import { getWallet } from './billing/wallet.ts';
import {
  checkCustomDomain,
  getCustomDomain,
  removeCustomDomain,
  setCustomDomain,
} from './custom-domains/custom-domains.ts';
import {
  createDatabase,
  createDatabasePassword,
  deleteDatabase,
  getDatabase,
  listDatabases,
  resetDatabasePasswords,
} from './databases/databases.ts';
import { createDeployment, getDeployment, listDeployments, readDeploymentLog } from './deployments/deployments.ts';
import { receivePush } from './deployments/push-hook.ts';
import { rollBack } from './deployments/rollback.ts';
import { addDnsRecord, deleteDnsRecord, listDnsRecords, replaceDnsRecord } from './dns/records.ts';
import { getHostingDomain } from './hosting/domains.ts';
import { createHostingSession, getHosting, listHosting } from './hosting/hosting.ts';
import { listOperatorAudit, readAccount, searchAccounts } from './operator/accounts.ts';
import {
  adjustMoney,
  cancelDeployment,
  changeLimits,
  openCustomerAccount,
  resendForCustomer,
  setSuspension,
} from './operator/actions.ts';
import { listCells, moveApp } from './operator/cells.ts';
import { discardFailures, listFailures, readFailures, replayFailures } from './operator/failures.ts';
import { listFlags, setFlag } from './operator/flags.ts';
import { listMigrations } from './operator/migrations.ts';
import { getOperatorOpenApi } from './operator/routes.ts';
import { adoptCustomerDomain, moveHostingAccount, saveHostingServer, setOffer } from './operator/settings.ts';
import { listSwitches, setSwitch } from './operator/switches.ts';
import { getDashboardOpenApi, getDocs, getOpenApi } from './reference/routes.ts';
import { checkDomain, listDomainPrices } from './registrar/catalogue.ts';
import { getDomain, listDomains } from './registrar/domains.ts';
import { orderDomain } from './registrar/orders.ts';
import { updateDomain } from './registrar/renewal.ts';
import type { Right } from './roles.ts';
import type { Access, Method, OperatorUses, Path, Uses } from './route.ts';
import { createWebhook, deleteWebhook, listWebhooks } from './webhooks/endpoints.ts';
import { listEvents } from './webhooks/feed.ts';
import {
  enableWebhook,
  getDeliveryStats,
  listDeliveries,
  listEndpoints,
  pingWebhook,
  resendDelivery,
  resendSkipped,
  rotateSecret,
  updateWebhook,
} from './webhooks/management.ts';

/** A route of the API without the types of its input and output. */
export interface AnyRoute<U = Uses | OperatorUses> {
  id: string;
  method: Method;
  path: Path;
  access: Access;
  uses: readonly U[];
  alsoOnDashboard: boolean;
  right: Right | undefined;
  audit: AuditAction | undefined;
}

/** Every operation of the HTTP API. The HTTP routes, the Lambda functions and the OpenAPI document are derived from this list. */
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
  readDeploymentLog,
  replaceEnv,
  updateEnv,
  listEnvKeys,
  readAppLogs,
  listDatabases,
  createDatabase,
  getDatabase,
  createDatabasePassword,
  resetDatabasePasswords,
  deleteDatabase,
  listInvoices,
  getInvoice,
  getInvoicePdf,
  getWallet,
  listPlans,
  receivePush,
  showUnsubscribe,
  unsubscribe,
  receivePayment,
  listModels,
  getModel,
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
  listDeliveries,
  resendDelivery,
  listEvents,
  listHosting,
  getHosting,
  getOpenApi,
  getDocs,
] as const;

/** Operations for logins only, under `/dashboard/v1` (lib/stacks/api-parts.ts). */
export const dashboardRoutes = [
  getMe,
  listMembers,
  inviteMember,
  resendInvitation,
  revokeInvitation,
  acceptInvitation,
  updateMember,
  removeMember,
  leaveAccount,
  listNotifications,
  readNotifications,
  setNotificationSettings,
  getOverview,
  listKeys,
  createKey,
  updateKey,
  revokeKey,
  updateDomain,
  editApp,
  getDeployKey,
  getGitHook,
  inspectRepository,
  rotateDeployKey,
  rotateGitHook,
  rollBack,
  getAppMetrics,
  getAppStarts,
  getAppRequests,
  getCustomDomain,
  checkCustomDomain,
  setCustomDomain,
  removeCustomDomain,
  replaceDnsRecord,
  listEndpoints,
  updateWebhook,
  enableWebhook,
  pingWebhook,
  rotateSecret,
  resendSkipped,
  getDeliveryStats,
  getAiCredits,
  getAiUsage,
  listAiCalls,
  getAiProviderStats,
  buyAiCredits,
  listProviderKeys,
  putProviderKey,
  deleteProviderKey,
  payInvoice,
  getSpending,
  createTopUp,
  getTopUp,
  getAutoTopUp,
  setAutoTopUp,
  listSubscriptions,
  createSubscription,
  cancelSubscription,
  getHostingDomain,
  createHostingSession,
  listAuditEntries,
  startExport,
  listExports,
  createExportLink,
  requestDeletion,
  cancelDeletion,
  deleteSession,
  getDashboardOpenApi,
] as const;

/** Operations for the platform's operators, under `/operator/v1` (lib/stacks/operator-api.ts). */
export const operatorRoutes = [
  searchAccounts,
  readAccount,
  listOperatorAudit,
  setSuspension,
  cancelDeployment,
  moveApp,
  listCells,
  changeLimits,
  adjustMoney,
  resendForCustomer,
  openCustomerAccount,
  setOffer,
  saveHostingServer,
  moveHostingAccount,
  adoptCustomerDomain,
  listSwitches,
  setSwitch,
  listFlags,
  setFlag,
  listMigrations,
  listFailures,
  readFailures,
  replayFailures,
  discardFailures,
  getOperatorOpenApi,
] as const;

/** Operations with a streamed response. Each has its own function behind the same base address (lib/stacks/ai.ts). */
export const streamedRoutes = [createChatCompletion] as const;
