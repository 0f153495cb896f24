import { Button, Group, Modal, Text } from '@mantine/core';
import { useSession } from '../api/context.ts';

/**
 * The login has ended while the page was open. Signing in again happens in a window of its own: what was typed here
 * stays, and what was asked for goes on by itself afterwards.
 */
export function SessionEnded() {
  const session = useSession();
  const again = () => {
    const opened = window.open(`${import.meta.env.BASE_URL}sign-in`, 'sign-in', 'popup,width=480,height=680');
    if (!opened) void session.signIn({ returnTo: location.pathname.slice(import.meta.env.BASE_URL.length - 1) });
  };
  return (
    <Modal opened onClose={() => undefined} title="Your session has ended" withCloseButton={false} centered>
      <Text size="sm" mb="md">
        Sign in again to go on. Nothing that you have typed is lost.
      </Text>
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={() => void session.signOut()}>
          Sign out
        </Button>
        <Button onClick={again} data-autofocus>
          Sign in again
        </Button>
      </Group>
    </Modal>
  );
}
