import { AppShell, Burger, Group, NavLink, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { Icon } from '../ui/Icon.tsx';
import { AccountMenu } from './AccountMenu.tsx';
import { ConnectionBanner } from './ConnectionBanner.tsx';
import { isHere, PLACES } from './places.ts';
import { SchemeToggle } from './SchemeToggle.tsx';

/** Fetches a screen that may be gone to next. Whether it fails is seen when it is really gone to. */
const ahead = (load: () => Promise<unknown>): void => void load().catch(() => undefined);

/** What stands around every screen: where one is, where one can go, who one is. */
export function Shell({ children }: { children: ReactNode }) {
  const [open, setOpen] = useState(false);
  const [location] = useLocation();
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 220, breakpoint: 'sm', collapsed: { mobile: !open } }}
      padding={{ base: 'md', sm: 'xl' }}
    >
      <a href="#main" className="skip">
        Skip to the content
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger
              opened={open}
              onClick={() => setOpen(!open)}
              hiddenFrom="sm"
              size="sm"
              aria-label="Navigation"
              aria-expanded={open}
            />
            <img src={`${import.meta.env.BASE_URL}icon.svg`} width={24} height={24} alt="" />
            <Text fw={650}>Hosting</Text>
          </Group>
          <Group gap="xs" wrap="nowrap">
            <SchemeToggle />
            <AccountMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label="Areas" {...(open ? {} : { className: 'closed' })}>
        {PLACES.map(({ href, name, icon, load }) => (
          <NavLink
            key={href}
            component={Link}
            href={href}
            label={name}
            leftSection={<Icon name={icon} />}
            active={isHere(location, href)}
            variant="light"
            aria-current={isHere(location, href) ? 'page' : undefined}
            onClick={() => setOpen(false)}
            onPointerEnter={() => ahead(load)}
            onFocus={() => ahead(load)}
          />
        ))}
      </AppShell.Navbar>
      <AppShell.Main id="main">
        <ConnectionBanner />
        <div style={{ maxWidth: 1080, margin: '0 auto' }}>{children}</div>
      </AppShell.Main>
    </AppShell>
  );
}
