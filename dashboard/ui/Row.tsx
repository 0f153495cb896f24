import type { MouseEvent, ReactNode } from 'react';
import { useRouter } from 'wouter';
import { navigate } from 'wouter/use-browser-location';

interface RowProps {
  title: ReactNode;
  /** Below the title. */
  detail?: ReactNode;
  /** At the other end of the row. */
  children?: ReactNode;
}

/**
 * A row of a list, with actions on its item. Plain elements, styled in dashboard.css: Mantine's take several times as long to render,
 * which is noticeable in a list of hundreds of rows.
 */
export const Row = (props: RowProps) => (
  <div className="row row-acts">
    <RowContent {...props} />
  </div>
);

/** A row of a list that links to its item. */
export const LinkRow = ({ href, ...props }: RowProps & { href: string }) => (
  <RowLink href={href}>
    <RowContent {...props} />
  </RowLink>
);

const RowContent = ({ title, detail, children }: RowProps) => (
  <div className="row-line">
    <div className="row-text">
      <div className="row-title">{title}</div>
      {detail !== undefined && <div className="row-detail">{detail}</div>}
    </div>
    {children !== undefined && <div className="row-side">{children}</div>}
  </div>
);

/**
 * A link that fills a row. wouter's `Link` adds four window listeners per link, and browsers search all listeners to remove one: a
 * thousand rows took longer to remove than to render.
 */
export function RowLink({ href, children }: { href: string; children: ReactNode }) {
  const to = useRouter().base + href;
  const click = (event: MouseEvent) => {
    // The browser handles clicks that open a new tab or window, and other mouse buttons.
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
