import { Group, Text } from '@mantine/core';
import { ConfirmButton } from '../ui/ConfirmButton.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { QueryBoundary } from '../ui/QueryBoundary.tsx';
import { Section } from '../ui/Section.tsx';
import { ShowMore } from '../ui/ShowMore.tsx';
import { Status } from '../ui/Status.tsx';
import { formatDate } from '../ui/TimeAgo.tsx';
import { toast } from '../ui/toast.ts';
import { type Subscription, useCancelSubscription, useSubscriptions } from './api.ts';

/** The account's subscriptions. */
export function Subscriptions() {
  const subscriptions = useSubscriptions();
  return (
    <Section title="Your subscriptions">
      <QueryBoundary query={subscriptions}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState title="No subscriptions yet">Choose a plan below.</EmptyState>
          ) : (
            <div className="card">
              {data.map((subscription) => (
                <SubscriptionRow key={subscription.id} subscription={subscription} />
              ))}
            </div>
          )
        }
      </QueryBoundary>
      <ShowMore list={subscriptions} />
    </Section>
  );
}

function SubscriptionRow({
  subscription: { id, plan, status, billingCycle, hostingDomain, currentPeriodEnd },
}: {
  subscription: Subscription;
}) {
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
}
