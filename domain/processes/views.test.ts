import { expect, test } from 'vitest';
import type { Route } from '../../contract/route.ts';
import * as contract from '../../contract/routes.ts';
import type { PanelAccount } from '../../providers/hosting-panel/panel.ts';
import type { Entity } from '../../table/entity.ts';
import type { Table } from '../../table/table.ts';
import { populate, TEXT, unlistedFields, walkable } from '../../test/support/schemas.ts';
import { getAccount } from '../accounts/accounts.ts';
import { listKeys } from '../accounts/api-keys.ts';
import { getMe } from '../accounts/me.ts';
import { readCredits } from '../ai/ledger.ts';
import { listProviderKeys } from '../ai/provider-keys.ts';
import { readUsage } from '../ai/usage.ts';
import { getApp, listApps } from '../apps/apps.ts';
import { listEnvKeys } from '../apps/environment.ts';
import { getDeployKey, getGitHook } from '../apps/git-access.ts';
import { listAuditEntries } from '../audit/log.ts';
import { getAutoTopUp } from '../billing/auto-top-up.ts';
import { getInvoice, listInvoices } from '../billing/invoice-views.ts';
import { listSubscriptions } from '../billing/subscriptions.ts';
import { getTopUp } from '../billing/top-ups.ts';
import { getWallet } from '../billing/wallet-view.ts';
import { getCustomDomain } from '../custom-domains/verify.ts';
import { listDatabases } from '../databases/databases.ts';
import { getDeployment, listDeployments } from '../deployments/create.ts';
import type { Caller } from '../deps.ts';
import { listDnsRecords } from '../dns/records.ts';
import { getHosting, getHostingDomain, listHosting } from '../hosting/subscriptions.ts';
import { getDomain, listDomains } from '../registrar/domains.ts';
import { listWebhooks } from '../webhooks/endpoints.ts';
import { listEvents } from '../webhooks/feed.ts';
import { listDeliveries, listEndpoints } from '../webhooks/manage.ts';

/** Reads that show nothing that is stored for an account: documents, catalogues and logs. */
const SHOWING_NO_ENTITY = [
  ...[
    'getDocs',
    'getOpenApi',
    'listPlans',
    'listModels',
    'getModel',
    'getDashboardOpenApi',
    'listDomainPrices',
    'checkDomain',
  ],
  ...['readDeploymentLog', 'readAppLogs'],
];

/** The domain function of every other read, by the id of its operation. */
const READS: Record<string, (deps: never, caller: Caller, input: never) => Promise<object>> = {
  ...{
    getAccount,
    getMe,
    listAuditEntries,
    listKeys,
    getAiCredits: readCredits,
    getAiUsage: readUsage,
    listProviderKeys,
  },
  ...{ getApp, listApps, listEnvKeys, getDeployKey, getGitHook, getDeployment, listDeployments, listDatabases },
  ...{
    getInvoice,
    listInvoices,
    getWallet,
    getTopUp,
    getAutoTopUp,
    listSubscriptions,
    getHosting,
    getHostingDomain,
    listHosting,
  },
  ...{
    getDomain,
    listDomains,
    listDnsRecords,
    getCustomDomain,
    listWebhooks,
    listEndpoints,
    listDeliveries,
    listEvents,
  },
};

const PANEL_ACCOUNT: PanelAccount = {
  ...{ domain: 'example.com', status: 'ACTIVE', usage: { Disk: '1 MB' } },
  mailboxes: [{ address: 'a@example.com', quotaMb: 0 }],
};

/** A table in which every item has all its fields, internal and optional ones too. */
const populated = <T, K>({ schema }: Entity<T, K>): T => populate(walkable(schema())) as T;
const table: Partial<Table> = {
  get: async (entity) => {
    const item = populated(entity);
    // An event is shown by the schema of its type.
    const data = { webhookId: TEXT, internal: 1 };
    return entity.type === 'FEED_ENTRY' ? { ...item, type: 'ping', data } : item;
  },
  list: async (entity) => ({ items: [populated(entity)], hasMore: true }),
  async *newest(entity) {
    yield populated(entity);
  },
  all: async (entity) => [populated(entity)],
  since: async (entity) => [populated(entity)],
  updateReturningChanged: async () => ({}),
};

const reads = [...contract.routes, ...contract.dashboardRoutes].filter(
  ({ id, method }) => method === 'GET' && !SHOWING_NO_ENTITY.includes(id),
);

test.each(reads.map((route): [string, Route] => [route.id, route]))(
  '%s shows only fields that the contract lists, whatever is stored beside them',
  async (id, { response }) => {
    const deps = {
      table,
      now: () => new Date(TEXT),
      settings: { publicUrl: 'https://example.com', appsDomain: 'apps.example.com', hostArnOf: (of: string) => of },
      secrets: { unseal: async () => TEXT },
      builds: { readLog: async () => [] },
      panel: { read: async () => ({ ...PANEL_ACCOUNT, mailboxes: [{ ...PANEL_ACCOUNT.mailboxes[0], internal: 1 }] }) },
      edgeEndpoint: 'edge.example.com',
      seller: { name: TEXT, address: TEXT, vatNumber: null },
    };
    const act = READS[id] as (deps: object, caller: Caller, input: object) => Promise<object>;
    const shown = await act(deps, { accountId: TEXT, keyId: TEXT }, { id: TEXT, limit: 1, offset: 0, days: 1 });
    expect(Object.keys(shown)).toContain('data');
    expect(response && unlistedFields(walkable(response()), shown)).toEqual([]);
  },
);
