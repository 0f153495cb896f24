import { SimpleGrid, Stack, Text } from '@mantine/core';
import { useMemo } from 'react';
import { LIMIT_NAMES, limitRule } from '../../contract/limits/limits.ts';
import { isFirstAttempt } from '../api/query-client.ts';
import { useMe } from '../api/use-me.ts';
import { ColumnChart } from '../ui/ColumnChart.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { Meter, shareOf } from '../ui/Meter.tsx';
import { formatRand } from '../ui/money.ts';
import { QueryBoundary } from '../ui/QueryBoundary.tsx';
import { Section } from '../ui/Section.tsx';
import { Stat } from '../ui/Stat.tsx';
import { ButtonLink, TextLink } from '../ui/TextLink.tsx';
import { formatDate } from '../ui/TimeAgo.tsx';
import { type Spending, useSpending } from './api.ts';

/** Spending by product and month, the forecast for this month, and the usage of the plan's limits. */
export function SpendingTab() {
  const spending = useSpending();
  return (
    <Stack gap="xl">
      <QueryBoundary query={spending} lines={4}>
        {({ data }) => (
          <Stack gap="md">
            <Figures spending={data} />
            <Section title="Spending by month" description="Invoices by the month of issue, including VAT.">
              <Months spending={data} />
            </Section>
          </Stack>
        )}
      </QueryBoundary>
      {!isFirstAttempt(spending) && <PlanUsage />}
    </Stack>
  );
}

function Figures({ spending: { months, forecast, recurringMonthly } }: { spending: Spending }) {
  const [last, current] = months.slice(-2);
  return (
    <SimpleGrid cols={{ base: 2, sm: 4 }}>
      <div className="card" style={{ padding: 'var(--mantine-spacing-md)' }}>
        <Stat name="This month so far" value={formatRand(current?.total ?? 0)} />
      </div>
      <div className="card" style={{ padding: 'var(--mantine-spacing-md)' }}>
        <Stat name="Forecast for this month" value={formatRand(forecast.total)} />
        <Text size="xs" c="dimmed">
          {forecast.renewals.length === 0
            ? 'No more plans renew this month.'
            : forecast.renewals.map(({ plan, at }) => `${plan} renews ${formatDate(at)}`).join(', ')}
        </Text>
      </div>
      <div className="card" style={{ padding: 'var(--mantine-spacing-md)' }}>
        <Stat name="Last month" value={formatRand(last?.total ?? 0)} />
      </div>
      <div className="card" style={{ padding: 'var(--mantine-spacing-md)' }}>
        <Stat name="Plans, per month" value={formatRand(recurringMonthly)} />
        <TextLink href="/billing/plans">Plans</TextLink>
      </div>
    </SimpleGrid>
  );
}

const monthFormat = new Intl.DateTimeFormat('en-GB', { month: 'short', timeZone: 'UTC' });
const longFormat = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });

function Months({ spending: { months } }: { spending: Spending }) {
  const parts = useMemo(
    () => [
      { label: 'Plans', values: months.map(({ plans }) => Number(plans)) },
      { label: 'Domains', values: months.map(({ domains }) => Number(domains)) },
      { label: 'AI credits', values: months.map(({ aiCredits }) => Number(aiCredits)) },
    ],
    [months],
  );
  if (months.every(({ total }) => Number(total) === 0))
    return (
      <EmptyState
        title="Nothing spent in the last 12 months"
        action={<ButtonLink href="/billing/plans">See plans</ButtonLink>}
      >
        Plans, domains and AI credits that you buy appear here by month.
      </EmptyState>
    );
  const columns = months.map(({ month }) => {
    const day = new Date(`${month}-01T00:00:00Z`);
    return { id: month, label: monthFormat.format(day), title: longFormat.format(day) };
  });
  return <ColumnChart name="Spending by month" columns={columns} parts={parts} format={formatRand} hasTotals />;
}

/** Usage of the limits that are counted, those that are nearly reached first. */
const PlanUsage = () => (
  <QueryBoundary query={useMe()}>
    {({ data: { account } }) => (
      <Section
        title="Plan usage"
        description={`Your plan: ${account.plan.name}`}
        actions={<TextLink href="/developers/limits">All limits</TextLink>}
      >
        <div className="card">
          {LIMIT_NAMES.flatMap((name) => {
            const [used, limit] = [account.usage[name], account.limits[name]];
            return used === undefined ? [] : [{ name, used, limit }];
          })
            .sort((a, b) => shareOf(b.used, b.limit) - shareOf(a.used, a.limit))
            .map(({ name, ...use }) => (
              <Meter key={name} name={limitRule(name).counts} {...use} />
            ))}
        </div>
      </Section>
    )}
  </QueryBoundary>
);
