import { Group, Stack, Title } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { Breadcrumbs, type Crumb } from './Breadcrumbs.tsx';
import { CopyId } from './CopyId.tsx';
import { RoleNotice } from './RoleNotice.tsx';

interface ScreenProps {
  title: string;
  /** Content next to the title, for example a status. */
  beside?: ReactNode;
  /** Buttons of the screen. */
  actions?: ReactNode;
  /** The screens above this one, the area first. */
  crumbs?: readonly Crumb[];
  /** Shown next to the identifier, for example links. */
  detail?: ReactNode;
  /** API identifier, shown for copying. */
  id?: string | undefined;
  children: ReactNode;
}

/** True once a screen was shown. The first screen after a page load does not take the focus. */
let hasShownScreen = false;

/** One screen. Navigation to it focuses its title, so that keyboards and screen readers start there. */
export function Screen({ title, beside, actions, crumbs, detail, id, children }: ScreenProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Dashboard`;
  }, [title]);
  useEffect(() => {
    if (hasShownScreen) {
      heading.current?.focus({ preventScroll: true });
      window.scrollTo(0, 0);
    }
    hasShownScreen = true;
  }, []);
  return (
    <Stack gap="lg">
      <Stack gap={4}>
        {crumbs && <Breadcrumbs crumbs={crumbs} />}
        <Group justify="space-between" align="flex-start" gap="sm">
          <Group gap="sm" className="screen-title">
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
          <div className="screen-detail">
            {detail}
            <CopyId id={id} />
          </div>
        )}
        <RoleNotice />
      </Stack>
      {children}
    </Stack>
  );
}
