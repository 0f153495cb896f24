import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { failureOf } from '../api/failure.ts';

interface FailureNoteProps {
  error: unknown;
  /** Tries again; absent where that is what the form's own button does. */
  retry?: (() => void) | undefined;
}

/** What went wrong, in the API's words, with the request id to quote when asking for help. */
export function FailureNote({ error, retry }: FailureNoteProps) {
  const { message, requestId, passes } = failureOf(error);
  return (
    <Alert role="alert" color="red" variant="default" style={{ borderColor: 'var(--bad)' }}>
      <Group justify="space-between" gap="sm">
        <Stack gap={2}>
          <Text size="sm" c="var(--bad)" fw={600} className="break">
            {message}
          </Text>
          {requestId && (
            <Text size="xs" c="dimmed" className="break">
              Request id: <code>{requestId}</code>
            </Text>
          )}
          {retry && passes && (
            <Text size="xs" c="dimmed">
              Trying again by itself.
            </Text>
          )}
        </Stack>
        {retry && (
          <Button size="xs" variant="default" onClick={retry}>
            Try again
          </Button>
        )}
      </Group>
    </Alert>
  );
}
