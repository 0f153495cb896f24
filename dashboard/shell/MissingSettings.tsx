import { Button, Center, Stack, Text, Title } from '@mantine/core';

/** True if the browser denies the page any storage, as it does when it blocks all cookies. */
const isBlocked = (error: unknown): boolean => error instanceof DOMException && error.name === 'SecurityError';

/** Shown if the dashboard cannot start, because its settings cannot be read or the browser denies it storage. */
export const MissingSettings = ({ error }: { error: unknown }) => (
  <Center component="main" mih="100vh" p="md">
    <Stack align="center" gap="sm" role="alert">
      <Title order={1}>The dashboard could not start</Title>
      <Text c="dimmed">
        {isBlocked(error)
          ? 'Your browser blocks cookies and site data for this page. Allow them to sign in.'
          : 'Its settings could not be read. Your applications are not affected.'}
      </Text>
      <Button onClick={() => location.reload()}>Try again</Button>
    </Stack>
  </Center>
);
