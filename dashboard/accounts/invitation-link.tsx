import { useState } from 'react';
import { OneTimeSecret, SecretDialog } from '../ui/OneTimeSecret.tsx';
import type { NewInvitation } from './api.ts';

/** Text and link of a new invitation, shown once. */
export function InvitationLink({ invitation, close }: { invitation: NewInvitation; close: () => void }) {
  const { email, link, isEmailed } = invitation;
  return (
    <OneTimeSecret secrets={[{ name: 'Invitation link', text: link }]} close={close}>
      {isEmailed
        ? `We are sending an email with a link to ${email}. You can also copy this link and send it yourself.`
        : `Copy the link and send it to ${email}.`}{' '}
      It works once, for 7 days, and only for this address. You won't be able to see it again.
    </OneTimeSecret>
  );
}

/** Returns a function that shows the link of an invitation, and the dialog that it is shown in. */
export function useInvitationLink() {
  const [shown, setShown] = useState<NewInvitation>();
  const close = () => setShown(undefined);
  const dialog = (
    <SecretDialog
      request={{ data: shown, isPending: false }}
      opened={shown !== undefined}
      onClose={close}
      title="New invitation link"
    >
      {shown && <InvitationLink invitation={shown} close={close} />}
    </SecretDialog>
  );
  return { show: setShown, dialog };
}
