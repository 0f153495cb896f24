import { Group, Text } from '@mantine/core';
import { Link } from 'wouter';
import { EmptyState } from '../ui/EmptyState.tsx';
import { QueryBoundary } from '../ui/QueryBoundary.tsx';
import { Screen } from '../ui/Screen.tsx';
import { ShowMore } from '../ui/ShowMore.tsx';
import { Status } from '../ui/Status.tsx';
import { ButtonLink } from '../ui/TextLink.tsx';
import { formatDate } from '../ui/TimeAgo.tsx';
import { type HostingItem, useHostings } from './api.ts';

const ChoosePlanButton = () => <ButtonLink href="/billing/plans">Choose a plan</ButtonLink>;

/** The account's web and e-mail hosting. */
export function HostingList() {
  const hostings = useHostings();
  return (
    <Screen title="Web hosting" actions={<ChoosePlanButton />}>
      <QueryBoundary query={hostings}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState title="No hosting yet" action={<ChoosePlanButton />}>
              Choose a web or e-mail plan to host a site and mailboxes on your domain.
            </EmptyState>
          ) : (
            <div className="card">
              {data.map((item) => (
                <HostingRow key={item.id} item={item} />
              ))}
            </div>
          )
        }
      </QueryBoundary>
      <ShowMore list={hostings} />
    </Screen>
  );
}

const HostingRow = ({
  item: { id, hostingDomain, plan, status, mailboxes, currentPeriodEnd },
}: {
  item: HostingItem;
}) => (
  <Link href={`/hosting/${id}`} className="row">
    <Group justify="space-between" gap="xs">
      <div>
        <Text fw={600} className="break">
          {hostingDomain}
        </Text>
        <Text size="sm" c="dimmed">
          {plan.name} · {mailboxes} {mailboxes === 1 ? 'mailbox' : 'mailboxes'} · until {formatDate(currentPeriodEnd)}
        </Text>
      </div>
      <Status value={status} />
    </Group>
  </Link>
);
