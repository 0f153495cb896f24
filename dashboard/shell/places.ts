import type { IconName } from '../ui/Icon.tsx';

/** The areas of the dashboard, in the order of the navigation. */
export const PLACES = [
  { href: '/', name: 'Overview', icon: 'overview' },
  { href: '/apps', name: 'Applications', icon: 'apps' },
  { href: '/domains', name: 'Domains', icon: 'domains' },
  { href: '/hosting', name: 'Hosting', icon: 'hosting' },
  { href: '/billing', name: 'Billing', icon: 'billing' },
  { href: '/ai', name: 'AI', icon: 'ai' },
  { href: '/developers', name: 'Developers', icon: 'developers' },
] as const satisfies readonly { href: string; name: string; icon: IconName }[];

export const isHere = (location: string, href: string): boolean =>
  href === '/' ? location === '/' : location === href || location.startsWith(`${href}/`);
