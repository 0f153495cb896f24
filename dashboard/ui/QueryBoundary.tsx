import { Skeleton, Stack, VisuallyHidden } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { FailureAlert } from './FailureAlert.tsx';

interface QueryBoundaryProps<T> {
  query: Pick<UseQueryResult<T>, 'data' | 'error' | 'isPending'> & { refetch: () => Promise<unknown> };
  children: (data: T) => ReactNode;
  /** Number of skeleton lines while loading. */
  lines?: number;
}

/** Shows a query's data, skeletons while it loads, or its failure. Data stays visible while it is refreshed. */
export function QueryBoundary<T>({ query, children, lines = 3 }: QueryBoundaryProps<T>) {
  const { data, error, isPending, refetch } = query;
  if (data !== undefined) return children(data);
  if (!isPending && error) return <FailureAlert error={error} retry={() => void refetch()} />;
  return <Skeletons lines={lines} />;
}

/** Placeholder lines for content that is loading. */
export const Skeletons = ({ lines = 3 }: { lines?: number }) => (
  <Stack gap="sm" aria-busy="true" role="status">
    <VisuallyHidden>Loading</VisuallyHidden>
    {Array.from({ length: lines }, (_, line) => line).map((line) => (
      <Skeleton key={line} height={44} radius="md" />
    ))}
  </Stack>
);
