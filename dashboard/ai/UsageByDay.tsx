import { Group, NativeSelect } from '@mantine/core';
import { ColumnChart } from '../ui/ColumnChart.tsx';
import { formatNumber } from '../ui/chart/figures.ts';
import { formatMicroRand } from '../ui/money.ts';
import { Section } from '../ui/Section.tsx';
import { formatDay } from '../ui/TimeAgo.tsx';
import { useUrlStates } from '../ui/use-url-state.ts';
import { keyNameOf, USAGE_DAYS, type Usage } from './api.ts';
import { partsByDay } from './spend.ts';

const VALUES = {
  spending: { label: 'Spending', amountOf: (usage: Usage) => usage.amountMicroRand, format: formatMicroRand },
  tokens: { label: 'Tokens', amountOf: (usage: Usage) => usage.inputTokens + usage.outputTokens, format: formatNumber },
  calls: { label: 'Calls', amountOf: (usage: Usage) => usage.calls, format: formatNumber },
} as const;
const GROUPS = {
  model: { label: 'By model', nameOf: ({ model }: Usage) => model },
  key: { label: 'By key', nameOf: keyNameOf },
} as const;

const optionsOf = (choices: Readonly<Record<string, { label: string }>>) =>
  Object.entries(choices).map(([value, { label }]) => ({ value, label }));
/** On a phone, only every fifth column has room for its label. */
const LABEL_EVERY = 5;

/** AI usage by day and by model or key, in money, tokens or calls. */
export function UsageByDay({ usage }: { usage: readonly Usage[] }) {
  const [{ show = '', by = '' }, change] = useUrlStates(['show', 'by']);
  const value = show === 'tokens' || show === 'calls' ? show : 'spending';
  const group = by === 'key' ? by : 'model';
  const { label, amountOf, format } = VALUES[value];
  const { days, parts } = partsByDay(usage, GROUPS[group].nameOf, amountOf, Date.now(), USAGE_DAYS);
  const columns = days.map((day, index) => ({
    id: day,
    title: formatDay(day),
    label: (days.length - 1 - index) % LABEL_EVERY === 0 ? day.slice(8) : '',
  }));
  return (
    <Section
      title="Usage by day"
      description={`Last ${USAGE_DAYS} days (UTC)`}
      actions={
        <Group gap="xs">
          <NativeSelect
            aria-label="Show"
            value={value}
            onChange={({ currentTarget: { value: chosen } }) => change({ show: chosen === 'spending' ? '' : chosen })}
            data={optionsOf(VALUES)}
          />
          <NativeSelect
            aria-label="Group"
            value={group}
            onChange={({ currentTarget: { value: chosen } }) => change({ by: chosen === 'model' ? '' : chosen })}
            data={optionsOf(GROUPS)}
          />
        </Group>
      }
    >
      <ColumnChart name={`${label} by day`} columns={columns} parts={parts} format={format} />
    </Section>
  );
}
