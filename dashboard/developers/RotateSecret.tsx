import { Button, Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ActButton } from '../ui/ActionButton.tsx';
import { ShownOnce } from '../ui/OneTimeSecret.tsx';
import { When } from '../ui/TimeAgo.tsx';
import { useRotateSecret } from './api.ts';

/** A new signing secret for an endpoint; the one before signs too for a day. */
export function RotateSecret({ id }: { id: string }) {
  const [open, setOpen] = useState(false);
  const rotate = useRotateSecret();
  const made = rotate.data?.data;
  const close = () => {
    setOpen(false);
    rotate.reset();
  };
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        New secret
      </Button>
      <Modal opened={open} onClose={close} title="A new signing secret" closeButtonProps={{ 'aria-label': 'Close' }}>
        {made ? (
          <ShownOnce secrets={[{ name: 'Signing secret', text: made.secret }]} close={close}>
            Deliveries are signed with the old secret too; it is out of use <When at={made.previousExpiresAt} />. This
            one is not shown again.
          </ShownOnce>
        ) : (
          <Stack>
            <Text size="sm">
              Deliveries are then signed with both secrets for 24 hours, so that your receiver can change over without
              missing any.
            </Text>
            <ActButton variant="filled" act={() => rotate.mutateAsync({ params: { id } })}>
              Make a new secret
            </ActButton>
          </Stack>
        )}
      </Modal>
    </>
  );
}
