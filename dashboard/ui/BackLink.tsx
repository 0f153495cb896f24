import { TextLink } from './TextLink.tsx';

/** A link to the parent screen. */
export const BackLink = ({ href, name }: { href: string; name: string }) => (
  <div className="no-print">
    <TextLink href={href}>
      <span aria-hidden="true">← </span>
      {name}
    </TextLink>
  </div>
);
