import { Stack, Text } from '@mantine/core';
import { formatMs } from '../ui/chart/figures.ts';
import { formatMicroRand } from '../ui/money.ts';
import { type ModelPrice, turnCost } from './turn-cost.ts';
import type { Turn } from './use-chat.ts';

/** Formats the speed of a response: `, first token after 420 ms, 61 tokens/s`. */
function formatTiming({ firstMs, lastMs }: NonNullable<Turn['timing']>, tokens: number): string {
  const seconds = (lastMs - firstMs) / 1000;
  const rate = seconds > 0 ? `, ${Math.round(tokens / seconds)} tokens/s` : '';
  return `, first token after ${formatMs(firstMs)}${rate}`;
}

/** Formats the list price of a response on credits, without the provider's discounts, such as for cached tokens. */
function formatCost(usage: NonNullable<Turn['usage']>, price: ModelPrice | undefined): string {
  const cost = turnCost(usage, price);
  return cost === undefined ? '' : `, about ${formatMicroRand(cost)}`;
}

interface TurnsProps {
  name: string;
  turns: readonly Turn[];
  busy: boolean;
  /** Returns the price of a model on credits; undefined if the model is not available on credits. */
  priceOf: (model: string) => ModelPrice | undefined;
}

/** The conversation as plain text: responses are never rendered as HTML. */
export const Turns = ({ name, turns, busy, priceOf }: TurnsProps) => (
  <Stack gap="sm" role="log" aria-label={name} aria-busy={busy}>
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
        {turn.timing && !turn.usage && (
          <Text size="xs" c="dimmed">
            First token after {formatMs(turn.timing.firstMs)}
          </Text>
        )}
        {turn.usage && (
          <Text size="xs" c="dimmed">
            {turn.usage.prompt_tokens} tokens in, {turn.usage.completion_tokens} out
            {turn.timing && formatTiming(turn.timing, turn.usage.completion_tokens)}
            {formatCost(turn.usage, priceOf(turn.model))}
          </Text>
        )}
      </div>
    ))}
  </Stack>
);
