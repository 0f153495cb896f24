import { Button, Group, Text, Title } from '@mantine/core';
import { useEffect, useId, useRef } from 'react';
import { useSession } from '../api/context.ts';

/**
 * The login has ended while the page was open. Signing in again happens in a window of its own: what was typed here
 * stays, and what was asked for goes on by itself afterwards. The browser's own dialog: above whatever else is open.
 */
export function SessionEnded() {
  const session = useSession();
  const dialog = useRef<HTMLDialogElement>(null);
  const title = useId();
  useEffect(() => dialog.current?.showModal(), []);
  const again = () => {
    const opened = window.open(`${import.meta.env.BASE_URL}sign-in`, 'sign-in', 'popup,width=480,height=680');
    const here = location.pathname.slice(import.meta.env.BASE_URL.length - 1) + location.search;
    if (!opened) void session.signIn({ returnTo: here });
  };
  return (
    <dialog ref={dialog} className="card ended" aria-labelledby={title} onCancel={(event) => event.preventDefault()}>
      <Title order={2} id={title} mb="sm">
        Your session has ended
      </Title>
      <Text size="sm" mb="md">
        Sign in again to go on. Nothing that you have typed is lost.
      </Text>
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={() => void session.signOut()}>
          Sign out
        </Button>
        <Button onClick={again} autoFocus>
          Sign in again
        </Button>
      </Group>
    </dialog>
  );
}
