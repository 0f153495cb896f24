import { memo } from 'react';
import { EmptyState } from '../ui/EmptyState.tsx';
import { useListFilter } from '../ui/FilteredItems.tsx';
import { FilteredList } from '../ui/FilteredList.tsx';
import { byName, byTime, type ListView } from '../ui/list-view.ts';
import { LinkRow } from '../ui/Row.tsx';
import { Screen } from '../ui/Screen.tsx';
import { Status } from '../ui/Status.tsx';
import { ButtonLink } from '../ui/TextLink.tsx';
import { formatDate } from '../ui/TimeAgo.tsx';
import { type HostingItem, useHostings } from './api.ts';

const VIEW: ListView<HostingItem> = {
  text: ({ hostingDomain, plan }) => `${hostingDomain} ${plan.name}`,
  sorts: {
    name: { label: 'Name', compare: byName(({ hostingDomain }) => hostingDomain) },
    end: { label: 'End of period', compare: byTime(({ currentPeriodEnd }) => currentPeriodEnd) },
  },
  status: ({ status }) => status,
};

/** The account's web and email hosting. */
export function HostingList() {
  const filter = useListFilter();
  const hostings = useHostings({ allPages: filter.isActive });
  return (
    <Screen title="Web hosting" actions={<ButtonLink href="/billing/plans">Choose a plan</ButtonLink>}>
      <FilteredList
        name="hosting"
        list={hostings}
        filter={filter}
        view={VIEW}
        empty={
          <EmptyState title="No hosting yet">
            Choose a web or email plan to host a site and mailboxes on your domain.
          </EmptyState>
        }
      >
        {(items) => (
          <div className="card">
            {items.map((item) => (
              <HostingRow key={item.id} item={item} />
            ))}
          </div>
        )}
      </FilteredList>
    </Screen>
  );
}

const HostingRow = memo(
  ({ item: { id, hostingDomain, plan, status, mailboxes, currentPeriodEnd } }: { item: HostingItem }) => (
    <LinkRow
      href={`/hosting/${id}`}
      title={hostingDomain}
      detail={`${plan.name} · ${mailboxes} ${mailboxes === 1 ? 'mailbox' : 'mailboxes'} · until ${formatDate(currentPeriodEnd)}`}
    >
      <Status value={status} />
    </LinkRow>
  ),
);
