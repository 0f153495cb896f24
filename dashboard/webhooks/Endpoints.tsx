import { memo } from 'react';
import { count } from '../ui/count.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { useListFilter } from '../ui/FilteredItems.tsx';
import { FilteredList } from '../ui/FilteredList.tsx';
import { byName, type ListView } from '../ui/list-view.ts';
import { LinkRow } from '../ui/Row.tsx';
import { Section } from '../ui/Section.tsx';
import { Status } from '../ui/Status.tsx';
import { type Endpoint, useEndpoints } from './api.ts';
import { NewEndpoint } from './NewEndpoint.tsx';

const VIEW: ListView<Endpoint> = {
  text: ({ url, description, events }) => `${url} ${description} ${events.join(' ')}`,
  sorts: {
    url: { label: 'URL', compare: byName(({ url }) => url) },
    failures: { label: 'Most failures', compare: (a, b) => b.failureCount - a.failureCount },
  },
  status: ({ active }) => (active ? 'ACTIVE' : 'DISABLED'),
};

/** List of the account's webhook endpoints. */
export function Endpoints() {
  const filter = useListFilter();
  const endpoints = useEndpoints({ allPages: filter.isActive });
  return (
    <Section
      title="Webhook endpoints"
      description="Events are signed and sent to every endpoint that subscribes to them."
      actions={<NewEndpoint />}
    >
      <FilteredList
        name="endpoints"
        list={endpoints}
        filter={filter}
        view={VIEW}
        empty={
          <EmptyState title="No endpoints yet">
            Add a URL to receive events about deployments, payments and domains.
          </EmptyState>
        }
      >
        {(items) => (
          <div className="card">
            {items.map((endpoint) => (
              <EndpointRow key={endpoint.id} endpoint={endpoint} />
            ))}
          </div>
        )}
      </FilteredList>
    </Section>
  );
}

const EndpointRow = memo(
  ({ endpoint: { id, url, description, events, active, failureCount } }: { endpoint: Endpoint }) => (
    <LinkRow
      href={`/developers/webhooks/${id}`}
      title={url}
      detail={`${description && `${description} · `}${events.includes('*') ? 'All events' : events.join(', ')}`}
    >
      {failureCount > 0 && <small className="row-warning">{count(failureCount, 'consecutive failure')}</small>}
      <Status value={active ? 'ACTIVE' : 'DISABLED'} />
    </LinkRow>
  ),
);
