import { memo } from 'react';
import { DEFAULT_PLAN, PLAN_GRACE_DAYS } from '../../contract/billing/plans.ts';
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
            The plan stays active until {until} and is not renewed.
            {plan.slug === DEFAULT_PLAN.slug
              ? ` Every account has ${plan.name} free: nothing else changes.`
              : plan.category === 'APP' &&
                ` Your account then moves to ${DEFAULT_PLAN.name} (${DEFAULT_PLAN.appLimit} application). Applications beyond that limit are suspended ${PLAN_GRACE_DAYS} days later.`}
          </ConfirmButton>
        )}
      </Row>
    );
  },
);
