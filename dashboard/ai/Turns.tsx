import { Stack, Text } from '@mantine/core';
import type { Turn } from './use-chat.ts';

/** The conversation as plain text: responses are never rendered as HTML. */
export const Turns = ({ turns, busy }: { turns: readonly Turn[]; busy: boolean }) => (
  <Stack gap="sm" role="log" aria-label="Conversation" aria-busy={busy}>
    {turns.map((turn) => (
      <div key={turn.id} className="card" style={{ padding: 'var(--mantine-spacing-sm) var(--mantine-spacing-md)' }}>
        <Text size="xs" c="dimmed" fw={600}>
          {turn.role === 'user' ? 'You' : turn.model}
        </Text>
        <Text className="break" style={{ whiteSpace: 'pre-wrap' }}>
          {turn.content || '…'}
        </Text>
        {turn.failed && (
          <Text size="xs" c="var(--bad)">
            {turn.role === 'user' ? 'Not answered' : 'The response was interrupted'}
          </Text>
        )}
        {turn.usage && (
          <Text size="xs" c="dimmed">
            {turn.usage.prompt_tokens} tokens in, {turn.usage.completion_tokens} out
          </Text>
        )}
      </div>
    ))}
  </Stack>
);
