import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';

interface EmptyStateProps {
  title: string;
  /** Says what belongs here, or what to do. */
  children: ReactNode;
  /** Button for the next step, if the screen does not have it elsewhere. */
  action?: ReactNode;
}

/** An empty list with its next step. */
export const EmptyState = ({ title, children, action }: EmptyStateProps) => (
  <Stack className="card" align="center" gap="xs" p="xl" ta="center">
    <Text fw={600}>{title}</Text>
    <Text size="sm" c="dimmed" maw={480} className="break">
      {children}
    </Text>
    {action}
  </Stack>
);
