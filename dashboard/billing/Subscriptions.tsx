import { Group, Text } from '@mantine/core';
import { Confirm } from '../ui/ConfirmButton.tsx';
import { Empty } from '../ui/EmptyState.tsx';
import { Loaded } from '../ui/QueryBoundary.tsx';
import { Section } from '../ui/Section.tsx';
import { ShowMore } from '../ui/ShowMore.tsx';
import { Status } from '../ui/Status.tsx';
import { dateOf } from '../ui/TimeAgo.tsx';
import { tell } from '../ui/toast.ts';
import { type Subscription, useCancelSubscription, useSubscriptions } from './api.ts';

/** The plans that the account has. */
export function Subscriptions() {
  const subscriptions = useSubscriptions();
  return (
    <Section title="Your subscriptions">
      <Loaded query={subscriptions}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="No subscriptions yet">Choose a plan below.</Empty>
          ) : (
            <div className="card">
              {data.map((subscription) => (
                <Row key={subscription.id} subscription={subscription} />
              ))}
            </div>
          )
        }
      </Loaded>
      <ShowMore of={subscriptions} />
    </Section>
  );
}

function Row({
  subscription: { id, plan, status, billingCycle, hostingDomain, currentPeriodEnd },
}: {
  subscription: Subscription;
}) {
  const cancel = useCancelSubscription();
  const until = dateOf(currentPeriodEnd);
  const act = async () => {
    await cancel.mutateAsync({ params: { id } });
    tell(`${plan.name} was cancelled.`);
  };
  return (
    <Group className="row" justify="space-between" gap="sm">
      <div>
        <Group gap="xs">
          <Text fw={600}>{plan.name}</Text>
          <Status of={status} />
        </Group>
        <Text size="sm" c="dimmed" className="break">
          {hostingDomain && `${hostingDomain} · `}
          {billingCycle === 'MONTHLY' ? 'monthly' : 'yearly'} · {status === 'CANCELLED' ? 'usable' : 'paid'} until{' '}
          {until}
        </Text>
      </div>
      {status !== 'CANCELLED' && (
        <Confirm label="Cancel plan" size="xs" question={`Cancel ${plan.name}?`} act={act}>
          It is not renewed. What is paid stays usable until {until}.
        </Confirm>
      )}
    </Group>
  );
}
