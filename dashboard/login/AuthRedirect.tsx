import { Button, Center, Loader, Stack, Text, Title } from '@mantine/core';

/** Full-page message while the browser goes to the login page or comes back. */
export const AuthRedirect = ({
  text,
  why,
  action = 'Sign in',
  onAction,
}: {
  text: string;
  why?: string;
  /** Label of the button. */
  action?: string;
  /** Shows the button. Without it, a loader is shown. */
  onAction?: () => void;
}) => (
  <Center component="main" mih="100vh" p="md">
    <Stack align="center" gap="md" role="status">
      {!onAction && <Loader aria-hidden="true" />}
      <Title order={1} size="h3">
        {text}
      </Title>
      {why && <Text c="dimmed">{why}</Text>}
      {onAction && <Button onClick={onAction}>{action}</Button>}
    </Stack>
  </Center>
);
