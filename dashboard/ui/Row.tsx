import type { MouseEvent, ReactNode } from 'react';
import { useRouter } from 'wouter';
import { navigate } from 'wouter/use-browser-location';

interface RowProps {
  title: ReactNode;
  /** Below the title. */
  detail?: ReactNode;
  /** Beside both, on the other side. */
  children?: ReactNode;
}

/**
 * A row of a list, with what can be done to its item. Plain elements with the styles of dashboard.css: Mantine's cost several times as much to
 * render, which a list of hundreds of rows shows.
 */
export const Row = (props: RowProps) => (
  <div className="row row-acts">
    <Line {...props} />
  </div>
);

/** A row of a list that links to its item. */
export const LinkRow = ({ href, ...props }: RowProps & { href: string }) => (
  <RowLink href={href}>
    <Line {...props} />
  </RowLink>
);

const Line = ({ title, detail, children }: RowProps) => (
  <div className="row-line">
    <div className="row-text">
      <div className="row-title">{title}</div>
      {detail !== undefined && <div className="row-detail">{detail}</div>}
    </div>
    {children !== undefined && <div className="row-side">{children}</div>}
  </div>
);

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
