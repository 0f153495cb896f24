import { Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { isIncluded } from '../../contract/billing/plans.ts';
import { isFirstAttempt } from '../api/query-client.ts';
import { useMe } from '../api/use-me.ts';
import { addVat, formatRand } from '../ui/money.ts';
import { QueryBoundary } from '../ui/QueryBoundary.tsx';
import { Section } from '../ui/Section.tsx';
import { Status } from '../ui/Status.tsx';
import { type Plan, type Subscription, usePlans, useSubscriptions } from './api.ts';
import { BuyPlan } from './BuyPlan.tsx';
import { Subscriptions } from './Subscriptions.tsx';

/** The plan of the account itself comes first. */
const CATEGORIES = [
  ['APP', 'Applications'],
  ['WEB', 'Web hosting'],
  ['EMAIL', 'Email hosting'],
] as const;

/** Subscriptions and available plans. */
export function Plans() {
  const current = useMe().data?.data.account.plan;
  const plans = usePlans();
  const subscriptions = useSubscriptions();
  const { data } = subscriptions;
  const paid = data?.data.find(isForApplications) ?? (data?.has_more === false ? null : undefined);
  return (
    <Stack gap="xl">
      <Subscriptions />
      {/* The plans follow the subscriptions, which would shift them. */}
      {!isFirstAttempt(subscriptions) && (
        <QueryBoundary query={plans} lines={4}>
          {({ data: offered }) =>
            CATEGORIES.map(([category, title]) => (
              <Section key={category} title={title}>
                <SimpleGrid cols={{ base: 1, sm: 2, lg: 4 }}>
                  {offered
                    .filter((plan) => plan.category === category)
                    .map((plan) => (
                      <PlanCard key={plan.slug} plan={plan} current={current} paid={paid} />
                    ))}
                </SimpleGrid>
              </Section>
            ))
          }
        </QueryBoundary>
      )}
    </Stack>
  );
}

/** The newest match is the account's plan: a purchase cancels earlier ones. A plan whose renewal is overdue still counts. */
const isForApplications = ({ plan, status, currentPeriodEnd }: Subscription): boolean =>
  plan.category === 'APP' && (status !== 'CANCELLED' || Date.parse(currentPeriodEnd) > Date.now());

interface PlanCardProps {
  plan: Plan;
  /** The account's plan; the free one if none is paid. */
  current: { slug: string; name: string } | undefined;
  /** The subscription to an application plan, also if cancelled, until its period ends. Null if there is none; undefined until it is loaded. */
  paid: Subscription | null | undefined;
}

const describeLimits = ({ appLimit, storageGb }: Plan): string =>
  `${appLimit === null ? '' : `${appLimit} ${appLimit === 1 ? 'application' : 'applications'} · `}${storageGb} GB storage`;

function PlanCard({ plan, current, paid }: PlanCardProps) {
  const replaced = paid === undefined ? current : paid?.plan;
  // The account and its subscriptions are two requests: after a purchase, the first one that knows it counts.
  const isTheirs = [current?.slug, replaced?.slug].includes(plan.slug);
  // A customer who bought the plan before it was free, or through the API, pays until the subscription is cancelled.
  const isFree = isIncluded(plan) && (paid?.plan.slug !== plan.slug || paid.status === 'CANCELLED');
  return (
    <Stack className="card" p="md" gap={4}>
      <Group gap="xs">
        <Text fw={650}>{plan.name}</Text>
        {plan.slug === current?.slug && <Status value="ACTIVE" label="Current plan" />}
      </Group>
      <Text size="sm">
        {isFree ? (
          <>
            <span className="price">Free</span> <span>with every account</span>
          </>
        ) : (
          <>
            <span className="price">{formatRand(addVat(plan.priceMonthly))}/month</span>{' '}
            <span>or {formatRand(addVat(plan.priceYearly))}/year incl. VAT</span>
          </>
        )}
      </Text>
      {!isFree && (
        <Text size="xs" c="dimmed">
          {formatRand(plan.priceMonthly)} or {formatRand(plan.priceYearly)} excl. VAT
        </Text>
      )}
      <Text size="sm" c="dimmed">
        {describeLimits(plan)}
      </Text>
      <Group mt="auto" pt="xs">
        {!isIncluded(plan) && (!isTheirs || paid?.status === 'CANCELLED') && (
          <BuyPlan plan={plan} replaces={plan.category === 'APP' ? replaced?.name : undefined} />
        )}
      </Group>
    </Stack>
  );
}
