import { memo } from 'react';
import { ConfirmButton } from '../ui/ConfirmButton.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { useListFilter } from '../ui/FilteredItems.tsx';
import { FilteredList } from '../ui/FilteredList.tsx';
import { byName, byTime, type ListView } from '../ui/list-view.ts';
import { Row } from '../ui/Row.tsx';
import { Section } from '../ui/Section.tsx';
import { Status } from '../ui/Status.tsx';
import { formatDate } from '../ui/TimeAgo.tsx';
import { toast } from '../ui/toast.ts';
import { type Subscription, useCancelSubscription, useSubscriptions } from './api.ts';
import { describeCancellation } from './cancellation.ts';

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
  const { mutateAsync: cancel } = useCancelSubscription();
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
              <SubscriptionRow key={subscription.id} subscription={subscription} cancel={cancel} />
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
    cancel,
  }: {
    subscription: Subscription;
    cancel: ReturnType<typeof useCancelSubscription>['mutateAsync'];
  }) => {
    const until = formatDate(currentPeriodEnd);
    const cancelPlan = async () => {
      await cancel({ params: { id } });
      toast(`${plan.name} was cancelled.`);
    };
    return (
      <Row
        title={
          <>
            {plan.name} <Status value={status} />
          </>
        }
        detail={`${hostingDomain ? `${hostingDomain} · ` : ''}${billingCycle === 'MONTHLY' ? 'monthly' : 'yearly'} · ${status === 'CANCELLED' ? 'ends on' : 'paid until'} ${until}`}
      >
        {status !== 'CANCELLED' && (
          <ConfirmButton
            label="Cancel plan"
            keepLabel="Keep plan"
            size="xs"
            question={`Cancel ${plan.name}?`}
            onConfirm={cancelPlan}
          >
            {describeCancellation({ plan, hostingDomain, currentPeriodEnd }, Date.now())}
          </ConfirmButton>
        )}
      </Row>
    );
  },
);
