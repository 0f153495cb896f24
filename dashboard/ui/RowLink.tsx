import type { MouseEvent, ReactNode } from 'react';
import { useRouter } from 'wouter';
import { navigate } from 'wouter/use-browser-location';

/**
 * A link of a row. wouter's own `Link` listens to four events of the window for each link, and a browser looks through all
 * listeners to remove one: a thousand rows took longer to remove than to render.
 */
export function RowLink({ href, children }: { href: string; children: ReactNode }) {
  const to = useRouter().base + href;
  const click = (event: MouseEvent) => {
    // A new tab or window, or another button: the browser's own.
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    navigate(to);
  };
  return (
    <a href={to} className="row" onClick={click}>
      {children}
    </a>
  );
}
