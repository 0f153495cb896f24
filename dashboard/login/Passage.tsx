import { Button, Center, Loader, Stack, Text, Title } from '@mantine/core';

/** On the way to the login page or back from it. */
export const Passage = ({ text, failed }: { text: string; failed?: (() => void) | undefined }) => (
  <Center component="main" mih="100vh" p="md">
    <Stack align="center" gap="md" role="status">
      {!failed && <Loader aria-hidden="true" />}
      <Title order={1} size="h3">
        {text}
      </Title>
      {failed && (
        <>
          <Text c="dimmed">The login did not go through, or this page is an old one.</Text>
          <Button onClick={failed}>Sign in</Button>
        </>
      )}
    </Stack>
  </Center>
);
