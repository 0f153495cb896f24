import { LIMIT_NAMES, limitRule } from '../../contract/limits/limits.ts';
import type { Account } from '../accounts/api.ts';
import type { Application } from '../apps/api.ts';
import { isNearLimit } from '../ui/Meter.tsx';
import { formatRand } from '../ui/money.ts';
import type { UnpaidInvoices } from './api.ts';

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

const count = (number: number, name: string) => `${number} ${name}${number === 1 ? '' : 's'}`;

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

/** Returns what needs the account's owner, the most urgent first, of what the overview has read anyway. */
export function listAttentionItems(
  account: Pick<Account, 'usage' | 'limits'> | undefined,
  apps: readonly App[],
  unpaid: UnpaidInvoices | undefined,
): AttentionItem[] {
  const invoices = unpaid?.data ?? [];
  const due = invoices.reduce((sum, { amount }) => sum + Number(amount), 0);
  const near = LIMIT_NAMES.flatMap((name): AttentionItem[] => {
    const [used, limit] = [account?.usage[name], account?.limits[name]];
    if (used === undefined || limit === undefined || !isNearLimit(used, limit)) return [];
    const text = `${used} of ${limit} ${limitRule(name).counts} in use`;
    return [{ id: name, text, action: 'View limits', href: '/developers/limits' }];
  });
  return [
    ...(invoices.length > 0
      ? [
          {
            id: 'invoices',
            text: `${count(invoices.length, 'unpaid invoice')}, ${formatRand(due)}`,
            action: 'Pay',
            href: '/billing/invoices',
          },
        ]
      : []),
    ...apps.flatMap(itemsOf),
    ...near,
  ];
}
