import { useDeliveries } from '../developers/api.ts';
import { Empty } from '../ui/EmptyState.tsx';
import { Loaded } from '../ui/QueryBoundary.tsx';
import { Section } from '../ui/Section.tsx';
import { ShowMore } from '../ui/ShowMore.tsx';
import { DeliveryRow } from './DeliveryRow.tsx';
import { ResendSkipped } from './ResendSkipped.tsx';

/** What was sent to an endpoint lately, and what it said. */
export function Deliveries({ id, active }: { id: string; active: boolean }) {
  const deliveries = useDeliveries(id);
  const skipped = deliveries.data?.data.findLast(({ status }) => status === 'SKIPPED');
  return (
    <Section
      title="Deliveries"
      about="What was sent lately, and what the receiver answered. Each can be sent again."
      actions={active && skipped && <ResendSkipped id={id} since={skipped.createdAt} />}
    >
      <Loaded query={deliveries}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="Nothing was sent yet">Send a ping to see whether your receiver answers.</Empty>
          ) : (
            <div className="card">
              {data.map((delivery) => (
                <DeliveryRow key={delivery.id} delivery={delivery} active={active} />
              ))}
            </div>
          )
        }
      </Loaded>
      <ShowMore of={deliveries} />
    </Section>
  );
}
