import { Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { PLAN_CATEGORIES } from '../../contract/enums.ts';
import { formatRand } from '../ui/money.ts';
import { QueryBoundary } from '../ui/QueryBoundary.tsx';
import { Section } from '../ui/Section.tsx';
import { type Plan, usePlans } from './api.ts';
import { BuyPlan } from './BuyPlan.tsx';
import { Subscriptions } from './Subscriptions.tsx';

const CATEGORY_LABELS: Readonly<Record<Plan['category'], string>> = {
  APP: 'Applications',
  WEB: 'Web hosting',
  EMAIL: 'E-mail hosting',
};

/** Subscriptions and available plans. */
export const Plans = () => (
  <Stack gap="xl">
    <Subscriptions />
    <QueryBoundary query={usePlans()} lines={4}>
      {({ data }) =>
        PLAN_CATEGORIES.map((category) => (
          <Section key={category} title={CATEGORY_LABELS[category]}>
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
    </QueryBoundary>
  </Stack>
);

const PlanCard = ({ plan }: { plan: Plan }) => (
  <Stack className="card" p="md" gap={4}>
    <Text fw={650}>{plan.name}</Text>
    <Text size="sm">
      {formatRand(plan.priceMonthly)}/month or {formatRand(plan.priceYearly)}/year excl. VAT
    </Text>
    <Text size="sm" c="dimmed">
      {plan.storageGb} GB storage
    </Text>
    <Group mt="xs">
      <BuyPlan plan={plan} />
    </Group>
  </Stack>
);
