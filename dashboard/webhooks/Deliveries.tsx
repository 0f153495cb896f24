import { EmptyState } from '../ui/EmptyState.tsx';
import { QueryBoundary } from '../ui/QueryBoundary.tsx';
import { Section } from '../ui/Section.tsx';
import { ShowMore } from '../ui/ShowMore.tsx';
import { useDeliveries } from './api.ts';
import { DeliveryRow } from './DeliveryRow.tsx';
import { Replay } from './Replay.tsx';

/** Recent deliveries to an endpoint and its responses. */
export function Deliveries({ id, active }: { id: string; active: boolean }) {
  const deliveries = useDeliveries(id);
  const missed = deliveries.data?.data.findLast(({ status }) => status === 'SKIPPED' || status === 'FAILED');
  return (
    <Section
      title="Deliveries"
      description="Recent deliveries and the responses of your endpoint. Any of them can be replayed."
      actions={active && missed && <Replay id={id} since={missed.createdAt} />}
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
