import { Group, Stack, Text } from '@mantine/core';
import { GRACE_DAYS } from '../../contract/accounts/deletion.ts';
import { EXPORT_DAYS } from '../../contract/accounts/export.ts';
import { RightContext, useRefusal } from '../api/rights.ts';
import { useMe } from '../api/use-me.ts';
import { ActionButton } from '../ui/ActionButton.tsx';
import { ConfirmButton } from '../ui/ConfirmButton.tsx';
import { formatNumber } from '../ui/chart/figures.ts';
import { type Column, DataTable } from '../ui/DataTable.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { QueryBoundary } from '../ui/QueryBoundary.tsx';
import { RoleNotice } from '../ui/RoleNotice.tsx';
import { Section } from '../ui/Section.tsx';
import { Status } from '../ui/Status.tsx';
import { formatDate, TimeAgo } from '../ui/TimeAgo.tsx';
import { toast } from '../ui/toast.ts';
import {
  type AccountExport,
  useCancelDeletion,
  useCreateExportLink,
  useExports,
  useRequestDeletion,
  useStartExport,
} from './api.ts';

/** Exports of the account's data, and the deletion of the account. */
export const AccountData = () => (
  <RightContext value="manage">
    <Stack gap="xl">
      <RoleNotice />
      <Exports />
      <Deletion />
    </Stack>
  </RightContext>
);

function Exports() {
  const start = useStartExport();
  const refusal = useRefusal();
  const exports = useExports({ enabled: refusal === undefined });
  const isRunning = exports.data?.data.some(({ finishedAt }) => finishedAt === null) ?? false;
  return (
    <Section
      title="Exports"
      description={`A ZIP file with all data of the account, except secrets. You can download it for ${EXPORT_DAYS} days.`}
      actions={
        <ActionButton action={() => start.mutateAsync({})} disabled={isRunning}>
          Start export
        </ActionButton>
      }
    >
      {refusal === undefined ? (
        <QueryBoundary query={exports}>
          {({ data }) =>
            data.length === 0 ? (
              <EmptyState title="No exports">Start an export to download a copy of your account’s data.</EmptyState>
            ) : (
              <DataTable name="Exports" items={data} idOf={({ id }) => id} columns={COLUMNS} />
            )
          }
        </QueryBoundary>
      ) : (
        <Text size="sm" c="dimmed">
          {refusal}
        </Text>
      )}
    </Section>
  );
}

const formatSize = (bytes: number | null): string =>
  bytes === null ? '–' : `${formatNumber(Math.round(bytes / 1024))} KiB`;

/** A button that downloads an archive. The link is created on the click, because it is valid for minutes only. */
function Download({ item: { id, status } }: { item: AccountExport }) {
  const link = useCreateExportLink();
  if (status !== 'READY') return '–';
  const download = async () => {
    const { data } = await link.mutateAsync({ params: { id } });
    window.location.assign(data.url);
  };
  return (
    <ActionButton size="xs" action={download}>
      Download
    </ActionButton>
  );
}

const COLUMNS: readonly Column<AccountExport>[] = [
  { name: 'Started', show: ({ createdAt }) => <TimeAgo at={createdAt} /> },
  { name: 'Status', show: ({ status }) => <Status value={status} /> },
  { name: 'Size', number: true, show: ({ sizeBytes }) => formatSize(sizeBytes) },
  { name: 'Until', show: ({ expiresAt }) => (expiresAt ? formatDate(expiresAt) : '–') },
  { name: 'File', show: (item) => <Download item={item} /> },
];

function Deletion() {
  const request = useRequestDeletion();
  return (
    <Section title="Delete account">
      <QueryBoundary query={useMe()}>
        {({ data: { account } }) =>
          account.deletion ? (
            <PendingDeletion endsAt={account.deletion.endsAt} />
          ) : (
            <Group justify="space-between" gap="sm" className="card" p="md">
              <Text size="sm">
                All applications, databases, DNS records, keys and logins are deleted after {GRACE_DAYS} days.
              </Text>
              <ConfirmButton
                label="Delete account"
                question="Delete this account?"
                confirmationText={account.email}
                onConfirm={async () => {
                  await request.mutateAsync({ body: { confirm: account.email } });
                  toast('The account is scheduled for deletion.');
                }}
              >
                For {GRACE_DAYS} days, your applications keep running, your account is read-only, and you can cancel the
                deletion. Then everything is deleted permanently. Registered domains are not renewed. Your remaining
                wallet balance and AI credits are refunded to your card.
              </ConfirmButton>
            </Group>
          )
        }
      </QueryBoundary>
    </Section>
  );
}

function PendingDeletion({ endsAt }: { endsAt: string }) {
  const cancel = useCancelDeletion();
  return (
    <Group justify="space-between" gap="sm" className="card" p="md">
      <Text size="sm">This account will be deleted on {formatDate(endsAt)}.</Text>
      <ActionButton action={() => cancel.mutateAsync({})}>Cancel deletion</ActionButton>
    </Group>
  );
}
