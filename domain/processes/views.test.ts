import { expect, test } from 'vitest';
import type { Route } from '../../contract/route.ts';
import * as contract from '../../contract/routes.ts';
import type { PanelAccount } from '../../providers/hosting-panel/panel.ts';
import type { Entity } from '../../table/entity.ts';
import type { Table } from '../../table/table.ts';
import { inEveryCell } from '../../test/support/cells.ts';
import { populate, TEXT, unlistedFields, walkable } from '../../test/support/schemas.ts';
import { getAccount } from '../accounts/accounts.ts';
import { listKeys } from '../accounts/api-keys.ts';
import { getMe } from '../accounts/me.ts';
import { listMembers } from '../accounts/members.ts';
import { listNotifications } from '../accounts/notifications.ts';
import { listCalls, readProviderStats } from '../ai/calls.ts';
import { readCredits } from '../ai/ledger.ts';
import { listProviderKeys } from '../ai/provider-keys.ts';
import { readUsage } from '../ai/usage.ts';
import { getApp, listApps } from '../apps/apps.ts';
import { listEnvKeys } from '../apps/environment.ts';
import { getDeployKey, getGitHook } from '../apps/git-access.ts';
import { readMetrics } from '../apps/metrics.ts';
import { listAuditEntries } from '../audit/log.ts';
import { getAutoTopUp } from '../billing/auto-top-up.ts';
import { getInvoice, listInvoices } from '../billing/invoice-views.ts';
import { readSpending } from '../billing/spending.ts';
import { listSubscriptions } from '../billing/subscriptions.ts';
import { getTopUp } from '../billing/top-ups.ts';
import { getWallet } from '../billing/wallet-view.ts';
import { getCustomDomain } from '../custom-domains/verify.ts';
import { getDatabase, listDatabases } from '../databases/databases.ts';
import { getDeployment, listDeployments } from '../deployments/deployments.ts';
import type { Caller } from '../deps.ts';
import { listDnsRecords } from '../dns/records.ts';
import { getHosting, getHostingDomain, listHosting } from '../hosting/subscriptions.ts';
import { readAccount } from '../operator/account.ts';
import { listOperatorAudit } from '../operator/audit.ts';
import { listFlags } from '../operator/flags.ts';
import { listMigrations } from '../operator/migrations.ts';
import { listCells } from '../operator/moves.ts';
import { listSwitches } from '../operator/switches.ts';
import { getDomain, listDomains } from '../registrar/domains.ts';
import { listWebhooks } from '../webhooks/endpoints.ts';
import { listEvents } from '../webhooks/feed.ts';
import { listDeliveries, listEndpoints } from '../webhooks/management.ts';
import { readDeliveryStats } from '../webhooks/search.ts';
import { listExports } from './account-data/exports.ts';
import { readOverview } from './overview.ts';

/** Reads that show nothing that is stored for an account: documents, catalogues and logs. */
const SHOWING_NO_ENTITY = [
  'getDocs',
  'getOpenApi',
  'listPlans',
  'listModels',
  'getModel',
  'getDashboardOpenApi',
  'getOperatorOpenApi',
  'listFailures',
  'readFailures',
  'listDomainPrices',
  'checkDomain',
  'readDeploymentLog',
  'readAppLogs',
  'inspectRepository',
  'getAppStarts',
  'getAppRequests',
  // A document, made of the fields that the invoice's views show.
  'getInvoicePdf',
  // A page with a button (domain/processes/mail/digest.test.ts).
  'showUnsubscribe',
];

/** The domain function of every other read, by the id of its operation. */
const READS: Record<string, (deps: never, caller: Caller, input: never) => Promise<object>> = {
  getAccount,
  getMe,
  listAuditEntries,
  listKeys,
  listMembers,
  listNotifications,
  listExports,
  getAiCredits: readCredits,
  getAiUsage: readUsage,
  listProviderKeys,
  getApp,
  listApps,
  listEnvKeys,
  getDeployKey,
  getGitHook,
  getDeployment,
  listDeployments,
  getDatabase,
  listDatabases,
  getInvoice,
  listInvoices,
  getWallet,
  getTopUp,
  getAutoTopUp,
  listSubscriptions,
  getHosting,
  getHostingDomain,
  listHosting,
  getDomain,
  listDomains,
  listDnsRecords,
  getCustomDomain,
  listWebhooks,
  listEndpoints,
  listDeliveries,
  listEvents,
  readAccount,
  listOperatorAudit,
  listSwitches,
  listFlags,
  listMigrations,
  listCells,
  getAppMetrics: readMetrics,
  getDeliveryStats: readDeliveryStats,
  listAiCalls: listCalls,
  getAiProviderStats: readProviderStats,
  getSpending: readSpending,
  getOverview: readOverview,
};

const PANEL_ACCOUNT = {
  domain: 'example.com',
  plan: 'web-s',
  status: 'ACTIVE' as const,
  usage: { Disk: '1 MB' },
  mailboxes: [{ address: 'a@example.com', quotaMb: 0 }],
} satisfies PanelAccount;

/**
 * Returns a table in which every item has all its fields, optional ones too, and in each object one that this version does not know.
 * @param unknown the value of each field that has a set of values, in place of one that this version knows
 */
function populatedTable(unknown?: string): Partial<Table> {
  const populated = <T, K>(entity: Entity<T, K>): T => {
    const item = populate(walkable(entity.schema()), unknown === undefined ? undefined : () => unknown) as T;
    // An event is shown by the schema of its type.
    const data = { webhookId: TEXT, internal: 1 };
    return entity.parse(entity.type === 'FEED_ENTRY' ? { ...item, type: unknown ?? 'ping', data } : item);
  };
  return {
    get: async (entity) => populated(entity),
    list: async (entity) => ({ items: [populated(entity)], hasMore: true }),
    async *newest(entity) {
      yield populated(entity);
    },
    all: async (entity) => [populated(entity)],
    since: async (entity) => [populated(entity)],
    updateReturningChanged: async () => ({}),
  };
}

const reads = [...contract.routes, ...contract.dashboardRoutes, ...contract.operatorRoutes].filter(
  ({ id, method }) => method === 'GET' && !SHOWING_NO_ENTITY.includes(id),
);

/** Runs a read over the populated table. */
async function read(id: string, unknown?: string): Promise<object> {
  const deps = {
    table: populatedTable(unknown),
    commit: async (_: unknown, output: unknown) => output,
    now: () => new Date(TEXT),
    settings: { publicUrl: 'https://example.com', appsDomain: 'apps.example.com', hostArnOf: (of: string) => of },
    secrets: { unseal: async () => TEXT },
    databaseMetrics: { storageBytes: async () => 1 },
    builds: { readLog: async () => [] },
    panel: { read: async () => ({ ...PANEL_ACCOUNT, mailboxes: [{ ...PANEL_ACCOUNT.mailboxes[0], internal: 1 }] }) },
    ...inEveryCell({ appMetrics: { read: async () => [] }, edgeEndpoint: 'edge.example.com' }),
    seller: { name: TEXT, address: TEXT, vatNumber: null },
  };
  const act = READS[id] as (deps: object, caller: Caller, input: object) => Promise<object>;
  const session = {
    subject: TEXT,
    key: TEXT,
    expiresAtEpoch: 1,
    readProfile: () => Promise.reject(new Error('unused')),
  };
  const caller: Caller = { accountId: TEXT, keyId: TEXT, login: true, session, role: 'owner' };
  return await act(deps, caller, { id: TEXT, limit: 1, offset: 0, days: 1, range: 'day' });
}

const named = reads.map((route): [string, Route] => [route.id, route]);

test.each(named)('%s shows only fields that the contract lists, whatever is stored beside them', async (id, route) => {
  const shown = await read(id);
  expect(Object.keys(shown)).toContain('data');
  expect(route.response && unlistedFields(walkable(route.response()), shown)).toEqual([]);
});

/** A value out of a set that only a newer version of the platform has. */
const NEWER = 'FROM_A_NEWER_VERSION';

test.each(named)('%s answers when a newer version has written values that this one does not know', async (id) => {
  expect(Object.keys(await read(id, NEWER))).toContain('data');
});
