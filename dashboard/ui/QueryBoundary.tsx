import { Skeleton, Stack, VisuallyHidden } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { FailureAlert } from './FailureAlert.tsx';

interface QueryBoundaryProps<T> {
  query: Pick<UseQueryResult<T>, 'data' | 'error' | 'errorUpdateCount'> & { refetch: () => Promise<unknown> };
  children: (data: T) => ReactNode;
  /** Number of skeleton lines while loading. */
  lines?: number;
}

/** Shows a query's data, skeletons while it loads, or its failure. Both stay visible while they are refreshed. */
export function QueryBoundary<T>({ query, children, lines = 3 }: QueryBoundaryProps<T>) {
  const { data, error, errorUpdateCount, refetch } = query;
  // TanStack Query clears the error of a query without data when it retries.
  const [failure, keepFailure] = useState(error);
  if (error && error !== failure) keepFailure(error);
  if (data !== undefined) return children(data);
  if (failure && errorUpdateCount > 0)
    return <FailureAlert error={failure} retry={() => void refetch()} isRetrying={!error} />;
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
