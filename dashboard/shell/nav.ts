import type { ComponentType } from 'react';
import type { Right } from '../../contract/roles.ts';
import type { IconName } from '../ui/Icon.tsx';

interface NavItem {
  href: string;
  name: string;
  icon: IconName;
  /** Loads the area's chunk, on navigation or in advance. */
  load: () => Promise<{ default: ComponentType }>;
  /** True for the area of operators, which other logins do not see. */
  forOperators?: true;
  /** True for a page that only a link from elsewhere opens. */
  isLinkOnly?: true;
  /** The right that changes in the area need. */
  right?: Right;
}

/** The areas of the dashboard, in the order of the navigation. */
export const NAV_ITEMS: readonly NavItem[] = [
  { href: '/', name: 'Overview', icon: 'overview', load: () => import('../overview/Overview.tsx') },
  { href: '/apps', right: 'develop', name: 'Applications', icon: 'apps', load: () => import('../apps/Apps.tsx') },
  {
    href: '/domains',
    right: 'develop',
    name: 'Domains',
    icon: 'domains',
    load: () => import('../registrar/Domains.tsx'),
  },
  {
    href: '/hosting',
    right: 'develop',
    name: 'Web hosting',
    icon: 'hosting',
    load: () => import('../hosting/Hosting.tsx'),
  },
  { href: '/billing', right: 'pay', name: 'Billing', icon: 'billing', load: () => import('../billing/Billing.tsx') },
  { href: '/ai', right: 'develop', name: 'AI', icon: 'ai', load: () => import('../ai/Ai.tsx') },
  {
    href: '/developers',
    right: 'develop',
    name: 'Developers',
    icon: 'developers',
    load: () => import('../developers/Developers.tsx'),
  },
  { href: '/settings', name: 'Settings', icon: 'settings', load: () => import('../accounts/Settings.tsx') },
  {
    href: '/invitation',
    name: 'Invitation',
    icon: 'settings',
    isLinkOnly: true,
    load: () => import('../accounts/AcceptInvitation.tsx'),
  },
  {
    href: '/operator',
    name: 'Operators',
    icon: 'operator',
    forOperators: true,
    load: () => import('../operator/Operator.tsx'),
  },
];

export const isCurrent = (location: string, href: string): boolean =>
  href === '/' ? location === '/' : location === href || location.startsWith(`${href}/`);

/** Loads a chunk in advance. Failures are ignored here: navigation loads it again and reports them. */
export const prefetch = (load: NavItem['load']): void => void load().catch(() => undefined);

/** Loads the area of a URL in advance, before the app starts. */
export function prefetchFor(location: string): void {
  const item = NAV_ITEMS.findLast(({ href }) => isCurrent(location, href));
  if (item) prefetch(item.load);
}
