import { Group, Text, VisuallyHidden } from '@mantine/core';
import { useId } from 'react';
import { capitalize, formatNumber } from './chart/figures.ts';

/** Share of a limit from which it counts as nearly reached. */
const NEAR_LIMIT_SHARE = 0.8;

/** Returns true if a limit is nearly reached. */
export const isNearLimit = (used: number, limit: number): boolean => limit > 0 && used >= limit * NEAR_LIMIT_SHARE;

/** Returns the used share of a limit, at most 1; a limit of zero is reached. */
export const shareOf = (used: number, limit: number): number => (limit > 0 ? Math.min(1, used / limit) : 1);

/** The usage of a limit, as a row of a card. */
export function Meter({ name, used, limit }: { name: string; used: number; limit: number }) {
  const id = useId();
  return (
    <div className="row">
      <Group justify="space-between" gap="xs">
        <Text size="sm" id={id} span>
          {capitalize(name)}
        </Text>
        <Text size="sm" c="dimmed" span style={{ fontVariantNumeric: 'tabular-nums' }}>
          {formatNumber(used)} of {formatNumber(limit)}
        </Text>
      </Group>
      <VisuallyHidden>
        <meter aria-labelledby={id} value={used} max={limit} />
      </VisuallyHidden>
      <svg width="100%" height="6" aria-hidden="true">
        <rect width="100%" height="6" rx="3" fill="var(--line)" />
        <rect
          width={`${shareOf(used, limit) * 100}%`}
          height="6"
          rx="3"
          fill={isNearLimit(used, limit) ? 'var(--bad)' : 'var(--mantine-color-teal-6)'}
        />
      </svg>
    </div>
  );
}
