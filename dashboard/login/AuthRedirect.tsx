import { Button, Center, Loader, Stack, Text, Title } from '@mantine/core';

/** Full-page message while the browser goes to the login page or comes back. */
export const AuthRedirect = ({
  text,
  why,
  onSignIn,
}: {
  text: string;
  why?: string;
  onSignIn?: (() => void) | undefined;
}) => (
  <Center component="main" mih="100vh" p="md">
    <Stack align="center" gap="md" role="status">
      {!onSignIn && <Loader aria-hidden="true" />}
      <Title order={1} size="h3">
        {text}
      </Title>
      {why && <Text c="dimmed">{why}</Text>}
      {onSignIn && <Button onClick={onSignIn}>Sign in</Button>}
    </Stack>
  </Center>
);
