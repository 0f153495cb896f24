import { type KeyboardEvent, type ReactNode, useId } from 'react';
import { Link, useLocation } from 'wouter';

export interface PlaceTab {
  href: string;
  name: string;
  show: () => ReactNode;
}

const STEPS: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 };

/** The arrow keys go from tab to tab, as everywhere; Enter opens the one that has the focus. */
function step(event: KeyboardEvent<HTMLElement>): void {
  const by = STEPS[event.key];
  if (by === undefined) return;
  event.preventDefault();
  const tabs = [...event.currentTarget.querySelectorAll('a')];
  const at = tabs.findIndex((tab) => tab.matches(':focus'));
  tabs[(at + by + tabs.length) % tabs.length]?.focus();
}

/** Tabs that are addresses: they can be linked to and opened beside, and going back goes back. */
export function PlaceTabs({ tabs, name }: { tabs: readonly PlaceTab[]; name: string }) {
  const [location] = useLocation();
  const panel = useId();
  const here = tabs.find(({ href }) => href === location) ?? tabs[0];
  return (
    <div>
      <div className="tabs no-print" role="tablist" aria-label={name} onKeyDown={step}>
        {tabs.map((tab) => (
          <Link
            key={tab.href}
            href={tab.href}
            role="tab"
            aria-selected={tab === here}
            {...(tab === here ? { 'aria-controls': panel } : { tabIndex: -1 })}
          >
            {tab.name}
          </Link>
        ))}
      </div>
      <div role="tabpanel" id={panel} aria-label={here?.name}>
        {here?.show()}
      </div>
    </div>
  );
}
