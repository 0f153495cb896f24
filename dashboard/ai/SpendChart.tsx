import { Text } from '@mantine/core';
import { Empty } from '../ui/EmptyState.tsx';
import { microRand } from '../ui/money.ts';
import { ButtonLink } from '../ui/TextLink.tsx';
import type { Entry } from './api.ts';
import { type Spend, spendOf } from './spend.ts';

/** What each model cost, as bars: a list for those who hear it, with the numbers in words. */
export function SpendChart({ entries }: { entries: readonly Entry[] }) {
  const spent = spendOf(entries);
  const most = spent[0]?.microRand ?? 0;
  if (spent.length === 0) {
    return (
      <Empty title="Nothing spent yet" action={<ButtonLink href="/ai/playground">Try a model</ButtonLink>}>
        Calls on credits are shown here by their model.
      </Empty>
    );
  }
  return (
    <ul className="card" style={{ margin: 0, padding: 0, listStyle: 'none' }}>
      {spent.map((each) => (
        <Bar key={each.model} spend={each} most={most} />
      ))}
    </ul>
  );
}

const Bar = ({ spend: { model, microRand: amount, calls }, most }: { spend: Spend; most: number }) => (
  <li className="row">
    <Text size="sm" className="break">
      {model} — {microRand(amount)} in {calls} {calls === 1 ? 'call' : 'calls'}
    </Text>
    <svg width="100%" height="10" aria-hidden="true" style={{ display: 'block' }}>
      <rect width="100%" height="10" rx="5" fill="var(--line)" />
      <rect
        width={`${most === 0 ? 0 : Math.max(1, (amount / most) * 100)}%`}
        height="10"
        rx="5"
        fill="var(--mantine-color-teal-6)"
      />
    </svg>
  </li>
);
