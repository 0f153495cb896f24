import { Group, Stack, Title } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { BackLink } from './BackLink.tsx';
import { CopyId } from './CopyId.tsx';

interface ScreenProps {
  title: string;
  /** Beside the title: a state, a count. */
  beside?: ReactNode;
  /** What can be done here. */
  actions?: ReactNode;
  back?: { href: string; name: string };
  /** What it is called in the API: to be copied. */
  id?: string | undefined;
  children: ReactNode;
}

/** Whether a screen has been shown before: the first one comes with the page, and the focus begins where it always does. */
let shownBefore = false;

/** One screen. Coming to it puts the focus on its title, so that keyboard and screen reader start there. */
export function Screen({ title, beside, actions, back, id, children }: ScreenProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Dashboard`;
  }, [title]);
  useEffect(() => {
    if (shownBefore) {
      heading.current?.focus({ preventScroll: true });
      window.scrollTo(0, 0);
    }
    shownBefore = true;
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
        {id && (
          <div>
            <CopyId id={id} />
          </div>
        )}
      </Stack>
      {children}
    </Stack>
  );
}
