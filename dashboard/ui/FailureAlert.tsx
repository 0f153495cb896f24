import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { toFailure } from '../api/failure.ts';

interface FailureAlertProps {
  error: unknown;
  /** Repeats the read. Omitted in forms, whose submit button repeats. */
  retry?: (() => void) | undefined;
}

/** An alert with the API's message and the request id to quote to support. */
export function FailureAlert({ error, retry }: FailureAlertProps) {
  const { message, requestId, isTransient } = toFailure(error);
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
          {retry && isTransient && (
            <Text size="xs" c="dimmed">
              Retrying automatically…
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
