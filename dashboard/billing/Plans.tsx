import { Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { PLAN_CATEGORIES } from '../../contract/enums.ts';
import { useMe } from '../accounts/api.ts';
import { formatRand } from '../ui/money.ts';
import { QueryBoundary } from '../ui/QueryBoundary.tsx';
import { Section } from '../ui/Section.tsx';
import { Status } from '../ui/Status.tsx';
import { type Plan, usePlans } from './api.ts';
import { BuyPlan } from './BuyPlan.tsx';
import { Subscriptions } from './Subscriptions.tsx';

const CATEGORY_LABELS: Readonly<Record<Plan['category'], string>> = {
  APP: 'Applications',
  WEB: 'Web hosting',
  EMAIL: 'Email hosting',
};

/** Subscriptions and available plans. */
export function Plans() {
  const current = useMe().data?.data.account.plan;
  return (
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
                    <PlanCard key={plan.slug} plan={plan} current={current} />
                  ))}
              </SimpleGrid>
            </Section>
          ))
        }
      </QueryBoundary>
    </Stack>
  );
}

type CurrentPlan = { slug: string; name: string } | undefined;

const describeLimits = ({ appLimit, storageGb }: Plan): string =>
  `${appLimit === null ? '' : `${appLimit} ${appLimit === 1 ? 'application' : 'applications'} · `}${storageGb} GB storage`;

const PlanCard = ({ plan, current }: { plan: Plan; current: CurrentPlan }) => (
  <Stack className="card" p="md" gap={4}>
    <Group gap="xs">
      <Text fw={650}>{plan.name}</Text>
      {plan.slug === current?.slug && <Status value="ACTIVE" label="Current plan" />}
    </Group>
    <Text size="sm">
      {formatRand(plan.priceMonthly)}/month or {formatRand(plan.priceYearly)}/year excl. VAT
    </Text>
    <Text size="sm" c="dimmed">
      {describeLimits(plan)}
    </Text>
    <Group mt="xs">
      {plan.slug !== current?.slug && (
        <BuyPlan plan={plan} replaces={plan.category === 'APP' ? current?.name : undefined} />
      )}
    </Group>
  </Stack>
);
