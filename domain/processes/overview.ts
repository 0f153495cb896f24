import { NEAR_BUDGET } from '../../contract/accounts/api-keys.ts';
import {
  EXPIRES_SOON_DAYS,
  type getOverview as OverviewRoute,
  RECENT_CHANGES,
} from '../../contract/accounts/overview.ts';
import { labelOfAction } from '../../contract/audit/actions.ts';
import type { Output } from '../../contract/route.ts';
import { Account, ApiKey, apiKeysOf } from '../../table/entities/accounts.ts';
import { AiAccount, AiKeySpending, AiUsage, aiUsageOf } from '../../table/entities/ai.ts';
import { InvoiceByStatus, invoicesByStatus } from '../../table/entities/billing.ts';
import { Domain, domainsOf } from '../../table/entities/registrar.ts';
import { Webhook, webhooksOf } from '../../table/entities/webhooks.ts';
import { chargedIn } from '../ai/key-budgets.ts';
import { CENT_MICRO_RAND, microRandToRand } from '../ai/prices.ts';
import { MAX_SUMS } from '../ai/usage-sums.ts';
import { listAuditEntries } from '../audit/log.ts';
import { formatRand, parseCents } from '../billing/money.ts';
import { readSpending } from '../billing/spending.ts';
import type { Caller, Deps } from '../deps.ts';
import { DAY_MS, timestampBefore } from '../time.ts';

type Overview = Output<typeof OverviewRoute>['data'];

/** Days over which the daily cost of AI calls is averaged. */
const AI_RATE_DAYS = 7;
/** Number of newest keys and domains that are considered. */
const MAX_LISTED = 200;

/** Returns the number of days that an amount lasts at a daily rate, both in cents; at most ten years, null without a rate. */
function lasts(cents: number, centsPerDay: number): Overview['wallet']['lasts'] {
  if (centsPerDay <= 0) return null;
  const days = Math.min(3650, Math.floor(Math.max(0, cents) / centsPerDay));
  return { perDay: formatRand(Math.round(centsPerDay)), days };
}

/** Returns the wallet's daily spending in cents: the price of the plans, and the average purchases of AI credits in this month and the two before. */
async function readWalletRate(deps: Deps, caller: Caller): Promise<number> {
  const { data } = await readSpending(deps, caller);
  const recent = data.months.slice(-3);
  const since = Date.parse(`${recent[0]?.month}-01T00:00:00Z`);
  const days = Math.max(1, (deps.now().getTime() - since) / DAY_MS);
  const credits = recent.reduce((sum, { aiCredits }) => sum + parseCents(aiCredits), 0);
  return parseCents(data.recurringMonthly) / 30 + credits / days;
}

/**
 * Returns the daily cost of the last days' AI calls in cents, from the stored sums. The calls of the last minutes are not in the sums: they
 * hardly change the average, and reading a busy account's calls at each load of the dashboard would be expensive.
 */
async function readCreditsRate(deps: Deps, { accountId }: Caller): Promise<number> {
  const from = timestampBefore(deps.now(), (AI_RATE_DAYS - 1) * DAY_MS).slice(0, 10);
  const sums = await deps.table.since(AiUsage, aiUsageOf(accountId), from, MAX_SUMS);
  return sums.reduce((sum, { microRand }) => sum + microRand, 0) / CENT_MICRO_RAND / AI_RATE_DAYS;
}

/** Returns the active keys that expire soon, and the ones that have spent most of their budget. */
async function readKeys(deps: Deps, { accountId }: Caller): Promise<Pick<Overview, 'expiringKeys' | 'budgets'>> {
  const now = deps.now();
  const { items } = await deps.table.list(ApiKey, apiKeysOf(accountId), { limit: MAX_LISTED, offset: 0 });
  const inUse = items.filter(
    ({ revokedAt, expiresAt }) => !revokedAt && !(expiresAt && Date.parse(expiresAt) <= now.getTime()),
  );
  const expiringKeys = inUse.flatMap(({ id, name, expiresAt }) =>
    expiringSoon(expiresAt, now).map((at) => ({ id, name, expiresAt: at })),
  );
  const spending = await Promise.all(
    inUse.flatMap(({ id, name, aiBudgetMicroRand: budget }) =>
      budget === undefined
        ? []
        : [
            deps.table
              .get(AiKeySpending, { accountId, keyId: id })
              .then((calls) => ({ id, name, budget, spent: chargedIn(calls, now) })),
          ],
    ),
  );
  const budgets = spending
    .filter(({ budget, spent }) => spent >= budget * NEAR_BUDGET)
    .map(({ id, name, budget, spent }) => ({
      id,
      name,
      aiBudget: microRandToRand(budget),
      aiSpent: microRandToRand(spent),
    }));
  return { expiringKeys, budgets };
}

/** Returns a time if it is within {@link EXPIRES_SOON_DAYS}. */
const expiringSoon = (at: string | null, now: Date): string[] =>
  at !== null && Date.parse(at) <= now.getTime() + EXPIRES_SOON_DAYS * DAY_MS ? [at] : [];

async function readExpiringDomains(deps: Deps, { accountId }: Caller): Promise<Overview['expiringDomains']> {
  const { items } = await deps.table.list(Domain, domainsOf(accountId), { limit: MAX_LISTED, offset: 0 });
  return items
    .filter(({ status, autoRenew }) => status === 'ACTIVE' && !autoRenew)
    .flatMap(({ id, name, expiresAt }) =>
      expiringSoon(expiresAt, deps.now()).map((at) => ({ id, domain: name, expiresAt: at })),
    );
}

async function readWebhooks(deps: Deps, { accountId }: Caller): Promise<Overview['webhooks']> {
  const endpoints = await deps.table.all(Webhook, webhooksOf(accountId));
  const failing = endpoints
    .filter(({ active, failureCount }) => !active || failureCount > 0)
    .map(({ id, url, active, failureCount }) => ({ id, url, active, failureCount }));
  return { endpoints: endpoints.length, failing };
}

/** GET /dashboard/v1/overview: everything that the screen shows in addition to the account and its applications, in one request. */
export async function readOverview(deps: Deps, caller: Caller): Promise<Output<typeof OverviewRoute>> {
  const { accountId } = caller;
  const [account, ai, unpaid, walletRate, creditsRate, webhooks, keys, expiringDomains, changes] = await Promise.all([
    deps.table.get(Account, { id: accountId }),
    deps.table.get(AiAccount, { accountId }),
    deps.table.all(InvoiceByStatus, invoicesByStatus(accountId, 'UNPAID')),
    readWalletRate(deps, caller),
    readCreditsRate(deps, caller),
    readWebhooks(deps, caller),
    readKeys(deps, caller),
    readExpiringDomains(deps, caller),
    listAuditEntries(deps, caller, { limit: RECENT_CHANGES, offset: 0 }),
  ]);
  const balance = account?.walletCents ?? 0;
  const available = Math.max(0, ai?.availableMicroRand ?? 0);
  return {
    data: {
      unpaidInvoices: {
        count: unpaid.length,
        total: formatRand(unpaid.reduce((sum, { amountCents }) => sum + amountCents, 0)),
      },
      wallet: { balance: formatRand(balance), lasts: lasts(balance, walletRate) },
      aiCredits: { available: microRandToRand(available), lasts: lasts(available / CENT_MICRO_RAND, creditsRate) },
      webhooks,
      ...keys,
      expiringDomains,
      changes: changes.data.map((entry) => ({ ...entry, label: labelOfAction(entry.action) })),
    },
  };
}
