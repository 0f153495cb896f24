import { Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { rand } from '../ui/money.ts';
import { Loaded } from '../ui/QueryBoundary.tsx';
import { Section } from '../ui/Section.tsx';
import { ShowMore } from '../ui/ShowMore.tsx';
import { Figure } from '../ui/Stat.tsx';
import { useCredits } from './api.ts';
import { BuyCredits } from './BuyCredits.tsx';
import { DayChart } from './DayChart.tsx';
import { Ledger } from './Ledger.tsx';
import { SpendChart } from './SpendChart.tsx';

/** What is left of the credits, where they went, and more of them. */
export function CreditsTab() {
  const credits = useCredits();
  return (
    <Loaded query={credits} lines={4}>
      {({ data }) => (
        <Stack gap="xl">
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <Group className="card" p="md" gap="xl" align="flex-start">
              <Figure name="Balance" value={rand(data.balance)} />
              <Figure name="Available" value={rand(data.available)} />
              <Text size="xs" c="dimmed">
                What running calls may cost is held until they end.
              </Text>
            </Group>
            <div className="card" style={{ padding: 'var(--mantine-spacing-md)' }}>
              <BuyCredits />
            </div>
          </SimpleGrid>
          <Section title="Spending by model" about={`Over the newest ${data.entries.length} entries of the ledger.`}>
            <SpendChart entries={data.entries} />
          </Section>
          <Section title="Spending by day" about="The last 14 days, as far as the ledger below reaches.">
            <DayChart entries={data.entries} />
          </Section>
          <Section title="Ledger">
            <Ledger entries={data.entries} />
            <ShowMore of={credits} />
          </Section>
        </Stack>
      )}
    </Loaded>
  );
}
