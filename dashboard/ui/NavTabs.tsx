import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef } from 'react';
import { Link, useLocation } from 'wouter';

export interface NavTab {
  href: string;
  name: string;
  render: () => ReactNode;
}

const STEPS: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 };

/** Moves the focus between tabs with the arrow keys; Enter opens the focused one. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const by = STEPS[event.key];
  if (by === undefined) return;
  event.preventDefault();
  const tabs = [...event.currentTarget.querySelectorAll('a')];
  const at = tabs.findIndex((tab) => tab.matches(':focus'));
  tabs[(at + by + tabs.length) % tabs.length]?.focus();
}

/** Tabs with a URL each, so that they can be linked to, opened in a new browser tab and navigated with Back. */
export function NavTabs({ tabs, name }: { tabs: readonly NavTab[]; name: string }) {
  const [location] = useLocation();
  const panel = useId();
  const current = tabs.find(({ href }) => href === location) ?? tabs[0];
  const list = useRef<HTMLDivElement>(null);
  // On a phone the tabs scroll: keep the selected one visible.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another tab is selected when the location changes
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [location]);
  return (
    <div>
      <div ref={list} className="tabs no-print" role="tablist" aria-label={name} onKeyDown={moveFocus}>
        {tabs.map((tab) => (
          <Link
            key={tab.href}
            href={tab.href}
            role="tab"
            aria-selected={tab === current}
            {...(tab === current ? { 'aria-controls': panel } : { tabIndex: -1 })}
          >
            {tab.name}
          </Link>
        ))}
      </div>
      <div role="tabpanel" id={panel} aria-label={current?.name}>
        {current?.render()}
      </div>
    </div>
  );
}
