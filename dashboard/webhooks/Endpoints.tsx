import { Group, Text } from '@mantine/core';
import { Link } from 'wouter';
import { EmptyState } from '../ui/EmptyState.tsx';
import { QueryBoundary } from '../ui/QueryBoundary.tsx';
import { Section } from '../ui/Section.tsx';
import { ShowMore } from '../ui/ShowMore.tsx';
import { Status } from '../ui/Status.tsx';
import { type Endpoint, useEndpoints } from './api.ts';
import { NewEndpoint } from './NewEndpoint.tsx';

/** List of the account's webhook endpoints. */
export function Endpoints() {
  const endpoints = useEndpoints();
  return (
    <Section
      title="Webhook endpoints"
      description="Every event is signed and sent to each endpoint that subscribes to it."
      actions={<NewEndpoint />}
    >
      <QueryBoundary query={endpoints}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState title="No endpoints yet">
              Add a URL to receive events about deployments, payments and domains.
            </EmptyState>
          ) : (
            <div className="card">
              {data.map((endpoint) => (
                <EndpointRow key={endpoint.id} endpoint={endpoint} />
              ))}
            </div>
          )
        }
      </QueryBoundary>
      <ShowMore list={endpoints} />
    </Section>
  );
}

const EndpointRow = ({ endpoint: { id, url, description, events, active, failureCount } }: { endpoint: Endpoint }) => (
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
        {failureCount > 0 && <Text size="sm">{failureCount} consecutive failures</Text>}
        <Status value={active ? 'ACTIVE' : 'DISABLED'} />
      </Group>
    </Group>
  </Link>
);
