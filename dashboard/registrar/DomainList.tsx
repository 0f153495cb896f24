import { memo } from 'react';
import { EmptyState } from '../ui/EmptyState.tsx';
import { useListFilter } from '../ui/FilteredItems.tsx';
import { FilteredList } from '../ui/FilteredList.tsx';
import { byName, byTime, type ListView } from '../ui/list-view.ts';
import { LinkRow } from '../ui/Row.tsx';
import { Screen } from '../ui/Screen.tsx';
import { Section } from '../ui/Section.tsx';
import { Status } from '../ui/Status.tsx';
import { formatDate } from '../ui/TimeAgo.tsx';
import { type Domain, expiryLabel, isCurrent, notRegistered, useDomains } from './api.ts';
import { DomainSearch } from './DomainSearch.tsx';

const VIEW: ListView<Domain> = {
  text: ({ name, dnsProvider }) => `${name} ${dnsProvider}`,
  sorts: {
    name: { label: 'Name', compare: byName(({ name }) => name) },
    expiry: { label: 'Expiry', compare: byTime(({ expiresAt }) => expiresAt) },
  },
  status: ({ status }) => status,
};

/** The account's domains, with a search for new ones. */
export function DomainList() {
  const filter = useListFilter('find');
  const domains = useDomains({ allPages: filter.isActive });
  return (
    <Screen title="Domains">
      <DomainSearch />
      <Section title="Your domains">
        <FilteredList
          name="domains"
          list={domains}
          filter={filter}
          view={VIEW}
          empty={<EmptyState title="No domains yet">Search above to find an available domain.</EmptyState>}
        >
          {(items) => (
            <div className="card">
              {items.map((domain) => (
                <DomainRow key={domain.id} domain={domain} />
              ))}
            </div>
          )}
        </FilteredList>
      </Section>
    </Screen>
  );
}

const dnsOf = (domain: Domain): string =>
  isCurrent(domain) ? ` · ${domain.dnsProvider === 'PLATFORM' ? 'managed DNS' : 'external DNS'}` : '';

const DomainRow = memo(({ domain }: { domain: Domain }) => (
  <LinkRow
    href={`/domains/${domain.id}`}
    title={domain.name}
    detail={`${domain.expiresAt ? `${expiryLabel(domain)} ${formatDate(domain.expiresAt)}` : notRegistered(domain)}${dnsOf(domain)}`}
  >
    <Status value={domain.status} />
  </LinkRow>
));
