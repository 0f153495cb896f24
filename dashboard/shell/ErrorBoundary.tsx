import { Button, Stack, Text, Title } from '@mantine/core';
import { Component, type ReactNode } from 'react';

/** A screen that breaks says so and can be tried again; the navigation stays. A new release makes old files vanish: reload. */
export class Stumble extends Component<{ children: ReactNode }, { broken: boolean }> {
  override state = { broken: false };

  static getDerivedStateFromError() {
    return { broken: true };
  }

  override render() {
    if (!this.state.broken) return this.props.children;
    return (
      <Stack align="flex-start" role="alert">
        <Title order={1}>This screen could not be shown</Title>
        <Text c="dimmed">The dashboard may have been updated since you opened it.</Text>
        <Button onClick={() => location.reload()}>Load it again</Button>
      </Stack>
    );
  }
}
