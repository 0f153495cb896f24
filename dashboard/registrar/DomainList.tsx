import { Group, Text } from '@mantine/core';
import { Link } from 'wouter';
import { type Domain, useDomains } from '../domains/api.ts';
import { Empty } from '../ui/EmptyState.tsx';
import { Loaded } from '../ui/QueryBoundary.tsx';
import { Screen } from '../ui/Screen.tsx';
import { Section } from '../ui/Section.tsx';
import { ShowMore } from '../ui/ShowMore.tsx';
import { Status } from '../ui/Status.tsx';
import { dateOf } from '../ui/TimeAgo.tsx';
import { DomainSearch } from './DomainSearch.tsx';

/** The account's domains, and a search for more. */
export function DomainList() {
  const domains = useDomains();
  return (
    <Screen title="Domains">
      <DomainSearch />
      <Section title="Your domains">
        <Loaded query={domains}>
          {({ data }) =>
            data.length === 0 ? (
              <Empty title="No domains yet">Search for a name above to see whether it is free.</Empty>
            ) : (
              <div className="card">
                {data.map((domain) => (
                  <Row key={domain.id} domain={domain} />
                ))}
              </div>
            )
          }
        </Loaded>
        <ShowMore of={domains} />
      </Section>
    </Screen>
  );
}

const Row = ({ domain: { id, name, status, expiresAt, autoRenew, dnsProvider } }: { domain: Domain }) => (
  <Link href={`/domains/${id}`} className="row">
    <Group justify="space-between" gap="xs">
      <div>
        <Text fw={600} className="break">
          {name}
        </Text>
        <Text size="sm" c="dimmed">
          {expiresAt ? `${autoRenew ? 'renews' : 'expires'} ${dateOf(expiresAt)}` : 'not registered yet'} ·{' '}
          {dnsProvider === 'PLATFORM' ? 'our DNS' : 'external DNS'}
        </Text>
      </div>
      <Status of={status} />
    </Group>
  </Link>
);
