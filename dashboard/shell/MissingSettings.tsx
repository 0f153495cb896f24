import { Button, Center, Stack, Text, Title } from '@mantine/core';

/** Shown if the settings cannot be read: without them the dashboard cannot start. */
export const MissingSettings = () => (
  <Center component="main" mih="100vh" p="md">
    <Stack align="center" gap="sm" role="alert">
      <Title order={1}>The dashboard could not start</Title>
      <Text c="dimmed">Its settings could not be read. Your applications are not affected.</Text>
      <Button onClick={() => location.reload()}>Try again</Button>
    </Stack>
  </Center>
);
