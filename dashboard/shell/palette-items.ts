/** An entry of the command palette. */
export interface PaletteItem {
  id: string;
  label: string;
  description?: string;
  /** Search words that are not shown. */
  keywords?: string;
  /** True for an entry that is shown only in search results. */
  searchOnly?: true;
  href: string;
}

export interface PaletteGroup {
  name: string;
  items: readonly PaletteItem[];
}

/** Maximum number of entries that a group shows. */
const MAX_SHOWN = 7;

/** Actions and pages that do not belong to a resource. */
export const STATIC_GROUPS: readonly PaletteGroup[] = [
  {
    name: 'Actions',
    items: [
      { id: 'new-app', label: 'New application', keywords: 'create deploy project repository', href: '/apps/new' },
      { id: 'invite', label: 'Invite a member', keywords: 'team user role', href: '/settings?dialog=invite' },
      { id: 'new-key', label: 'Create an API key', keywords: 'new token secret', href: '/developers?dialog=new-key' },
      {
        id: 'new-endpoint',
        label: 'Add a webhook endpoint',
        keywords: 'new create',
        href: '/developers/webhooks?dialog=new-endpoint',
      },
      { id: 'register', label: 'Register a domain', keywords: 'new buy search', href: '/domains' },
      { id: 'top-up', label: 'Top up the wallet', keywords: 'pay money card', href: '/billing' },
      { id: 'buy-credits', label: 'Buy AI credits', keywords: 'pay money', href: '/ai' },
      { id: 'upgrade', label: 'Change plan', keywords: 'upgrade subscribe', href: '/billing/plans' },
    ],
  },
  {
    name: 'Pages',
    items: [
      { id: 'p-overview', label: 'Overview', keywords: 'home', href: '/' },
      { id: 'p-apps', label: 'Applications', keywords: 'projects', href: '/apps' },
      { id: 'p-domains', label: 'Domains', keywords: 'dns', href: '/domains' },
      { id: 'p-hosting', label: 'Web hosting', keywords: 'email mailboxes', href: '/hosting' },
      { id: 'p-wallet', label: 'Wallet', keywords: 'billing balance transactions', href: '/billing' },
      { id: 'p-invoices', label: 'Invoices', keywords: 'billing', href: '/billing/invoices' },
      { id: 'p-spending', label: 'Spending', keywords: 'billing costs forecast months', href: '/billing/spending' },
      { id: 'p-plans', label: 'Plans', keywords: 'billing subscriptions', href: '/billing/plans' },
      { id: 'p-credits', label: 'AI credits', keywords: 'usage spend', href: '/ai' },
      { id: 'p-requests', label: 'AI request log', keywords: 'calls latency errors', href: '/ai/requests' },
      { id: 'p-providers', label: 'AI provider keys', keywords: 'openai anthropic', href: '/ai/providers' },
      { id: 'p-playground', label: 'AI playground', keywords: 'chat models', href: '/ai/playground' },
      { id: 'p-keys', label: 'API keys', keywords: 'developers tokens', href: '/developers' },
      { id: 'p-webhooks', label: 'Webhooks', keywords: 'developers endpoints', href: '/developers/webhooks' },
      { id: 'p-limits', label: 'Limits', keywords: 'developers quotas usage', href: '/developers/limits' },
      { id: 'p-members', label: 'Members', keywords: 'settings team invite roles', href: '/settings' },
      { id: 'p-data', label: 'Account data', keywords: 'settings export delete', href: '/settings/data' },
      {
        id: 'p-notifications',
        label: 'Notifications',
        keywords: 'settings alerts unread',
        href: '/settings/notifications',
      },
      { id: 'p-audit', label: 'Audit log', keywords: 'developers changes history', href: '/developers/audit' },
    ],
  },
];

/** Tabs of an application. */
const APP_TABS: readonly (readonly [path: string, name: string, keywords: string])[] = [
  ['/metrics', 'Metrics', 'charts requests errors latency memory'],
  ['/requests', 'Requests', 'slowest failing paths bandwidth'],
  ['/logs', 'Logs', 'output'],
  ['/env', 'Variables', 'environment env secrets'],
  ['/domain', 'Domain', 'custom dns'],
  ['/git', 'Git', 'deploy key webhook push'],
  ['/databases', 'Databases', 'postgresql'],
  ['/settings', 'Settings', 'build delete'],
];

/** Returns the entries of an application: one for the application, and one for each tab, which only a search shows. */
export function appItems({ id, name, primaryDomain }: Record<'id' | 'name' | 'primaryDomain', string>): PaletteItem[] {
  const href = `/apps/${id}`;
  return [
    { id, label: name, description: primaryDomain, keywords: `${id} application`, href },
    ...APP_TABS.map(([path, tab, keywords]) => ({
      id: `${id}${path}`,
      label: `${name} › ${tab}`,
      keywords,
      searchOnly: true as const,
      href: `${href}${path}`,
    })),
  ];
}

/**
 * Returns the entries that contain every word of a search, by group. Within a group, entries whose label begins with the first word
 * come first. Without a search, each group shows its first entries.
 */
export function searchGroups(groups: readonly PaletteGroup[], query: string): PaletteGroup[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = ({ label, description = '', keywords = '' }: PaletteItem) => {
    const text = `${label} ${description} ${keywords}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const startsWith = ({ label }: PaletteItem) => Number(label.toLowerCase().startsWith(words[0] ?? ''));
  return groups.flatMap(({ name, items }) => {
    const found = words.length === 0 ? items.filter(({ searchOnly }) => !searchOnly) : items.filter(matches);
    const sorted = words.length === 0 ? found : found.toSorted((a, b) => startsWith(b) - startsWith(a));
    return found.length === 0 ? [] : [{ name, items: sorted.slice(0, MAX_SHOWN) }];
  });
}
