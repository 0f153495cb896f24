import { Anchor, Button, type ButtonProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';

/** A link within the dashboard. */
export const TextLink = ({ href, children }: { href: string; children: ReactNode }) => (
  <Anchor component={Link} href={href} size="sm" underline="always">
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
