import { Burger } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useSession } from '../login/context.ts';
import { Icon } from '../ui/Icon.tsx';
import { AccountMenu } from './AccountMenu.tsx';
import { AccountNotice } from './AccountNotice.tsx';
import { ConnectionBanner } from './ConnectionBanner.tsx';
import { NotificationBell } from './NotificationBell.tsx';
import { isCurrent, NAV_ITEMS } from './nav.ts';
import { PaletteButton } from './PaletteButton.tsx';
import { SchemeToggle } from './SchemeToggle.tsx';

/** The frame of every screen: header, navigation and content. `index.html` starts with the same markup. */
export function Shell({ children }: { children: ReactNode }) {
  const [open, setOpen] = useState(false);
  const [location] = useLocation();
  const session = useSession();
  const closeNavigation = () => {
    // On a phone, the closed navigation would keep the focus, which the browser then drops.
    if (open) document.querySelector('main')?.focus();
    setOpen(false);
  };
  return (
    <div className="shell">
      <a href="#main" className="skip">
        Skip to content
      </a>
      <header>
        <div>
          <Burger
            className="burger"
            opened={open}
            onClick={() => setOpen(!open)}
            size="sm"
            aria-label="Navigation"
            aria-expanded={open}
          />
          <Link href="/" className="home">
            <img src={`${import.meta.env.BASE_URL}icon.svg`} width={24} height={24} alt="" />
            <span className="brand">Hosting</span>
          </Link>
        </div>
        <div>
          <PaletteButton />
          <SchemeToggle />
          <NotificationBell />
          <AccountMenu />
        </div>
      </header>
      <nav aria-label="Main" {...(open ? {} : { className: 'closed' })}>
        {NAV_ITEMS.filter(({ forOperators, isLinkOnly }) => !isLinkOnly && (!forOperators || session.isOperator)).map(
          ({ href, name, icon, area }) => (
            <Link
              key={href}
              href={href}
              aria-current={isCurrent(location, href) ? 'page' : undefined}
              onClick={closeNavigation}
              onPointerEnter={() => area.prefetch()}
              onFocus={() => area.prefetch()}
            >
              <Icon name={icon} />
              {name}
            </Link>
          ),
        )}
      </nav>
      <main id="main" tabIndex={-1}>
        <div className="content">
          <ConnectionBanner />
          <AccountNotice>{children}</AccountNotice>
        </div>
      </main>
    </div>
  );
}
