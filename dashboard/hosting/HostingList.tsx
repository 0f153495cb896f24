import { Group, Text } from '@mantine/core';
import { Link } from 'wouter';
import { Empty } from '../ui/EmptyState.tsx';
import { Loaded } from '../ui/QueryBoundary.tsx';
import { Screen } from '../ui/Screen.tsx';
import { ShowMore } from '../ui/ShowMore.tsx';
import { Status } from '../ui/Status.tsx';
import { ButtonLink } from '../ui/TextLink.tsx';
import { dateOf } from '../ui/TimeAgo.tsx';
import { type HostingItem, useHostings } from './api.ts';

const Buy = () => <ButtonLink href="/billing/plans">Choose a plan</ButtonLink>;

/** The account's web and e-mail hosting. */
export function HostingList() {
  const hostings = useHostings();
  return (
    <Screen title="Hosting" actions={<Buy />}>
      <Loaded query={hostings}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="No hosting yet" action={<Buy />}>
              A web or e-mail plan gives a domain its pages and mailboxes.
            </Empty>
          ) : (
            <div className="card">
              {data.map((item) => (
                <Row key={item.id} item={item} />
              ))}
            </div>
          )
        }
      </Loaded>
      <ShowMore of={hostings} />
    </Screen>
  );
}

const Row = ({ item: { id, hostingDomain, plan, status, mailboxes, currentPeriodEnd } }: { item: HostingItem }) => (
  <Link href={`/hosting/${id}`} className="row">
    <Group justify="space-between" gap="xs">
      <div>
        <Text fw={600} className="break">
          {hostingDomain}
        </Text>
        <Text size="sm" c="dimmed">
          {plan.name} · {mailboxes} {mailboxes === 1 ? 'mailbox' : 'mailboxes'} · until {dateOf(currentPeriodEnd)}
        </Text>
      </div>
      <Status of={status} />
    </Group>
  </Link>
);
