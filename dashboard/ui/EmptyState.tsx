import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** An empty list with its next step. */
export const EmptyState = ({
  title,
  children,
  action,
}: {
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) => (
  <Stack className="card" align="center" gap="xs" p="xl" ta="center">
    <Text fw={600}>{title}</Text>
    {children && (
      <Text size="sm" c="dimmed" maw={480}>
        {children}
      </Text>
    )}
    {action}
  </Stack>
);
