import { Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { chooseAccount } from '../login/account-choice.ts';
import { useSession } from '../login/context.ts';
import { ActionButton } from '../ui/ActionButton.tsx';
import { Screen } from '../ui/Screen.tsx';
import { useAcceptInvitation } from './api.ts';

/** The page that an invitation link opens. The URL's fragment holds the secret. */
export default function AcceptInvitation() {
  const session = useSession();
  const [token] = useState(() => window.location.hash.slice(1));
  const accept = useAcceptInvitation();
  const join = async () => {
    const { id, role } = (await accept.mutateAsync({ body: { token } })).data;
    chooseAccount(id, role);
    window.location.assign(import.meta.env.BASE_URL);
  };
  return (
    <Screen title="Invitation">
      <Stack className="card" p="md" align="flex-start">
        <Text>
          You have been invited to join an account. You are signed in as <strong>{session.email}</strong>. Only the
          email address that the invitation was sent to can accept it.
        </Text>
        <ActionButton variant="filled" action={join} disabled={token === ''}>
          Accept invitation
        </ActionButton>
        {token === '' && (
          <Text size="sm" c="dimmed">
            This link is incomplete. Open the full link from your invitation.
          </Text>
        )}
      </Stack>
    </Screen>
  );
}
