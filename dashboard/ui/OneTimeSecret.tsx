import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyText } from './CopyText.tsx';

interface OneTimeSecretProps {
  secrets: readonly { name: string; text: string }[];
  children: ReactNode;
  close: () => void;
}

/** Properties of the dialog: neither Escape nor a click beside it closes it, which would lose the secret. */
export const KEEP_OPEN = { closeOnEscape: false, closeOnClickOutside: false, withCloseButton: false } as const;

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
