import { Alert, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { formatRand } from '../ui/money.ts';
import { QueryBoundary } from '../ui/QueryBoundary.tsx';
import { Section } from '../ui/Section.tsx';
import { ShowMore } from '../ui/ShowMore.tsx';
import { Stat } from '../ui/Stat.tsx';
import { keyNameOf, USAGE_DAYS, useCredits, useUsage } from './api.ts';
import { BuyCredits } from './BuyCredits.tsx';
import { SpendChart } from './SpendChart.tsx';
import { spendBy } from './spend.ts';
import { UsageByDay } from './UsageByDay.tsx';
import { UsageHistory } from './UsageHistory.tsx';

/** Spending by model, key and day. The API computes the sums, so they do not depend on the loaded part of the history. */
function Spending() {
  return (
    <QueryBoundary query={useUsage()}>
      {({ data }) => (
        <>
          <Section title="Spending by model" description={`Last ${USAGE_DAYS} days`}>
            <SpendChart name="Spending by model" spending={spendBy(data, ({ model }) => model)} />
          </Section>
          {data.length > 0 && (
            <Section title="Spending by key" description={`Last ${USAGE_DAYS} days`}>
              <SpendChart name="Spending by key" spending={spendBy(data, keyNameOf)} />
            </Section>
          )}
          {data.length > 0 && <UsageByDay usage={data} />}
        </>
      )}
    </QueryBoundary>
  );
}

/** Credit balance, purchases, spending and usage history. */
export function CreditsTab() {
  const credits = useCredits();
  return (
    <QueryBoundary query={credits} lines={4}>
      {({ data }) => (
        <Stack gap="xl">
          {data.debtMicroRand > 0 && (
            <Alert
              role="alert"
              color="red"
              variant="default"
              style={{ borderColor: 'var(--bad)' }}
              title={`You owe ${formatRand(data.debt)} for an earlier call`}
            >
              The call cost more than your credits. Buy credits to cover it. Until then, calls need your own provider
              key.
            </Alert>
          )}
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <Stack className="card" p="md" gap="xs">
              <Group gap="xl">
                <Stat name="Balance" value={formatRand(data.balance)} />
                <Stat name="Available" value={formatRand(data.available)} />
              </Group>
              <Text size="xs" c="dimmed">
                Available excludes credits reserved for calls in progress.
              </Text>
            </Stack>
            <div className="card" style={{ padding: 'var(--mantine-spacing-md)' }}>
              <BuyCredits />
            </div>
          </SimpleGrid>
          <Spending />
          <Section title="Usage history">
            <UsageHistory entries={data.entries} hasMore={credits.hasNextPage} more={<ShowMore list={credits} />} />
          </Section>
        </Stack>
      )}
    </QueryBoundary>
  );
}
