import { LIMIT_NAMES, limitRule } from '../../contract/limits/limits.ts';
import type { Account } from '../accounts/api.ts';
import type { Application } from '../apps/api.ts';
import { count } from '../ui/count.ts';
import { isNearLimit } from '../ui/Meter.tsx';
import { formatRand } from '../ui/money.ts';
import { formatDate } from '../ui/TimeAgo.tsx';
import type { OverviewData } from './api.ts';

/** Something that needs its owner, and where it is done. */
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

/** Days of money left from which on the owner is asked to add some. */
const LOW_DAYS = 14;

function itemsOf({ id, name, status, lastDeploymentStatus, customDomainStatus, primaryDomain }: App): AttentionItem[] {
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

/** Invoices to pay, and money that runs out soon. */
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
      ? [{ id: 'wallet', text: `The wallet lasts ${days(wallet.lasts?.days)}`, action: 'Top up', href: '/billing' }]
      : []),
    ...(aiCredits.lasts !== null && aiCredits.lasts.days < LOW_DAYS
      ? [{ id: 'credits', text: `AI credits last ${days(aiCredits.lasts.days)}`, action: 'Buy credits', href: '/ai' }]
      : []),
  ];
}

const days = (left = 0): string => (left === 0 ? 'less than a day' : `about ${count(left, 'day')}`);

/** Endpoints that fail, keys and domains that expire, and budgets that are nearly spent. */
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

/** Returns what needs the account's owner, the most urgent first. */
export function listAttentionItems(
  account: Pick<Account, 'usage' | 'limits'> | undefined,
  apps: readonly App[],
  overview: OverviewData | undefined,
): AttentionItem[] {
  const near = LIMIT_NAMES.flatMap((name): AttentionItem[] => {
    const [used, limit] = [account?.usage[name], account?.limits[name]];
    // A limit of one is used as intended once it is reached.
    if (used === undefined || limit === undefined || limit === 1 || !isNearLimit(used, limit)) return [];
    const text = `${used} of ${limit} ${limitRule(name).counts} in use`;
    return [{ id: name, text, action: 'View limits', href: '/developers/limits' }];
  });
  return [
    ...(overview ? moneyItems(overview) : []),
    ...apps.flatMap(itemsOf),
    ...(overview ? developerItems(overview) : []),
    ...near,
  ];
}
