import { Group, Text } from '@mantine/core';
import { Link } from 'wouter';
import { type Endpoint, useEndpoints } from '../developers/api.ts';
import { Empty } from '../ui/EmptyState.tsx';
import { Loaded } from '../ui/QueryBoundary.tsx';
import { Section } from '../ui/Section.tsx';
import { ShowMore } from '../ui/ShowMore.tsx';
import { Status } from '../ui/Status.tsx';
import { NewEndpoint } from './NewEndpoint.tsx';

/** Where events are sent. */
export function Endpoints() {
  const endpoints = useEndpoints();
  return (
    <Section
      title="Webhook endpoints"
      about="Each event is sent, signed, to every endpoint that subscribes to it."
      actions={<NewEndpoint />}
    >
      <Loaded query={endpoints}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="No endpoints yet">
              Register the address of a receiver of yours to be told of deployments, payments and domains as they
              happen.
            </Empty>
          ) : (
            <div className="card">
              {data.map((endpoint) => (
                <Row key={endpoint.id} endpoint={endpoint} />
              ))}
            </div>
          )
        }
      </Loaded>
      <ShowMore of={endpoints} />
    </Section>
  );
}

const Row = ({ endpoint: { id, url, description, events, active, failureCount } }: { endpoint: Endpoint }) => (
  <Link href={`/developers/webhooks/${id}`} className="row">
    <Group justify="space-between" gap="xs">
      <div style={{ minWidth: 0 }}>
        <Text fw={600} className="break">
          {url}
        </Text>
        <Text size="sm" c="dimmed" className="break">
          {description && `${description} · `}
          {events.includes('*') ? 'all events' : events.join(', ')}
        </Text>
      </div>
      <Group gap="sm">
        {failureCount > 0 && <Text size="sm">{failureCount} failed in a row</Text>}
        <Status of={active ? 'ACTIVE' : 'DISABLED'} />
      </Group>
    </Group>
  </Link>
);
