import { Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** A key figure with its label. */
export const Stat = ({ name, value }: { name: string; value: ReactNode }) => (
  <div>
    <Text size="sm" c="dimmed">
      {name}
    </Text>
    <p className="stat">{value}</p>
  </div>
);
