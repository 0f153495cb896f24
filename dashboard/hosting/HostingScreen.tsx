import { SimpleGrid, Stack, Text } from '@mantine/core';
import { isFirstAttempt } from '../api/query-client.ts';
import { ActionButton } from '../ui/ActionButton.tsx';
import { DataTable } from '../ui/DataTable.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { FilteredItems, useListFilter } from '../ui/FilteredItems.tsx';
import { byName, type ListView } from '../ui/list-view.ts';
import { QueryBoundary } from '../ui/QueryBoundary.tsx';
import { RecordToAdd } from '../ui/RecordToAdd.tsx';
import { Screen } from '../ui/Screen.tsx';
import { Section } from '../ui/Section.tsx';
import { Stat } from '../ui/Stat.tsx';
import { Status } from '../ui/Status.tsx';
import {
  type HostingDetails,
  type HostingDomainDetails,
  useCreateSession,
  useHosting,
  useHostingDomain,
} from './api.ts';

type Mailbox = HostingDetails['mailboxes'][number];

/** Formats a quota in MB; 0 means unlimited. */
const formatQuota = (mb: number): string => {
  if (mb === 0) return 'Unlimited';
  return mb < 1024 ? `${mb} MB` : `${Number((mb / 1024).toFixed(1))} GB`;
};

const COLUMNS = [
  { name: 'Address', show: ({ address }: Mailbox) => address },
  { name: 'Quota', number: true, show: ({ quotaMb }: Mailbox) => formatQuota(quotaMb) },
];

const VIEW: ListView<Mailbox> = {
  text: ({ address }) => address,
  order: 'Default order',
  sorts: {
    address: { label: 'Address', compare: byName(({ address }) => address) },
    quota: { label: 'Largest quota', compare: (a, b) => quotaOf(b) - quotaOf(a) },
  },
};

/** Returns the quota for sorting; 0 means unlimited. */
const quotaOf = ({ quotaMb }: Mailbox): number => (quotaMb === 0 ? Number.MAX_SAFE_INTEGER : quotaMb);

function Mailboxes({ mailboxes }: { mailboxes: readonly Mailbox[] }) {
  const filter = useListFilter();
  return (
    <FilteredItems name="mailboxes" items={mailboxes} filter={filter} view={VIEW}>
      {(items) => <DataTable name="Mailboxes" items={items} idOf={({ address }) => address} columns={COLUMNS} />}
    </FilteredItems>
  );
}

/** One hosting subscription with live data from its server. */
export function HostingScreen({ id }: { id: string }) {
  const hosting = useHosting(id);
  const domain = useHostingDomain(id);
  const found = hosting.data?.data;
  return (
    <Screen
      title={found?.hostingDomain ?? 'Web hosting'}
      crumbs={[{ href: '/hosting', name: 'Web hosting' }]}
      id={found?.id}
      beside={found && <Status value={found.panelStatus} />}
      actions={found?.panelStatus === 'ACTIVE' && <OpenPanel id={id} />}
    >
      <QueryBoundary query={hosting} lines={4}>
        {({ data }) =>
          data.panelStatus === 'PENDING' || data.panelStatus === 'REMOVED' ? (
            <NoAccount status={data.panelStatus} />
          ) : (
            <HostingDetail hosting={data} />
          )
        }
      </QueryBoundary>
      {/* Shown after the details above, which take a few seconds to load and would shift it. */}
      {!isFirstAttempt(hosting) && found?.panelStatus !== 'REMOVED' && <HostingDomain domain={domain} />}
    </Screen>
  );
}

const NO_ACCOUNT_TEXTS = {
  PENDING: 'Your hosting account is being created. This takes a few minutes. The page updates automatically.',
  REMOVED: 'This hosting has ended. The server no longer has its files and mail.',
};

/** Why the subscription has no account on a server. */
const NoAccount = ({ status }: { status: keyof typeof NO_ACCOUNT_TEXTS }) => (
  <Text className="card" p="md" size="sm" role="status">
    {NO_ACCOUNT_TEXTS[status]}
  </Text>
);

/** Opens the control panel. The click itself opens the tab, or browsers would block it; its URL is set later. */
function OpenPanel({ id }: { id: string }) {
  const session = useCreateSession();
  const open = async () => {
    const tab = window.open('', '_blank');
    try {
      const { data } = await session.mutateAsync({ params: { id } });
      if (!tab) return window.location.assign(data.url);
      tab.opener = null;
      tab.location.replace(data.url);
    } catch (error) {
      tab?.close();
      throw error;
    }
  };
  return (
    <ActionButton variant="filled" action={open}>
      Open control panel
    </ActionButton>
  );
}

const HostingDetail = ({ hosting: { panelStatus, usage, mailboxes } }: { hosting: HostingDetails }) => (
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
    <Section
      title="Mailboxes"
      description={panelStatus === 'ACTIVE' && 'Manage mailboxes, files and databases in the hosting control panel.'}
    >
      {mailboxes.length === 0 ? (
        <EmptyState title="No mailboxes yet">
          {panelStatus === 'ACTIVE' && 'Create mailboxes in the hosting control panel.'}
        </EmptyState>
      ) : (
        <Mailboxes mailboxes={mailboxes} />
      )}
    </Section>
  </>
);

type PointingRecord = HostingDomainDetails['records'][number];
const idOfRecord = ({ type, name }: PointingRecord) => `${type} ${name}`;
const RECORD_COLUMNS = [
  { name: 'Type', show: ({ type }: PointingRecord) => type },
  { name: 'Name', show: ({ name }: PointingRecord) => name },
  { name: 'Content', show: ({ value }: PointingRecord) => value },
  { name: 'Priority', number: true, show: ({ prio }: PointingRecord) => prio ?? '' },
];

/** The domain's verification status with the record that verifies it, and the records that point it to the server. */
function HostingDomain({ domain }: { domain: ReturnType<typeof useHostingDomain> }) {
  return (
    <Section title="Domain">
      <QueryBoundary query={domain}>
        {({ data: { status, problem, challenge, records } }) => (
          <Stack className="card" p="md" gap="md" align="flex-start">
            <Status value={status} />
            {status === 'VERIFIED' ? (
              <Text size="sm">The server accepts mail for this domain.</Text>
            ) : (
              <>
                <Text size="sm" role="status">
                  Verify this domain to receive mail and to open the control panel: register it in this account, verify
                  it as the custom domain of an application, or add this {challenge.type} record. {problem}
                </Text>
                <RecordToAdd record={challenge} />
              </>
            )}
            {records.length > 0 && (
              <>
                <Text size="sm">
                  To use this server for your website and mail, add these records where the domain's DNS is managed. We
                  do not add them. If other servers also send mail for the domain, combine their SPF rules into one
                  record (v=spf1).
                </Text>
                <DataTable name="DNS records" items={records} idOf={idOfRecord} columns={RECORD_COLUMNS} />
              </>
            )}
          </Stack>
        )}
      </QueryBoundary>
    </Section>
  );
}
