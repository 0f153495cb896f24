import { Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { PLAN_CATEGORIES } from '../../contract/enums.ts';
import { rand } from '../ui/money.ts';
import { Loaded } from '../ui/QueryBoundary.tsx';
import { Section } from '../ui/Section.tsx';
import { type Plan, usePlans } from './api.ts';
import { BuyPlan } from './BuyPlan.tsx';
import { Subscriptions } from './Subscriptions.tsx';

const CATEGORY_WORDS: Readonly<Record<Plan['category'], string>> = {
  APP: 'Applications',
  WEB: 'Web hosting',
  EMAIL: 'E-mail hosting',
};

/** What is subscribed to, and what else there is. */
export const Plans = () => (
  <Stack gap="xl">
    <Subscriptions />
    <Loaded query={usePlans()} lines={4}>
      {({ data }) =>
        PLAN_CATEGORIES.map((category) => (
          <Section key={category} title={CATEGORY_WORDS[category]}>
            <SimpleGrid cols={{ base: 1, sm: 2, md: 3 }}>
              {data
                .filter((plan) => plan.category === category)
                .map((plan) => (
                  <PlanCard key={plan.slug} plan={plan} />
                ))}
            </SimpleGrid>
          </Section>
        ))
      }
    </Loaded>
  </Stack>
);

const PlanCard = ({ plan }: { plan: Plan }) => (
  <Stack className="card" p="md" gap={4}>
    <Text fw={650}>{plan.name}</Text>
    <Text size="sm">
      {rand(plan.priceMonthly)} a month, or {rand(plan.priceYearly)} a year
    </Text>
    <Text size="sm" c="dimmed">
      {plan.storageGb} GB · without VAT
    </Text>
    <Group mt="xs">
      <BuyPlan plan={plan} />
    </Group>
  </Stack>
);
