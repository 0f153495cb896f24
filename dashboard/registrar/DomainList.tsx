import { Group, Text } from '@mantine/core';
import { Link } from 'wouter';
import { EmptyState } from '../ui/EmptyState.tsx';
import { QueryBoundary } from '../ui/QueryBoundary.tsx';
import { Screen } from '../ui/Screen.tsx';
import { Section } from '../ui/Section.tsx';
import { ShowMore } from '../ui/ShowMore.tsx';
import { Status } from '../ui/Status.tsx';
import { formatDate } from '../ui/TimeAgo.tsx';
import { type Domain, useDomains } from './api.ts';
import { DomainSearch } from './DomainSearch.tsx';

/** The account's domains, with a search for new ones. */
export function DomainList() {
  const domains = useDomains();
  return (
    <Screen title="Domains">
      <DomainSearch />
      <Section title="Your domains">
        <QueryBoundary query={domains}>
          {({ data }) =>
            data.length === 0 ? (
              <EmptyState title="No domains yet">Search above to find an available domain.</EmptyState>
            ) : (
              <div className="card">
                {data.map((domain) => (
                  <DomainRow key={domain.id} domain={domain} />
                ))}
              </div>
            )
          }
        </QueryBoundary>
        <ShowMore list={domains} />
      </Section>
    </Screen>
  );
}

const DomainRow = ({ domain: { id, name, status, expiresAt, autoRenew, dnsProvider } }: { domain: Domain }) => (
  <Link href={`/domains/${id}`} className="row">
    <Group justify="space-between" gap="xs">
      <div>
        <Text fw={600} className="break">
          {name}
        </Text>
        <Text size="sm" c="dimmed">
          {expiresAt ? `${autoRenew ? 'renews' : 'expires'} ${formatDate(expiresAt)}` : 'not registered yet'} ·{' '}
          {dnsProvider === 'PLATFORM' ? 'managed DNS' : 'external DNS'}
        </Text>
      </div>
      <Status value={status} />
    </Group>
  </Link>
);
