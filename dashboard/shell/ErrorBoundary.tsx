import { Button, Stack, Text, Title } from '@mantine/core';
import { Component, type ReactNode } from 'react';

/** Catches errors of a screen; the navigation stays. A new release removes old chunks, which a reload fixes. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { hasError: boolean }> {
  override state = { hasError: false };

  static getDerivedStateFromError() {
    return { hasError: true };
  }

  override render() {
    if (!this.state.hasError) return this.props.children;
    return (
      <Stack align="flex-start" role="alert">
        <Title order={1}>This screen could not be loaded</Title>
        <Text c="dimmed">The dashboard may have been updated since you opened it.</Text>
        <Button onClick={() => location.reload()}>Reload</Button>
      </Stack>
    );
  }
}
