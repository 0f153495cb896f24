import { Alert, Button, Group, type ModalProps, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyText } from './CopyText.tsx';
import { Dialog } from './Dialog.tsx';

interface OneTimeSecretProps {
  secrets: readonly { name: string; text: string }[];
  children: ReactNode;
  close: () => void;
}

/** Properties of a dialog that only a button in its content closes. */
const KEEP_OPEN = { closeOnEscape: false, closeOnClickOutside: false, withCloseButton: false } as const;

interface SecretDialogProps extends ModalProps {
  /** The request whose response holds the secret. */
  request: { data: unknown; isPending: boolean };
}

/**
 * Dialog of a request whose response holds a secret. Once the request is sent, only the button below the secret closes the dialog:
 * Escape, a click outside, or Back would lose the secret.
 */
export function SecretDialog({ request, opened, ...props }: SecretDialogProps) {
  const isSent = request.isPending || request.data !== undefined;
  return <Dialog {...props} opened={opened || isSent} {...(isSent ? KEEP_OPEN : {})} />;
}

/** Secrets that are shown once, to be copied now. */
export const OneTimeSecret = ({ secrets, children, close }: OneTimeSecretProps) => (
  <Stack gap="md" role="status">
    <Alert variant="default" style={{ borderColor: 'var(--warn)' }}>
      <Text size="sm">{children}</Text>
    </Alert>
    {secrets.map(({ name, text }) => (
      <div key={name}>
        <Text size="sm" fw={600}>
          {name}
        </Text>
        <CopyText text={text} name={name} />
      </div>
    ))}
    <Group justify="flex-end">
      <Button onClick={close} data-autofocus>
        Done
      </Button>
    </Group>
  </Stack>
);
