import { TextLink } from './TextLink.tsx';

/** A screen above the current one. */
export interface Crumb {
  href: string;
  name: string;
}

/** Links to the screens above the current one, the area first. */
export const Breadcrumbs = ({ crumbs }: { crumbs: readonly Crumb[] }) => (
  <nav aria-label="Breadcrumb" className="no-print">
    <ol className="crumbs">
      {crumbs.map(({ href, name }) => (
        <li key={href}>
          <TextLink href={href}>{name}</TextLink>
        </li>
      ))}
    </ol>
  </nav>
);
