import type { Right } from '../../contract/roles.ts';
import type { IconName } from '../ui/Icon.tsx';
import { Area } from './area.ts';

interface NavItem {
  href: string;
  name: string;
  icon: IconName;
  area: Area;
  /** True for the area of operators, which other logins do not see. */
  forOperators?: true;
  /** True for a page that only a link from elsewhere opens. */
  isLinkOnly?: true;
  /** The right that changes in the area need. */
  right?: Right;
}

/** The areas of the dashboard, in the order of the navigation. */
export const NAV_ITEMS: readonly NavItem[] = [
  { href: '/', name: 'Overview', icon: 'overview', area: new Area(() => import('../overview/Overview.tsx')) },
  {
    href: '/apps',
    right: 'develop',
    name: 'Applications',
    icon: 'apps',
    area: new Area(() => import('../apps/Apps.tsx')),
  },
  {
    href: '/domains',
    right: 'develop',
    name: 'Domains',
    icon: 'domains',
    area: new Area(() => import('../registrar/Domains.tsx')),
  },
  {
    href: '/hosting',
    right: 'develop',
    name: 'Web hosting',
    icon: 'hosting',
    area: new Area(() => import('../hosting/Hosting.tsx')),
  },
  {
    href: '/billing',
    right: 'pay',
    name: 'Billing',
    icon: 'billing',
    area: new Area(() => import('../billing/Billing.tsx')),
  },
  { href: '/ai', right: 'develop', name: 'AI', icon: 'ai', area: new Area(() => import('../ai/Ai.tsx')) },
  {
    href: '/developers',
    right: 'develop',
    name: 'Developers',
    icon: 'developers',
    area: new Area(() => import('../developers/Developers.tsx')),
  },
  { href: '/settings', name: 'Settings', icon: 'settings', area: new Area(() => import('../accounts/Settings.tsx')) },
  {
    href: '/invitation',
    name: 'Invitation',
    icon: 'settings',
    isLinkOnly: true,
    area: new Area(() => import('../accounts/AcceptInvitation.tsx')),
  },
  {
    href: '/operator',
    name: 'Operators',
    icon: 'operator',
    forOperators: true,
    area: new Area(() => import('../operator/Operator.tsx')),
  },
];

export const isCurrent = (location: string, href: string): boolean =>
  href === '/' ? location === '/' : location === href || location.startsWith(`${href}/`);

/** Loads the area of a URL in advance, before the app starts. */
export const prefetchFor = (location: string): void =>
  NAV_ITEMS.findLast(({ href }) => isCurrent(location, href))?.area.prefetch();
