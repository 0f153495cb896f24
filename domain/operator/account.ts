import { ApiError } from '../../contract/errors.ts';
import type { readAccount as ReadRoute } from '../../contract/operator/accounts.ts';
import type { Input, Output } from '../../contract/route.ts';
import { AccountDeletion } from '../../table/entities/account-data.ts';
import { Account, ApiKey, apiKeysOf } from '../../table/entities/accounts.ts';
import { App, appsOf } from '../../table/entities/apps.ts';
import { Deployment, deploymentsOf } from '../../table/entities/deployments.ts';
import { FailedRequest, failedRequestsOf } from '../../table/entities/lookups.ts';
import { Delivery, deliveriesOf, Webhook, webhooksOf } from '../../table/entities/webhooks.ts';
import { readUsage, viewAccount } from '../accounts/accounts.ts';
import { listKeys } from '../accounts/api-keys.ts';
import { readCredits } from '../ai/ledger.ts';
import { viewApp } from '../apps/apps.ts';
import { HOME_CELL } from '../apps/cells.ts';
import { NO_ACCOUNT } from '../audit/record.ts';
import { listInvoices } from '../billing/invoice-views.ts';
import { listSubscriptions } from '../billing/subscriptions.ts';
import { getWallet } from '../billing/wallet-view.ts';
import { readBuildQueue } from '../deployments/build-queue.ts';
import { viewDeployment } from '../deployments/deployment.ts';
import { progressOf } from '../deployments/progress.ts';
import type { Caller, Deps } from '../deps.ts';
import { listDomains } from '../registrar/domains.ts';
import { attemptCount, lastOutcome } from '../webhooks/attempts.ts';
import { listEndpoints } from '../webhooks/management.ts';

/** The page of each list that the response includes. */
const NEWEST = { limit: 20, offset: 0 };
/** The page of applications, keys and endpoints. It is larger than plans allow, because an operator must be able to suspend each of them. */
const ALL = { limit: 200, offset: 0 };
/** The page of deployments per application, and of deliveries per endpoint. The response includes the newest of them. */
const NEWEST_PER_PARENT = { limit: 5, offset: 0 };

type AccountData = Output<typeof ReadRoute>['data'];

/** Returns the newest items, newest first. */
const newestBy = <T>(items: readonly T[], timeOf: (item: T) => string): T[] =>
  items.toSorted((one, other) => (timeOf(one) < timeOf(other) ? 1 : -1)).slice(0, NEWEST.limit);

/** Returns the newest deployments of these applications. */
async function newestDeployments(
  deps: Deps,
  accountId: string,
  applicationIds: readonly string[],
): Promise<AccountData['deployments']> {
  const listOf = (id: string) => deps.table.list(Deployment, deploymentsOf(id), NEWEST_PER_PARENT);
  const [pages, buildQueue] = await Promise.all([
    Promise.all(applicationIds.map(listOf)),
    readBuildQueue(deps, accountId),
  ]);
  const deployments = pages.flatMap(({ items }) => items);
  return newestBy(deployments, ({ startedAt }) => startedAt).map((deployment) => ({
    ...viewDeployment(deployment),
    progress: progressOf(deployment, buildQueue),
  }));
}

/** Returns the newest deliveries to these endpoints, without their request and response bodies. */
async function newestDeliveries({ table }: Deps, endpointIds: readonly string[]): Promise<AccountData['deliveries']> {
  const pages = await Promise.all(endpointIds.map((id) => table.list(Delivery, deliveriesOf(id), NEWEST_PER_PARENT)));
  const deliveries = pages.flatMap(({ items }) => items);
  return newestBy(deliveries, ({ createdAt }) => createdAt).map(
    ({ id, webhookId, type, status, createdAt, nextAttemptAt, ...delivery }) => ({
      id,
      webhookId,
      type,
      status,
      createdAt,
      nextAttemptAt,
      attempts: attemptCount(delivery),
      lastOutcome: lastOutcome(delivery),
    }),
  );
}

const viewSuspension = (suspension: AccountData['suspension'] | undefined): AccountData['suspension'] =>
  suspension ? { reason: suspension.reason, since: suspension.since } : null;

/** Returns the suspensions of items by their ids. */
const suspensionsOf = (items: readonly { id: string; suspension?: AccountData['suspension'] | undefined }[]) =>
  new Map(items.map(({ id, suspension }) => [id, viewSuspension(suspension)]));

/** GET /operator/v1/accounts/{id}. Records the read in the operators' audit log. Throws 404. */
export async function readAccount(
  deps: Deps,
  _: Caller,
  { id }: Input<typeof ReadRoute>,
): Promise<Output<typeof ReadRoute>> {
  const caller: Caller = { accountId: id, keyId: '' };
  const stored = await deps.table.get(Account, { id });
  if (!stored) throw new ApiError('not_found', 'Account not found.');
  const [
    today,
    apps,
    keys,
    storedKeys,
    wallet,
    credits,
    invoices,
    subscriptions,
    domains,
    endpoints,
    webhooks,
    failed,
    deletion,
  ] = await Promise.all([
    readUsage(deps, id),
    deps.table.list(App, appsOf(id), ALL),
    listKeys(deps, caller, ALL),
    deps.table.list(ApiKey, apiKeysOf(id), ALL),
    getWallet(deps, caller),
    readCredits(deps, caller, NEWEST),
    listInvoices(deps, caller, NEWEST),
    listSubscriptions(deps, caller, NEWEST),
    listDomains(deps, caller, NEWEST),
    listEndpoints(deps, caller, ALL),
    deps.table.all(Webhook, webhooksOf(id)),
    deps.table.list(FailedRequest, failedRequestsOf(id), NEWEST),
    deps.table.get(AccountDeletion, { accountId: id }),
  ]);
  const [deployments, deliveries] = await Promise.all([
    newestDeployments(
      deps,
      id,
      apps.items.slice(0, NEWEST.limit).map((app) => app.id),
    ),
    newestDeliveries(
      deps,
      endpoints.data.slice(0, NEWEST.limit).map((endpoint) => endpoint.id),
    ),
  ]);
  const [keySuspensions, endpointSuspensions] = [suspensionsOf(storedKeys.items), suspensionsOf(webhooks)];
  const data: AccountData = {
    account: viewAccount(deps, stored, today),
    suspension: viewSuspension(stored.suspension),
    deletedAt: deletion?.deletedAt ?? null,
    limitOverrides: stored.limits ?? {},
    applications: apps.items.map((app) => ({
      ...viewApp(app),
      cell: app.cellId ?? HOME_CELL,
      movingTo: app.movingTo ?? null,
      drainingFrom: app.drainingFrom ?? null,
    })),
    deployments,
    keys: keys.data.map((key) => ({ ...key, suspension: keySuspensions.get(key.id) ?? null })),
    wallet: { ...wallet.data, transactions: wallet.data.transactions.slice(0, NEWEST.limit) },
    credits: credits.data,
    invoices: invoices.data,
    subscriptions: subscriptions.data,
    domains: domains.data,
    endpoints: endpoints.data.map((endpoint) => ({
      ...endpoint,
      suspension: endpointSuspensions.get(endpoint.id) ?? null,
    })),
    deliveries,
    errors: failed.items.map(({ requestId, operation, status, code, message, at, by = null, address = null }) => ({
      requestId,
      operation,
      status,
      code,
      message,
      at,
      by,
      address,
    })),
  };
  return await deps.commit([], { data }, { action: 'account.read', accountId: NO_ACCOUNT, subjectId: id });
}
