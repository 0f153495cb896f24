import type { ComponentType } from 'react';
import type { IconName } from '../ui/Icon.tsx';

interface Place {
  href: string;
  name: string;
  icon: IconName;
  /** Its screens: a file of their own, fetched when they are gone to, or about to be. */
  load: () => Promise<{ default: ComponentType }>;
}

/** The areas of the dashboard, in the order of the navigation. */
export const PLACES: readonly Place[] = [
  { href: '/', name: 'Overview', icon: 'overview', load: () => import('../overview/Overview.tsx') },
  { href: '/apps', name: 'Applications', icon: 'apps', load: () => import('../apps/Apps.tsx') },
  { href: '/domains', name: 'Domains', icon: 'domains', load: () => import('../registrar/Domains.tsx') },
  { href: '/hosting', name: 'Hosting', icon: 'hosting', load: () => import('../hosting/Hosting.tsx') },
  { href: '/billing', name: 'Billing', icon: 'billing', load: () => import('../billing/Billing.tsx') },
  { href: '/ai', name: 'AI', icon: 'ai', load: () => import('../ai/Ai.tsx') },
  { href: '/developers', name: 'Developers', icon: 'developers', load: () => import('../developers/Developers.tsx') },
];

export const isHere = (location: string, href: string): boolean =>
  href === '/' ? location === '/' : location === href || location.startsWith(`${href}/`);

/** Fetches a screen that may be gone to next. Whether it fails is seen when it is really gone to. */
export const ahead = (load: Place['load']): void => void load().catch(() => undefined);

/** Fetches the area that an address is in, before anything else is ready to show it. */
export function aheadOf(location: string): void {
  const place = PLACES.findLast(({ href }) => isHere(location, href));
  if (place) ahead(place.load);
}
