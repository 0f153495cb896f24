import { Button, Group, Text, Title } from '@mantine/core';
import { useEffect, useId, useRef, useState } from 'react';
import { useSession } from './context.ts';

/**
 * Shown when the session expires while the page is open. The user signs in again in a popup, so that typed input is kept
 * and pending calls continue afterwards. A native dialog, because it has to be above any other open dialog.
 */
export function SessionExpired() {
  const session = useSession();
  const dialog = useRef<HTMLDialogElement>(null);
  const title = useId();
  const [hasFailed, setHasFailed] = useState(false);
  useEffect(() => dialog.current?.showModal(), []);
  const signInAgain = () => {
    const opened = window.open(`${import.meta.env.BASE_URL}sign-in`, 'sign-in', 'popup,width=480,height=680');
    const here = location.pathname.slice(import.meta.env.BASE_URL.length - 1) + location.search;
    if (!opened) session.signIn({ returnTo: here }).catch(() => setHasFailed(true));
  };
  return (
    <dialog
      ref={dialog}
      className="card session-expired"
      aria-labelledby={title}
      onCancel={(event) => event.preventDefault()}
    >
      <Title order={2} id={title} mb="sm">
        Your session has expired
      </Title>
      <Text size="sm" mb="md">
        Sign in again to continue. Your input is kept.
      </Text>
      {hasFailed && (
        <Text size="sm" mb="md" role="alert">
          The login page could not be opened. Check your connection and try again.
        </Text>
      )}
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={() => void session.signOut()}>
          Sign out
        </Button>
        <Button onClick={signInAgain} autoFocus>
          Sign in again
        </Button>
      </Group>
    </dialog>
  );
}
