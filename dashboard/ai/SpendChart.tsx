import { Text } from '@mantine/core';
import { EmptyState } from '../ui/EmptyState.tsx';
import { formatMicroRand } from '../ui/money.ts';
import { ButtonLink } from '../ui/TextLink.tsx';
import type { Spend } from './spend.ts';

/** Bar chart of spending by model or key. Screen readers get a list of the amounts. */
export function SpendChart({ name, spending }: { name: string; spending: readonly Spend[] }) {
  const max = spending[0]?.microRand ?? 0;
  if (spending.length === 0) {
    return (
      <EmptyState title="Nothing spent yet" action={<ButtonLink href="/ai/playground">Try a model</ButtonLink>}>
        Calls billed to credits appear here.
      </EmptyState>
    );
  }
  return (
    <ul className="card" aria-label={name} style={{ margin: 0, padding: 0, listStyle: 'none' }}>
      {spending.map((spend) => (
        <Bar key={spend.name} spend={spend} max={max} />
      ))}
    </ul>
  );
}

const Bar = ({ spend: { name, microRand: amount, calls }, max }: { spend: Spend; max: number }) => (
  <li className="row">
    <Text size="sm" className="break">
      {name} — {formatMicroRand(amount)} in {calls} {calls === 1 ? 'call' : 'calls'}
    </Text>
    <svg width="100%" height="10" aria-hidden="true" style={{ display: 'block' }}>
      <rect width="100%" height="10" rx="5" fill="var(--line)" />
      <rect
        width={`${max === 0 ? 0 : Math.max(1, (amount / max) * 100)}%`}
        height="10"
        rx="5"
        fill="var(--mantine-color-teal-6)"
      />
    </svg>
  </li>
);
