import { Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** One number that matters, and what it is. */
export const Figure = ({ name, value }: { name: string; value: ReactNode }) => (
  <div>
    <Text size="sm" c="dimmed">
      {name}
    </Text>
    <Text size="xl" fw={650} style={{ fontVariantNumeric: 'tabular-nums' }}>
      {value}
    </Text>
  </div>
);
