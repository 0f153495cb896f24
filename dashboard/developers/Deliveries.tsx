import { ActButton } from '../ui/ActButton.tsx';
import { Empty } from '../ui/Empty.tsx';
import { Loaded } from '../ui/Loaded.tsx';
import { Section } from '../ui/Section.tsx';
import { ShowMore } from '../ui/ShowMore.tsx';
import { tell } from '../ui/tell.ts';
import { type Delivery, useDeliveries, useResendSkipped } from './api.ts';
import { DeliveryRow } from './DeliveryRow.tsx';

/** What was sent to an endpoint lately, and what it said. */
export function Deliveries({ id }: { id: string }) {
  const deliveries = useDeliveries(id);
  const list = deliveries.data?.data ?? [];
  return (
    <Section
      title="Deliveries"
      about="What was sent lately, and what the receiver answered. Each can be sent again."
      actions={list.some(({ status }) => status === 'SKIPPED') && <ResendSkipped id={id} deliveries={list} />}
    >
      <Loaded query={deliveries}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="Nothing was sent yet">Send a ping to see whether your receiver answers.</Empty>
          ) : (
            <div className="card">
              {data.map((delivery) => (
                <DeliveryRow key={delivery.id} delivery={delivery} />
              ))}
            </div>
          )
        }
      </Loaded>
      <ShowMore of={deliveries} />
    </Section>
  );
}

/** Sends again what was skipped while the endpoint was disabled. */
function ResendSkipped({ id, deliveries }: { id: string; deliveries: readonly Delivery[] }) {
  const resend = useResendSkipped();
  const since = deliveries.filter(({ status }) => status === 'SKIPPED').at(-1)?.createdAt ?? '';
  const act = async () => {
    const { data } = await resend.mutateAsync({ params: { id }, body: { since } });
    tell(`${data.resent} deliveries are sent again${data.remaining ? '; there are more' : ''}.`);
  };
  return <ActButton act={act}>Send skipped ones again</ActButton>;
}
