import { Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ActionButton } from '../ui/ActionButton.tsx';
import { OneTimeSecret, SecretDialog } from '../ui/OneTimeSecret.tsx';
import { TimeAgo } from '../ui/TimeAgo.tsx';
import { useRotateSecret } from './api.ts';

/** Rotates the signing secret of an endpoint. The previous secret stays valid for 24 hours. */
export function RotateSecret({ id }: { id: string }) {
  const [open, setOpen] = useState(false);
  const rotate = useRotateSecret();
  const created = rotate.data?.data;
  const close = () => {
    setOpen(false);
    rotate.reset();
  };
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        Rotate secret
      </Button>
      <SecretDialog request={rotate} opened={open} onClose={close} title="Rotate the signing secret">
        {created ? (
          <OneTimeSecret secrets={[{ name: 'Signing secret', text: created.secret }]} close={close}>
            Copy it now. You won't be able to see it again. Deliveries are also signed with the previous secret, which
            expires <TimeAgo at={created.previousExpiresAt} />.
          </OneTimeSecret>
        ) : (
          <Stack>
            <Text size="sm">
              Deliveries are signed with both secrets for 24 hours, so that your endpoint can switch without downtime.
            </Text>
            <ActionButton variant="filled" action={() => rotate.mutateAsync({ params: { id } })}>
              Create new secret
            </ActionButton>
          </Stack>
        )}
      </SecretDialog>
    </>
  );
}
