import { Group, Text } from '@mantine/core';
import { memo } from 'react';
import { ConfirmButton } from '../ui/ConfirmButton.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { useListFilter } from '../ui/FilteredItems.tsx';
import { FilteredList } from '../ui/FilteredList.tsx';
import { byName, byTime, type ListView } from '../ui/list-view.ts';
import { Section } from '../ui/Section.tsx';
import { Status } from '../ui/Status.tsx';
import { formatDate } from '../ui/TimeAgo.tsx';
import { toast } from '../ui/toast.ts';
import { type Subscription, useCancelSubscription, useSubscriptions } from './api.ts';

const VIEW: ListView<Subscription> = {
  text: ({ plan, hostingDomain, billingCycle }) => `${plan.name} ${hostingDomain ?? ''} ${billingCycle}`,
  sorts: {
    plan: { label: 'Plan', compare: byName(({ plan }) => plan.name) },
    end: { label: 'End of period', compare: byTime(({ currentPeriodEnd }) => currentPeriodEnd) },
  },
  status: ({ status }) => status,
};

/** The account's subscriptions. */
export function Subscriptions() {
  const filter = useListFilter();
  const subscriptions = useSubscriptions({ allPages: filter.isActive });
  return (
    <Section title="Your subscriptions">
      <FilteredList
        name="subscriptions"
        list={subscriptions}
        filter={filter}
        view={VIEW}
        empty={<EmptyState title="No subscriptions yet">Choose a plan below.</EmptyState>}
      >
        {(items) => (
          <div className="card">
            {items.map((subscription) => (
              <SubscriptionRow key={subscription.id} subscription={subscription} />
            ))}
          </div>
        )}
      </FilteredList>
    </Section>
  );
}

const SubscriptionRow = memo(
  ({
    subscription: { id, plan, status, billingCycle, hostingDomain, currentPeriodEnd },
  }: {
    subscription: Subscription;
  }) => {
    const cancel = useCancelSubscription();
    const until = formatDate(currentPeriodEnd);
    const cancelPlan = async () => {
      await cancel.mutateAsync({ params: { id } });
      toast(`${plan.name} was cancelled.`);
    };
    return (
      <Group className="row" justify="space-between" gap="sm">
        <div>
          <Group gap="xs">
            <Text fw={600}>{plan.name}</Text>
            <Status value={status} />
          </Group>
          <Text size="sm" c="dimmed" className="break">
            {hostingDomain && `${hostingDomain} · `}
            {billingCycle === 'MONTHLY' ? 'monthly' : 'yearly'} · {status === 'CANCELLED' ? 'ends on' : 'paid until'}{' '}
            {until}
          </Text>
        </div>
        {status !== 'CANCELLED' && (
          <ConfirmButton label="Cancel plan" size="xs" question={`Cancel ${plan.name}?`} onConfirm={cancelPlan}>
            The plan is not renewed. It stays active until {until}.
          </ConfirmButton>
        )}
      </Group>
    );
  },
);
