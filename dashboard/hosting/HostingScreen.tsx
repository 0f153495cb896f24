import { SimpleGrid, Stack, Text } from '@mantine/core';
import { CopyText } from '../ui/CopyText.tsx';
import { DataTable } from '../ui/DataTable.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { QueryBoundary } from '../ui/QueryBoundary.tsx';
import { Screen } from '../ui/Screen.tsx';
import { Section } from '../ui/Section.tsx';
import { Stat } from '../ui/Stat.tsx';
import { Status } from '../ui/Status.tsx';
import { type HostingDetails, useHosting, useHostingDomain } from './api.ts';

type Mailbox = HostingDetails['mailboxes'][number];

/** Formats a quota in MB; 0 is none. */
const formatQuota = (mb: number): string => {
  if (mb === 0) return 'Unlimited';
  return mb < 1024 ? `${mb} MB` : `${Number((mb / 1024).toFixed(1))} GB`;
};

const COLUMNS = [
  { name: 'Address', show: ({ address }: Mailbox) => address },
  { name: 'Quota', number: true, show: ({ quotaMb }: Mailbox) => formatQuota(quotaMb) },
];

/** One hosting subscription, read live from its server. */
export function HostingScreen({ id }: { id: string }) {
  const hosting = useHosting(id);
  const found = hosting.data?.data;
  return (
    <Screen
      title={found?.hostingDomain ?? 'Web hosting'}
      crumbs={[{ href: '/hosting', name: 'Web hosting' }]}
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
      <HostingDomain id={id} />
    </Screen>
  );
}

/** The domain's proof, and the record that gives it. */
function HostingDomain({ id }: { id: string }) {
  const domain = useHostingDomain(id);
  return (
    <Section title="Domain">
      <QueryBoundary query={domain}>
        {({ data: { status, problem, challenge } }) => (
          <Stack className="card" p="md" gap="md">
            <Status value={status} />
            {status === 'VERIFIED' ? (
              <Text size="sm">The server accepts mail for this domain.</Text>
            ) : (
              <>
                <Text size="sm" role="status">
                  The server accepts no mail for this domain until you prove that it is yours: register it in this
                  account, verify it as custom domain of an application, or add this {challenge.type} record. {problem}
                </Text>
                <div>
                  <CopyText name={`the name of the ${challenge.type} record`} text={challenge.name} />
                  <CopyText name={`the value of the ${challenge.type} record`} text={challenge.value} />
                </div>
              </>
            )}
          </Stack>
        )}
      </QueryBoundary>
    </Section>
  );
}
