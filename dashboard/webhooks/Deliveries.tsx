import { EmptyState } from '../ui/EmptyState.tsx';
import { QueryBoundary } from '../ui/QueryBoundary.tsx';
import { Section } from '../ui/Section.tsx';
import { ShowMore } from '../ui/ShowMore.tsx';
import { useDeliveries } from './api.ts';
import { DeliveryRow } from './DeliveryRow.tsx';
import { ResendSkipped } from './ResendSkipped.tsx';

/** Recent deliveries to an endpoint and its responses. */
export function Deliveries({ id, active }: { id: string; active: boolean }) {
  const deliveries = useDeliveries(id);
  const skipped = deliveries.data?.data.findLast(({ status }) => status === 'SKIPPED');
  return (
    <Section
      title="Deliveries"
      description="Recent deliveries and the responses of your endpoint. Any of them can be resent."
      actions={active && skipped && <ResendSkipped id={id} since={skipped.createdAt} />}
    >
      <QueryBoundary query={deliveries}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState title="No deliveries yet">Send a test event to check that your endpoint responds.</EmptyState>
          ) : (
            <div className="card">
              {data.map((delivery) => (
                <DeliveryRow key={delivery.id} delivery={delivery} active={active} />
              ))}
            </div>
          )
        }
      </QueryBoundary>
      <ShowMore list={deliveries} />
    </Section>
  );
}
