import { LIMIT_NAMES, limitRule } from '../../contract/limits/limits.ts';
import type { Account } from '../api/use-me.ts';
import type { Application } from '../apps/api.ts';
import { count } from '../ui/count.ts';
import { isNearLimit } from '../ui/Meter.tsx';
import { formatRand } from '../ui/money.ts';
import { formatDate } from '../ui/TimeAgo.tsx';
import type { OverviewData } from './api.ts';

/** A task for the account's owner, with a link to the screen for it. */
export interface AttentionItem {
  id: string;
  text: string;
  action: string;
  href: string;
}

type App = Pick<
  Application,
  'id' | 'name' | 'status' | 'lastDeploymentStatus' | 'customDomainStatus' | 'primaryDomain'
>;

/** A balance that lasts fewer days than this is reported. */
const LOW_DAYS = 14;

function appItems({ id, name, status, lastDeploymentStatus, customDomainStatus, primaryDomain }: App): AttentionItem[] {
  const home = `/apps/${id}`;
  if (status === 'SUSPENDED') return [{ id, text: `${name} is suspended`, action: 'See why', href: home }];
  return [
    ...(lastDeploymentStatus === 'FAILED'
      ? [{ id, text: `The latest deployment of ${name} failed`, action: 'View deployments', href: home }]
      : []),
    ...(customDomainStatus === 'PENDING'
      ? [{ id: `${id} domain`, text: `${primaryDomain} is not verified`, action: 'Verify', href: `${home}/domain` }]
      : []),
  ];
}

/** Unpaid invoices, and balances that run out soon. */
function moneyItems({ unpaidInvoices, wallet, aiCredits }: OverviewData): AttentionItem[] {
  const { count: unpaid, total } = unpaidInvoices;
  const isLow = ({ lasts }: OverviewData['wallet']) => lasts !== null && lasts.days < LOW_DAYS;
  return [
    ...(unpaid > 0
      ? [
          {
            id: 'invoices',
            text: `${count(unpaid, 'unpaid invoice')}, ${formatRand(total)}`,
            action: 'Pay',
            href: '/billing/invoices',
          },
        ]
      : []),
    ...(isLow(wallet)
      ? [
          {
            id: 'wallet',
            text: `The wallet lasts ${formatDays(wallet.lasts?.days)}`,
            action: 'Top up',
            href: '/billing',
          },
        ]
      : []),
    ...(aiCredits.lasts !== null && aiCredits.lasts.days < LOW_DAYS
      ? [
          {
            id: 'credits',
            text: `AI credits last ${formatDays(aiCredits.lasts.days)}`,
            action: 'Buy credits',
            href: '/ai',
          },
        ]
      : []),
  ];
}

const formatDays = (days = 0): string => (days === 0 ? 'less than a day' : `about ${count(days, 'day')}`);

/** Failing endpoints, expiring keys and domains, and nearly spent budgets. */
function developerItems({ webhooks, expiringKeys, expiringDomains, budgets }: OverviewData): AttentionItem[] {
  return [
    ...webhooks.failing.map(({ id, url, active, failureCount }) => ({
      id,
      text: active ? `${url}: ${count(failureCount, 'consecutive failure')}` : `${url} is disabled`,
      action: 'View deliveries',
      href: `/developers/webhooks/${id}`,
    })),
    ...expiringDomains.map(({ id, domain, expiresAt }) => ({
      id,
      text: `${domain} expires on ${formatDate(expiresAt)} and is not renewed automatically`,
      action: 'View domain',
      href: `/domains/${id}`,
    })),
    ...expiringKeys.map(({ id, name, expiresAt }) => ({
      id,
      text: `API key ${name} expires on ${formatDate(expiresAt)}`,
      action: 'View keys',
      href: '/developers',
    })),
    ...budgets.map(({ id, name, aiBudget, aiSpent }) => ({
      id: `${id} budget`,
      text: `API key ${name} has spent ${formatRand(aiSpent)} of its AI budget of ${formatRand(aiBudget)}`,
      action: 'View keys',
      href: '/developers',
    })),
  ];
}

/** Returns the tasks for the account's owner, the most urgent first. */
export function listAttentionItems(
  account: Pick<Account, 'usage' | 'limits'> | undefined,
  apps: readonly App[],
  overview: OverviewData | undefined,
): AttentionItem[] {
  const near = LIMIT_NAMES.flatMap((name): AttentionItem[] => {
    const [used, limit] = [account?.usage[name], account?.limits[name]];
    // A limit of one is meant to be used up.
    if (used === undefined || limit === undefined || limit === 1 || !isNearLimit(used, limit)) return [];
    const text = `${used} of ${limit} ${limitRule(name).counts} in use`;
    return [{ id: name, text, action: 'View limits', href: '/developers/limits' }];
  });
  return [
    ...(overview ? moneyItems(overview) : []),
    ...apps.flatMap(appItems),
    ...(overview ? developerItems(overview) : []),
    ...near,
  ];
}
