import type { ReactNode } from 'react';
import { RowLink } from './RowLink.tsx';

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
  <div className="row">
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
