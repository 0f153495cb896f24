import { SimpleGrid, Stack } from '@mantine/core';
import { DataTable } from '../ui/DataTable.tsx';
import { Empty } from '../ui/EmptyState.tsx';
import { Loaded } from '../ui/QueryBoundary.tsx';
import { Screen } from '../ui/Screen.tsx';
import { Section } from '../ui/Section.tsx';
import { Figure } from '../ui/Stat.tsx';
import { Status } from '../ui/Status.tsx';
import { type HostingDetails, useHosting } from './api.ts';

type Mailbox = HostingDetails['mailboxes'][number];

const COLUMNS = [
  { name: 'Address', show: ({ address }: Mailbox) => address },
  { name: 'Quota', number: true, show: ({ quotaMb }: Mailbox) => (quotaMb === 0 ? 'no limit' : `${quotaMb} MB`) },
];

/** One subscription as it is on its server at this moment. */
export function HostingScreen({ id }: { id: string }) {
  const hosting = useHosting(id);
  const found = hosting.data?.data;
  return (
    <Screen
      title={found?.hostingDomain ?? 'Hosting'}
      back={{ href: '/hosting', name: 'Hosting' }}
      id={found?.id}
      beside={found && <Status of={found.panelStatus} />}
    >
      <Loaded query={hosting} lines={4}>
        {({ data: { usage, mailboxes } }) => (
          <>
            <Section title="Usage" about="Read from the server just now.">
              <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }}>
                {Object.entries(usage).map(([label, value]) => (
                  <Stack key={label} className="card" p="md">
                    <Figure name={label} value={value} />
                  </Stack>
                ))}
              </SimpleGrid>
            </Section>
            <Section title="Mailboxes">
              {mailboxes.length === 0 ? (
                <Empty title="No mailboxes yet">They are made on the hosting server's own panel.</Empty>
              ) : (
                <DataTable name="Mailboxes" items={mailboxes} idOf={({ address }) => address} columns={COLUMNS} />
              )}
            </Section>
          </>
        )}
      </Loaded>
    </Screen>
  );
}
