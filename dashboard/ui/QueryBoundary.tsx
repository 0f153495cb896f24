import { Skeleton, Stack, VisuallyHidden } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { FailureNote } from './FailureAlert.tsx';

interface LoadedProps<T> {
  query: Pick<UseQueryResult<T>, 'data' | 'error' | 'isPending'> & { refetch: () => Promise<unknown> };
  children: (data: T) => ReactNode;
  /** How many grey lines stand in for what is being read. */
  lines?: number;
}

/** What was read, or that it is being read, or why it could not be. What was read once stays while it is read anew. */
export function Loaded<T>({ query, children, lines = 3 }: LoadedProps<T>) {
  const { data, error, isPending, refetch } = query;
  if (data !== undefined) return children(data);
  if (!isPending && error) return <FailureNote error={error} retry={() => void refetch()} />;
  return <Waiting lines={lines} />;
}

/** Grey lines where something will be. */
export const Waiting = ({ lines = 3 }: { lines?: number }) => (
  <Stack gap="sm" aria-busy="true" role="status">
    <VisuallyHidden>Loading</VisuallyHidden>
    {Array.from({ length: lines }, (_, line) => line).map((line) => (
      <Skeleton key={line} height={44} radius="md" />
    ))}
  </Stack>
);
