import { SimpleGrid, Stack } from '@mantine/core';
import { DataTable } from '../ui/DataTable.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { QueryBoundary } from '../ui/QueryBoundary.tsx';
import { Screen } from '../ui/Screen.tsx';
import { Section } from '../ui/Section.tsx';
import { Stat } from '../ui/Stat.tsx';
import { Status } from '../ui/Status.tsx';
import { type HostingDetails, useHosting } from './api.ts';

type Mailbox = HostingDetails['mailboxes'][number];

const COLUMNS = [
  { name: 'Address', show: ({ address }: Mailbox) => address },
  { name: 'Quota', number: true, show: ({ quotaMb }: Mailbox) => (quotaMb === 0 ? 'Unlimited' : `${quotaMb} MB`) },
];

/** One hosting subscription, read live from its server. */
export function HostingScreen({ id }: { id: string }) {
  const hosting = useHosting(id);
  const found = hosting.data?.data;
  return (
    <Screen
      title={found?.hostingDomain ?? 'Web hosting'}
      back={{ href: '/hosting', name: 'Web hosting' }}
      id={found?.id}
      beside={found && <Status value={found.panelStatus} />}
    >
      <QueryBoundary query={hosting} lines={4}>
        {({ data: { usage, mailboxes } }) => (
          <>
            <Section title="Usage" description="Live from the server.">
              <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }}>
                {Object.entries(usage).map(([label, value]) => (
                  <Stack key={label} className="card" p="md">
                    <Stat name={label} value={value} />
                  </Stack>
                ))}
              </SimpleGrid>
            </Section>
            <Section title="Mailboxes">
              {mailboxes.length === 0 ? (
                <EmptyState title="No mailboxes yet">Create mailboxes in the hosting control panel.</EmptyState>
              ) : (
                <DataTable name="Mailboxes" items={mailboxes} idOf={({ address }) => address} columns={COLUMNS} />
              )}
            </Section>
          </>
        )}
      </QueryBoundary>
    </Screen>
  );
}
