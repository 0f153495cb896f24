import { Anchor, Button, type ButtonProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';

interface TextLinkProps {
  href: string;
  /** Name for screen readers, if the text alone does not say where the link leads. */
  label?: string;
  children: ReactNode;
}

/** A link within the dashboard. */
export const TextLink = ({ href, label, children }: TextLinkProps) => (
  <Anchor component={Link} href={href} size="sm" underline="always" {...(label ? { 'aria-label': label } : {})}>
    {children}
  </Anchor>
);

/** A link styled as a button. */
export const ButtonLink = ({ href, children, ...props }: { href: string; children: ReactNode } & ButtonProps) => (
  <Button component={Link} href={href} {...props}>
    {children}
  </Button>
);

/** An external link that opens in a new tab. */
export const ExternalLink = ({ href, children }: { href: string; children: ReactNode }) => (
  <Anchor href={href} target="_blank" rel="noreferrer" size="sm" underline="always" className="break">
    {children}
  </Anchor>
);
