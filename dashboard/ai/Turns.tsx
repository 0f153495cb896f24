import { Stack, Text } from '@mantine/core';
import { formatMs } from '../ui/chart/figures.ts';
import type { Turn } from './use-chat.ts';

/** Formats how fast an answer came: `, first text after 420 ms, 61 tokens/s`. */
function formatTiming({ firstMs, lastMs }: NonNullable<Turn['timing']>, tokens: number): string {
  const seconds = (lastMs - firstMs) / 1000;
  const rate = seconds > 0 ? `, ${Math.round(tokens / seconds)} tokens/s` : '';
  return `, first text after ${formatMs(firstMs)}${rate}`;
}

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
            {turn.timing && formatTiming(turn.timing, turn.usage.completion_tokens)}
          </Text>
        )}
      </div>
    ))}
  </Stack>
);
