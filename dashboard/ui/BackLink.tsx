import { TextLink } from './TextLink.tsx';

/** To the screen that this one belongs to. */
export const BackLink = ({ href, name }: { href: string; name: string }) => (
  <div className="no-print">
    <TextLink href={href}>
      <span aria-hidden="true">← </span>
      {name}
    </TextLink>
  </div>
);
