import { Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import { useLocation } from 'wouter';

export interface PlaceTab {
  href: string;
  name: string;
  show: () => ReactNode;
}

/** Tabs that are addresses: they can be linked to, and going back goes back. */
export function PlaceTabs({ tabs, name }: { tabs: readonly PlaceTab[]; name: string }) {
  const [location, navigate] = useLocation();
  const here = tabs.find(({ href }) => href === location) ?? tabs[0];
  return (
    <Tabs value={here?.href ?? null} onChange={(href) => href !== null && navigate(href)} keepMounted={false}>
      <Tabs.List mb="md" aria-label={name}>
        {tabs.map((tab) => (
          <Tabs.Tab key={tab.href} value={tab.href}>
            {tab.name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map((tab) => (
        <Tabs.Panel key={tab.href} value={tab.href}>
          {tab.show()}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
