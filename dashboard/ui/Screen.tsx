import { Group, Stack, Title } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { BackLink } from './BackLink.tsx';

interface ScreenProps {
  title: string;
  /** Beside the title: a state, a count. */
  beside?: ReactNode;
  /** What can be done here. */
  actions?: ReactNode;
  back?: { href: string; name: string };
  children: ReactNode;
}

/** One screen. Coming to it puts the focus on its title, so that keyboard and screen reader start there. */
export function Screen({ title, beside, actions, back, children }: ScreenProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Dashboard`;
  }, [title]);
  useEffect(() => {
    // Not on a text field that has taken the focus meanwhile, and not when the page was just opened.
    if (document.activeElement === document.body || document.activeElement?.closest('nav')) {
      heading.current?.focus({ preventScroll: true });
      window.scrollTo(0, 0);
    }
  }, []);
  return (
    <Stack gap="lg">
      <Stack gap={4}>
        {back && <BackLink {...back} />}
        <Group justify="space-between" gap="sm">
          <Group gap="sm">
            <Title order={1} ref={heading} tabIndex={-1} className="break">
              {title}
            </Title>
            {beside}
          </Group>
          {actions && (
            <Group gap="xs" className="no-print">
              {actions}
            </Group>
          )}
        </Group>
      </Stack>
      {children}
    </Stack>
  );
}
